package usage

import (
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ratelab/internal/limit"
	"ratelab/internal/result"
	"ratelab/internal/result/resulttest"
)

func stream(all []limit.Request) iter.Seq2[limit.Request, error] {
	return func(yield func(limit.Request, error) bool) {
		for _, q := range all {
			if !yield(q, nil) {
				return
			}
		}
	}
}

// What a window holds and what an exact limiter refuses are what their definitions say, request by request.
func TestFiguresAreWhatTheirDefinitionsSay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []limit.Request
		var at int64
		for range rapid.IntRange(1, 60).Draw(t, "requests") {
			at += rapid.Int64Range(0, 400_000).Draw(t, "gap")
			all = append(all, limit.Request{AtUS: at, Key: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "key"),
				Cost: rapid.Int64Range(1, 4).Draw(t, "cost")})
		}
		log, err := Read(stream(all))
		if err != nil {
			t.Fatal(err)
		}
		p := limit.Policy{Requests: rapid.Int64Range(1, 12).Draw(t, "limit"), Window: time.Second}
		d := log.Look([]limit.Policy{p})
		var most, refused int64
		touched := map[string]bool{}
		admitted := map[int]bool{}
		for i, q := range all {
			var asked, held int64
			for j, o := range all[:i+1] {
				if o.Key != q.Key || o.AtUS <= q.AtUS-1_000_000 {
					continue
				}
				asked += o.Cost
				if admitted[j] {
					held += o.Cost
				}
			}
			most = max(most, asked)
			if held+q.Cost > p.Requests {
				refused += q.Cost
				touched[q.Key] = true
			} else {
				admitted[i] = true
			}
		}
		if d.Windows[0].Most != most {
			t.Errorf("the busiest second holds %d; want %d", d.Windows[0].Most, most)
		}
		if got := d.Limits[0]; got.Refused != refused || got.Clients != int64(len(touched)) {
			t.Errorf("refused %d of %d clients; want %d of %d", got.Refused, got.Clients, refused, len(touched))
		}
	})
}

// Quantiles are of clients, by the nearest rank.
func TestQuantiles(t *testing.T) {
	ten := []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	for share, want := range map[float64]int64{0.5: 5, 0.9: 9, 0.99: 10, 0.999: 10} {
		if got := quantile(ten, share); got != want {
			t.Errorf("%g of ten: %d, want %d", share, got, want)
		}
	}
	if quantile(nil, 0.5) != 0 || quantile([]int64{7}, 0.5) != 7 {
		t.Error("of none, or of one")
	}
}

// Limits that nobody named are round, fit the log, and are named once.
func TestLimitsThatFit(t *testing.T) {
	for n, want := range map[int64]int64{0: 1, 1: 1, 7: 8, 9: 10, 11: 15, 33: 40, 75: 80, 101: 150, 999: 1000} {
		if got := roundUp(n); got != want {
			t.Errorf("%d becomes %d, want %d", n, got, want)
		}
	}
	log, err := Read(stream([]limit.Request{{Key: "a", Cost: 1}, {AtUS: 5, Key: "a", Cost: 1}}))
	if err != nil {
		t.Fatal(err)
	}
	d := log.Look(nil)
	if len(d.Limits) != len(Windows) || d.Limits[0].Refused != 0 {
		t.Errorf("%+v", d.Limits)
	}
	var out strings.Builder
	if err := WriteJSON(&out, d); err != nil {
		t.Fatal(err)
	}
	if err := resulttest.Validate(t, result.Usage, out.String()); err != nil {
		t.Error(err)
	}
	if got := slices.Index(Forms.Names(), "table"); got != 0 {
		t.Errorf("table is form %d", got)
	}
}
