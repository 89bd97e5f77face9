package tune

import (
	"cmp"
	"slices"

	"ratelab/internal/limit"
	"ratelab/internal/result"
)

// mostHit is how many keys are named for each algorithm.
const mostHit = 1000

// hits is whom a model refuses.
type hits struct {
	limiter limit.Numbered
	by      map[int64]*Hit
}

// findWho names whom the present setting hits, under each of the algorithms, in all of the traffic. Nothing is fitted,
// so that nothing is held out.
func (q *Question) findWho(c *census, d *Document) error {
	var all []Setting
	for _, name := range q.Algorithms {
		all = append(all, settings(name, &Curves{}, steps{}, &d.Wishes, q.Present)...)
	}
	touched, err := q.whom(c, all)
	for i := range touched {
		touched[i].Limit = result.LimitOf(*q.Present)
	}
	d.Touched = touched
	return err
}

// Hits is whom one setting hits, in all of the traffic.
func (q *Question) Hits(s Setting) (*Touched, error) {
	everyKey, again := *q.Traffic, *q
	everyKey.Sample, again.Traffic = nil, &everyKey
	c, err := take(&everyKey, q.Good)
	if err != nil {
		return nil, blamed(q.Name, err)
	}
	touched, err := again.whom(c, []Setting{s})
	if err != nil {
		return nil, renamed(q.Name, err)
	}
	return &touched[0], nil
}

// whom is whom each of the settings hits.
func (q *Question) whom(c *census, settings []Setting) ([]Touched, error) {
	var all []*hits
	for _, s := range settings {
		model, err := s.model()
		if err != nil {
			return nil, err
		}
		all = append(all, &hits{model(), map[int64]*Hit{}})
	}
	asked := make([]int64, c.keys.Count())
	for r, err := range q.Traffic.Streams[0].Requests() {
		if err != nil {
			return nil, &TrafficError{err}
		}
		number := c.keys.Add(r.Key)
		asked[number]++
		for _, h := range all {
			if h.limiter.DecideNumbered(q.Traffic.StartUS+r.AtUS, number, r.Cost).Allowed() {
				continue
			}
			hit := h.by[number]
			if hit == nil {
				hit = &Hit{Key: r.Key, Good: c.isGood(number), FirstUS: r.AtUS}
				h.by[number] = hit
			}
			hit.Refused++
			hit.LastUS = r.AtUS
		}
	}
	var touched []Touched
	for i, h := range all {
		t := Touched{Algorithm: settings[i].Algorithm, Limit: result.LimitOf(settings[i].Policy),
			Keys: int64(len(h.by))}
		named := make([]Hit, 0, len(h.by))
		for number, hit := range h.by {
			hit.Requests = asked[number]
			t.Refused += hit.Refused
			if hit.Good {
				t.Good++
			}
			named = append(named, *hit)
		}
		slices.SortFunc(named, func(a, b Hit) int {
			return cmp.Or(cmp.Compare(b.Refused, a.Refused), cmp.Compare(a.Key, b.Key))
		})
		t.Who = named[:min(len(named), mostHit)]
		touched = append(touched, t)
	}
	return touched, nil
}
