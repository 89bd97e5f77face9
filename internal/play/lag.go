package play

import (
	"context"
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/redisserver"
	"ratelab/internal/replay"
)

// Differences are the decisions of a play that are not those of virtual time.
type Differences struct {
	Count int64
	// Unexplained are those that lie outside the lag band: virtual time decides them as it did whenever the server may
	// have taken the requests.
	Unexplained int64
	First       *Difference // nil: there is none; an unexplained one before the others
}

// Difference is one request that was decided otherwise.
type Difference struct {
	Request       limit.Request
	Virtual, Wall limit.Verdict
	Explained     bool
}

// Answered is how many requests, from the first on, were answered without a gap.
func (p *Played) Answered() int {
	if n := slices.IndexFunc(p.Answers, func(a Answer) bool { return !a.Sent }); n >= 0 {
		return n
	}
	return len(p.Answers)
}

// Differing is how many of the first n decisions are not those of virtual time.
func (p *Played) Differing(r *Record, n int) int64 {
	var count int64
	for i, virtual := range r.Stretch()[:min(n, len(r.Stretch()))] {
		if p.Answers[i].Sent && p.Answers[i].Decision.Allowed() != (virtual == limit.Allowed) {
			count++
		}
	}
	return count
}

// Again decides the traffic up to the end of the stretch once more in virtual time, from the beginning, with these
// requests in place of those of the stretch, and gives the decisions on them.
type Again func(ctx context.Context, requests []limit.Request) ([]limit.Decision, error)

// draws is how many times instants of the lag band are chosen: a decision that goes one way in a twentieth of the band
// is missed by one play in eight where the instants are drawn at random, and most depend on it far more than that. A
// permit that comes back while hundreds wait at one instant is a different matter, since any of them may be the one
// that gets it: see instants.
const draws = 48

// Compare looks at the decisions of the stretch beside those of virtual time. The server took each request at an
// instant between the one at which it was written and the one at which its reply was there: the lag band. Where the two
// decide otherwise, the stretch is decided again with instants from the bands of all its requests, until either each of
// the plays' decisions has been seen or the draws are used up. Requests that were not sent are left out.
func (p *Played) Compare(ctx context.Context, part *Part, record *Record, again Again) (Differences,
	error) {
	virtual := record.Stretch()
	var d Differences
	open := map[int]bool{} // differ, and are not explained so far
	first := -1
	for i, a := range p.Answers {
		if !a.Sent || a.Decision.Allowed() == (virtual[i] == limit.Allowed) {
			continue
		}
		if first < 0 {
			first = i
		}
		open[i] = true
	}
	d.Count = int64(len(open))
	random := rand.New(rand.NewPCG(uint64(len(p.Answers)), uint64(len(open)))) // any will do
	for n := 0; n < draws && len(open) > 0; n++ {
		if err := p.explain(ctx, part, p.instants(n, random, open), again, open); err != nil {
			return d, err
		}
	}
	for n, i := range slices.Sorted(maps.Keys(open)) {
		for quarter := 0; quarter <= 4 && open[i] && n < aimed; quarter++ {
			if err := p.explain(ctx, part, p.around(i, float64(quarter)/4), again, open); err != nil {
				return d, err
			}
		}
	}
	d.Unexplained = int64(len(open))
	if len(open) > 0 {
		first = slices.Min(slices.Collect(maps.Keys(open)))
	}
	if first >= 0 {
		d.First = &Difference{part.Requests[first], virtual[first], p.Answers[first].Decision.Verdict, !open[first]}
	}
	return d, nil
}

// instants chooses where in its band each request was taken, from 0 at its beginning to 1 at its end. The first two
// choices do the most for what is open: who was admitted came late, when permits were back, and all others early; who
// was rejected came early, and all others late. Then the requests come in the order of their replies, or nearly so:
// a server answers in the order in which it decides. The rest is drawn at random.
func (p *Played) instants(n int, random *rand.Rand, open map[int]bool) func(i int) float64 {
	const nearly = 0.1
	switch {
	case n == 0:
		return func(i int) float64 { return whether(open[i] && p.Answers[i].Decision.Allowed()) }
	case n == 1:
		return func(i int) float64 { return whether(!open[i] || p.Answers[i].Decision.Allowed()) }
	case n < 2+ordered:
		middle := 1 - float64(n-2)/(ordered-1)
		return func(int) float64 {
			return min(1, max(0, middle+nearly*float64((n-2)%2)*(2*random.Float64()-1)))
		}
	}
	return func(int) float64 { return random.Float64() }
}

// aimed is how many that no choice for all explains get choices of their own.
const aimed = 100

// around chooses for one request: it was taken so far into its band. Who was admitted otherwise came before, as early
// as may be, and who was rejected came after it, unless its reply was there before.
func (p *Played) around(i int, middle float64) func(j int) float64 {
	it := &p.Answers[i]
	at := it.WrittenUS + int64(middle*float64(it.RepliedUS-it.WrittenUS))
	return func(j int) float64 {
		a := &p.Answers[j]
		switch {
		case j == i:
			return middle
		case a.Decision.Allowed() || a.RepliedUS <= at:
			return 0
		case !it.Decision.Allowed() || a.WrittenUS > at:
			return 1
		}
		return min(1, float64(at+1-a.WrittenUS)/float64(a.RepliedUS-a.WrittenUS))
	}
}

// ordered is how many choices of instants keep the order of replies, or of writes, more or less.
const ordered = 12

// whether is 1 or 0.
func whether(so bool) float64 {
	if so {
		return 1
	}
	return 0
}

// explain takes out of open what is decided as the play did, with the instants of one choice.
func (p *Played) explain(ctx context.Context, part *Part, choice func(i int) float64, again Again,
	open map[int]bool) error {
	type moved struct {
		limit.Request
		index int
	}
	var all []moved
	for i, q := range part.Requests {
		a := p.Answers[i]
		if !a.Sent {
			continue
		}
		at := a.WrittenUS + int64(math.Ceil(choice(i)*float64(max(0, a.RepliedUS-a.WrittenUS))))
		q.AtUS = max(at, part.From.Microseconds())
		all = append(all, moved{q, i})
	}
	slices.SortStableFunc(all, func(a, b moved) int { return int(a.AtUS - b.AtUS) })
	requests := make([]limit.Request, len(all))
	for i, m := range all {
		requests[i] = m.Request
	}
	decisions, err := again(ctx, requests)
	if err != nil {
		return err
	}
	for i, m := range all {
		if open[m.index] && decisions[i].Allowed() == p.Answers[m.index].Decision.Allowed() {
			delete(open, m.index)
		}
	}
	return nil
}

// DecideAgain is Again for an entry: by its model, or where it has none by its script in virtual time on the server.
func DecideAgain(c *lineup.Contest, e *lineup.Entry, part *Part, s *redisserver.Server, clock replay.Clock) Again {
	return func(ctx context.Context, requests []limit.Request) ([]limit.Decision, error) {
		decider, end, err := decider(ctx, c, e, s, clock)
		if err != nil {
			return nil, err
		}
		err = inBatches(part.Before(), func(batch []limit.Request) error {
			return decider.Decide(ctx, batch, make([]limit.Decision, len(batch)))
		})
		decisions := make([]limit.Decision, len(requests))
		if err == nil {
			err = decider.Decide(ctx, requests, decisions)
		}
		return decisions, errors.Join(err, end(context.WithoutCancel(ctx)))
	}
}

// decider decides from the beginning of the scenario; end deletes what it leaves.
func decider(ctx context.Context, c *lineup.Contest, e *lineup.Entry, s *redisserver.Server,
	clock replay.Clock) (d replay.Decider, end func(context.Context) error, err error) {
	if e.NewModel != nil {
		return replay.NewModel(e.NewModel(), c.Scenario.Start), func(context.Context) error { return nil }, nil
	}
	v, err := e.On(ctx, lineup.NewWatch(ctx, s), lineup.Times{Start: c.Scenario.Start}, clock)
	if err != nil {
		return nil, nil, err
	}
	return v, v.Close, nil
}
