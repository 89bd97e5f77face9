package replay_test

import (
	"encoding/json"
	"iter"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/longtest"
	"ratelab/internal/measure"
	"ratelab/internal/replay"
)

// lasting is traffic whose duration is unknown until all requests have been read.
type lasting struct {
	traffic
	read bool
}

func (l *lasting) Requests() iter.Seq2[limit.Request, error] {
	return func(yield func(limit.Request, error) bool) {
		for q, err := range l.traffic.Requests() {
			if !yield(q, err) {
				return
			}
		}
		l.read = true
	}
}

func (l *lasting) Duration() (time.Duration, bool) {
	if !l.read || len(l.traffic) == 0 {
		return 0, l.read
	}
	return time.Duration(l.traffic[len(l.traffic)-1].AtUS+1) * time.Microsecond, true
}

// sourceRows returns a row for each algorithm, and some rows with other parameters.
func sourceRows(t testing.TB, p limit.Policy) []replay.Row {
	var rows []replay.Row
	for _, label := range append(algorithms.Names(), "gcra:burst=1", "leaky-bucket:burst=2") {
		row := modelRow(t, label, p)
		row.Another = func() replay.Decider { return modelRow(t, label, p).Decider }
		rows = append(rows, row)
	}
	return rows
}

// The outcome does not depend on the number of sources, and does not change if a Part is written to JSON and read
// again.
func TestSourcesComeToTheSame(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		p := policy(t, rapid.SampledFrom([]string{"5/1s", "1/10ms", "3/1m"}).Draw(r, "limit"))
		p.Contract = rapid.SampledFrom([]limit.Contract{limit.ByWindow, limit.ByBucket}).Draw(r, "contract")
		requests := drawKeys(r)
		known := rapid.Bool().Draw(r, "known")
		play := func(o replay.Options) *replay.Part {
			o.Scales = measure.TimeScales(p.WindowUS())
			var all replay.Traffic = &lasting{traffic: requests}
			if known {
				all = requests
			}
			part, err := replay.RunPart(t.Context(), all, p, sourceRows(t, p), o)
			if err != nil {
				r.Fatal(err)
			}
			return part
		}
		whole := outcomeOf(r, play(replay.Options{}), p)
		n := rapid.SampledFrom([]int{1, 2, 3, 8}).Draw(r, "sources")
		o := replay.Options{Sources: n, ShareFrom: rapid.IntRange(1, 30).Draw(r, "share from"),
			Batch: rapid.IntRange(1, 20).Draw(r, "batch")}
		if diff := cmp.Diff(whole, outcomeOf(r, throughJSON(r, play(o)), p)); diff != "" {
			r.Fatalf("one source (-), %d sources (+):\n%s", n, diff)
		}
	})
}

// drawKeys returns traffic of up to 13 keys, sometimes with many requests at one instant.
func drawKeys(r *rapid.T) traffic {
	var requests traffic
	at, keys := int64(0), rapid.Int64Range(0, 12).Draw(r, "keys")
	gap := rapid.SampledFrom([]int64{0, 1000, 400_000, 3_000_000}).Draw(r, "longest gap")
	for range rapid.IntRange(0, longtest.Of(150, 60)).Draw(r, "requests") {
		at += rapid.Int64Range(0, gap).Draw(r, "gap")
		requests = append(requests, limit.Request{AtUS: at, Key: key(rapid.Int64Range(0, keys).Draw(r, "key")),
			Cost: rapid.SampledFrom([]int64{1, 1, 1, 2, 6}).Draw(r, "cost")})
	}
	return requests
}

// throughJSON writes a Part to JSON and reads it again.
func throughJSON(r *rapid.T, part *replay.Part) *replay.Part {
	text, err := json.Marshal(part)
	if err != nil {
		r.Fatal(err)
	}
	back := new(replay.Part)
	if err := json.Unmarshal(text, back); err != nil {
		r.Fatal(err)
	}
	return back
}

func outcomeOf(r *rapid.T, part *replay.Part, p limit.Policy) *replay.Outcome {
	outcome, err := part.Outcome(p, make([]string, len(part.Rows)))
	if err != nil {
		r.Fatal(err)
	}
	return outcome
}
