package examine

import (
	"testing"

	"pgregory.net/rapid"

	"ratelab/algorithms"
	"ratelab/internal/limit"
)

// After any traffic a flood in blocks admits what one of single requests does, and leaves the same state: of a bucket
// that lends, too, which gives more to one request than to many.
func TestBlocksAreSums(t *testing.T) {
	labels := append(promising(t), "token-bucket-debt:debt=5", "token-bucket-debt:debt=1", "gcra:burst=17",
		"sliding-window-log:time=client:granularity=1ms")
	rapid.Check(t, func(r *rapid.T) {
		p := problem(t, rapid.SampledFrom(labels).Draw(r, "algorithm"), "200/1s")
		p.LargestCost = rapid.Int64Range(1, 3).Draw(r, "cost")
		inBlocks, inUnits := newPlayer(p, false), newPlayer(p, true)
		for range rapid.IntRange(1, 6).Draw(r, "floods") {
			wait := rapid.Int64Range(0, 1_200_000).Draw(r, "wait")
			count := rapid.Int64Range(1, 300).Draw(r, "count")
			for _, l := range []*player{inBlocks, inUnits} {
				l.nowUS += wait
				l.askFor(count, p.LargestCost)
				l.ask(1) // where a state differs, so do the replies
			}
			if inBlocks.requests != inUnits.requests || inBlocks.last != inUnits.last {
				r.Fatalf("%d and %+v in blocks, %d and %+v one by one", inBlocks.requests, inBlocks.last,
					inUnits.requests, inUnits.last)
			}
		}
	})
}

func newPlayer(p Problem, units bool) *player {
	s := newSearch(p, units)
	return &player{search: s, limiter: p.Limiter.NewModel(), startUS: epochUS}
}

// A flood of a million takes few decisions.
func TestBlocksAreFew(t *testing.T) {
	for _, label := range promising(t) {
		if algorithms.Of(label).Traits.Tiers {
			continue // the other limit is lower
		}
		l := newPlayer(problem(t, label, "1000000/1h"), false)
		l.take(everything, single)
		if l.requests != 1_000_000 || l.search.spent > 100 {
			t.Errorf("%s: %d requests in %d decisions", label, l.requests, l.search.spent)
		}
	}
}

// discount is a limiter that charges a large request half of its cost: there a block is no sum of requests.
type discount struct{ limit.Model }

func (d discount) Decide(serverUS, clientUS int64, key string, cost int64) limit.Decision {
	return d.Model.Decide(serverUS, clientUS, key, (cost+1)/2)
}

func (d discount) Fork(key string) limit.Model { return discount{d.Model.Fork(key)} }

// Where a block is no sum of requests, what is found is what single requests show.
func TestDiscountsAreNotReported(t *testing.T) {
	p := problem(t, "gcra", "100/1s")
	newModel := p.Limiter.NewModel
	p.Limiter.NewModel = func() limit.Model { return discount{newModel()} }
	if f := p.Search(); f.Most != 199 || p.oneByOne(&f) != 199 || !f.Complete {
		t.Errorf("%d, one by one %d: %+v", f.Most, p.oneByOne(&f), f)
	}
}

// The traffic has no more requests than somebody can decide one by one, and the search says that this is not all.
func TestTooManyRequests(t *testing.T) {
	p := problem(t, "gcra", "1000000/1s")
	p.Budget = 3000
	f := p.Search()
	var requests int64
	for _, s := range f.Strikes {
		requests += s.Count
	}
	if f.Complete || requests > p.mostRequests() || f.Most < p.Budget {
		t.Errorf("%d requests: %+v", requests, f)
	}
}
