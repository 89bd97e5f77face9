package tune

import (
	"fmt"
	"math"

	"ratelab/internal/message"
)

// Sample says that some of the keys are played instead of all. Limiters decide for each key by itself, so that nothing
// is scaled but the counts.
//
// The heavy keys are all taken: those with more requests, in all of the traffic, than a bound. Of the others, the rest,
// a hash of its name and the salt takes each with the probability Share: the same salt takes the same keys, of any
// traffic, and a larger share takes those of a smaller one as well.
type Sample struct {
	Share  float64 // above 0; 1 takes all
	Within float64 // how far from the truth a share of requests may be said at most, as a share: 0.001
	Salt   uint64
}

// mostLight is the most requests of a key that may be left out, whatever the bound says.
const mostLight = 200

// usualShare stands for the share that is refused where none is wished: the largest at which curves are tabulated.
const usualShare = 0.05

// mostOfRest is the most requests that a key of the rest may have. Of N requests of which a share p is refused, the
// standard error of the share is at most
//
//	√((1−R)/R · p·(1−p) · n/N)    R: Share; n: the most requests of a key that is not surely taken
//
// and n is the largest for which that is at most half of Within, so that two standard errors are Within. It is
// planned for p as it is wished: what is far from the wish needs no such care, and every figure says how far it may be
// off itself.
func (s *Sample) mostOfRest(requests int64, p float64) int64 {
	p = min(p, 0.5)
	perRequest := (1 - s.Share) / s.Share * p * (1 - p) / float64(requests)
	if perRequest*mostLight <= s.Within*s.Within/4 {
		return mostLight
	}
	return int64(math.Floor(s.Within*s.Within/4/perRequest + 1e-9))
}

// draws reports whether a key of the rest is taken: whether the upper 53 bits of its SipHash-2-4 under the key
// (salt, 0) are, as a fraction of 1, below the share.
func (s *Sample) draws(key string) bool {
	return float64(sipHash(s.Salt, 0, key)>>11)/(1<<53) < s.Share
}

// strata is how keys fall into those that are surely taken, those that are drawn, and those that are left out.
type strata struct {
	places []int32 // by key: its number among those that are taken; −1 where it is left out
	light  set     // by number among those that are taken: it is one of the rest
	good   set     // by that number
	names  []string
	most   int64 // requests that a key of the rest may have
	heavy  int64 // keys
	rest   int64 // keys
	drawn  int64 // of the rest

	requests int64 // of the keys that are taken
}

// stratify says who is taken.
func (c *census) stratify(at float64) error {
	s := c.traffic.Sample
	t := &strata{places: make([]int32, len(c.counts)), most: s.mostOfRest(c.requests, at)}
	for number, count := range c.counts {
		place := t.heavy + t.drawn
		switch light := int64(count) <= t.most; {
		case !light:
			t.heavy++
		case !c.drawn.has(int64(number)):
			t.rest++
			t.places[number] = -1
			continue
		default:
			t.rest++
			t.drawn++
			t.light.add(place)
		}
		t.requests += int64(count)
		t.places[number] = int32(place)
		if c.good.has(int64(number)) {
			t.good.add(place)
		}
	}
	if t.rest > 0 && t.drawn == 0 {
		return fmt.Errorf("the sample has no key in it: of %s with at most %s none is drawn; take a larger one, or "+
			"leave --sample out", message.Count(t.rest, "key"), message.Count(t.most, "request"))
	}
	t.names = make([]string, t.heavy+t.drawn)
	c.strata, c.tally = t, newTally(t)
	c.counts, c.drawn = nil, nil
	return nil
}

// whole reports whether all keys are taken.
func (t *strata) whole() bool { return t.drawn == t.rest }

// players is how many keys are played.
func (c *census) players() int64 {
	if c.strata == nil {
		return c.keys.Count()
	}
	return c.strata.heavy + c.strata.drawn
}
