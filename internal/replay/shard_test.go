package replay_test

import (
	"encoding/json"
	"fmt"
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

// Every key is of one shard, always the same; the shards written down here must stay, since parts that were made at
// different times are put together.
func TestEachKeyIsOfOneShard(t *testing.T) {
	for n := 1; n <= 9; n++ {
		var keys [10]int
		for i := range int64(9000) {
			found := 0
			for number := 1; number <= n; number++ {
				if (replay.Shard{Number: number, Of: n}).Has(key(i)) {
					found++
					keys[number]++
				}
			}
			if found != 1 {
				t.Fatalf("%s is of %d shards of %d", key(i), found, n)
			}
		}
		for number := 1; number <= n; number++ {
			if even := 9000 / n; keys[number] < even*9/10 || keys[number] > even*11/10 {
				t.Errorf("shard %d/%d has %d keys of 9000", number, n, keys[number])
			}
		}
	}
	of := ""
	for _, k := range []string{"", "k0", "k1", "k2", "10.0.0.1", "10.0.0.2", "ключ", "\xff"} {
		for number := 1; number <= 8; number++ {
			if (replay.Shard{Number: number, Of: 8}).Has(k) {
				of += fmt.Sprint(number)
			}
		}
	}
	if of != "83158242" {
		t.Errorf("shards of 8: %s", of)
	}
}

// lasting is traffic whose end nobody knows before it has been read.
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

// shardLanes are all algorithms, and some with other parameters.
func shardLanes(t testing.TB, p limit.Policy) []replay.Lane {
	var lanes []replay.Lane
	for _, label := range append(algorithms.Names(), "gcra:burst=1", "leaky-bucket:burst=2") {
		lane := countingLane(modelLane(t, label, p))
		lane.Another = func() replay.Decider { return modelLane(t, label, p).Decider }
		lanes = append(lanes, lane)
	}
	return lanes
}

// Shards, in whatever order they are put together, and sources, however many, come to what one comes to.
func TestShardsAndSourcesComeToTheSame(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		p := policy(t, rapid.SampledFrom([]string{"5/1s", "1/10ms", "3/1m"}).Draw(r, "limit"))
		p.Contract = rapid.SampledFrom([]limit.Contract{limit.ByWindow, limit.ByBucket}).Draw(r, "contract")
		requests := drawKeys(r)
		known := rapid.Bool().Draw(r, "known")
		play := func(o replay.Options) *replay.Part {
			o.Scales, o.Fairness = measure.TimeScales(p.WindowUS()), true
			var all replay.Traffic = &lasting{traffic: requests}
			if known {
				all = requests
			}
			part, err := replay.RunPart(t.Context(), all, p, shardLanes(t, p), o)
			if err != nil {
				r.Fatal(err)
			}
			return part
		}
		whole := outcomeOf(r, play(replay.Options{}), p)
		n := rapid.SampledFrom([]int{1, 2, 3, 8}).Draw(r, "shards")
		var sum *replay.Part
		for _, i := range rapid.Permutation(numbers(n)).Draw(r, "order") {
			part := throughJSON(r, play(replay.Options{Shard: replay.Shard{Number: i, Of: n}}))
			if sum == nil {
				sum = part
				continue
			}
			var err error
			if sum, err = sum.Plus(part); err != nil {
				r.Fatal(err)
			}
		}
		if diff := cmp.Diff(whole, outcomeOf(r, sum, p)); diff != "" {
			r.Fatalf("of one (-) and of %d shards (+):\n%s", n, diff)
		}
		o := replay.Options{Sources: n, ShareFrom: rapid.IntRange(1, 30).Draw(r, "share from"),
			Batch: rapid.IntRange(1, 20).Draw(r, "batch")}
		if diff := cmp.Diff(whole, outcomeOf(r, play(o), p)); diff != "" {
			r.Fatalf("of one (-) and of %d sources (+):\n%s", n, diff)
		}
	})
}

// drawKeys is traffic of up to a dozen keys, at times in crowds.
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

func numbers(n int) []int {
	var all []int
	for i := range n {
		all = append(all, i+1)
	}
	return all
}

// throughJSON is a part as it comes back from a file.
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
	outcome, err := part.Outcome(p, make([]string, len(part.Lanes)))
	if err != nil {
		r.Fatal(err)
	}
	return outcome
}
