package examine

import (
	"math/rand/v2"
	"slices"
)

// Search plays random variations of the corpus until More returns false.
type Search struct {
	Seed uint64
	More func() bool
}

// beyond lets the script decide random variations of the plays.
func (x *examination) beyond(corpus []*play, costs bool) (found []*outcome, err error) {
	random := rand.New(rand.NewPCG(x.Search.Seed, 0))
	for x.Search.More() && err == nil {
		var plays []*play
		for len(plays) < 20 {
			p := x.mutant(random, corpus, costs)
			if n := int64(len(p.asks)); n > 0 && n <= 12*x.burst+40 {
				plays = append(plays, p)
			}
		}
		var more []*outcome
		if more, err = x.evaluate(x.limiter, plays, laws); err == nil {
			found = append(found, more...)
		}
	}
	return found, err
}

// mutant returns a play of the corpus with up to three random changes.
func (x *examination) mutant(r *rand.Rand, corpus []*play, costs bool) *play {
	w, b := x.windowUS, x.burst
	one := func(of ...int64) int64 { return max(0, of[r.IntN(len(of))]) }
	of := corpus[r.IntN(len(corpus))]
	p := play{phaseUS: of.phaseUS, alignUS: of.alignUS, volleys: slices.Clone(of.volleys)}
	for range 1 + r.IntN(3) {
		if len(p.volleys) == 0 {
			break
		}
		i := r.IntN(len(p.volleys))
		v := &p.volleys[i]
		switch r.IntN(7) {
		case 0:
			v.gapUS = one(0, w/4, w/2, w*7/8, w, w*4/3, 2*w, 3*w, x.fillUS/2, x.fillUS, 2*x.fillUS, second, 30*w)
		case 1:
			v.gapUS = v.gapUS/2 + r.Int64N(v.gapUS*3/2+1)
		case 2:
			v.n = max(1, one(1, 2, b/2, b-1, b, b+1, 2*b, x.limit))
		case 3:
			if costs {
				v.cost = max(1, one(1, 2, b/2, b-1, b, b+1))
			}
		case 4:
			p.volleys = slices.Delete(p.volleys, i, i+1)
		case 5:
			other := corpus[r.IntN(len(corpus))].volleys
			if k := len(other); k > 0 {
				p.volleys = slices.Concat(p.volleys[:i], other[r.IntN(k):])
			}
		case 6:
			p.phaseUS = r.Int64N(max(w, p.alignUS))
		}
	}
	return p.expanded()
}
