package recommend

import (
	"iter"
	"slices"

	"ratelab/internal/clients"
	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/scenario"
	"ratelab/internal/traffic"
)

// draw is with which seeds a scenario is played.
type draw struct {
	seeds       []uint64
	largestCost int64 // of any request with the first seed
}

// draws finds the seeds of every scenario: its own, or the one instead of it, and the following. Traffic in which no
// seed changes anything is played once.
func (q *Question) draws() map[string]draw {
	all := map[string]draw{}
	for _, s := range q.Scenarios {
		first := lineup.NewContest(s, q.Instead).Seed
		d := draw{}
		for i := range uint64(max(1, q.Seeds)) {
			d.seeds = append(d.seeds, (first+i)%(uint64(limit.MaxExact)+1))
		}
		if recorded(s) {
			d.seeds = d.seeds[:1]
		}
		if d.look(s) != nil {
			d.seeds = d.seeds[:1] // the replay will say what is wrong with the traffic
		}
		all[s.Name] = d
	}
	return all
}

// recorded reports whether all of a scenario is recorded traffic that has nothing random in it.
func recorded(s *scenario.Scenario) bool {
	return !slices.ContainsFunc(s.Phases, func(p traffic.Phase) bool {
		return p.Trace == nil || p.Trace.WithinSecond == traffic.AtRand
	})
}

// look reads the traffic: what the largest cost is, and whether any of the seeds changes anything.
func (d *draw) look(s *scenario.Scenario) error {
	random := slices.ContainsFunc(s.Clients, func(g clients.Group) bool { return g.Drawn() })
	for _, seed := range d.seeds[1:] {
		if random {
			break
		}
		differs, err := differ(s.Stream(d.seeds[0]).Requests(), s.Stream(seed).Requests())
		if err != nil {
			return err
		}
		random = differs
	}
	if !random {
		d.seeds = d.seeds[:1]
	}
	if d.largestCost = 1; withoutCosts(s) {
		return nil
	}
	for q, err := range s.Stream(d.seeds[0]).Requests() {
		if err != nil {
			return err
		}
		d.largestCost = max(d.largestCost, q.Cost)
	}
	return nil
}

// withoutCosts reports whether all of a scenario is recorded traffic that says nothing of costs.
func withoutCosts(s *scenario.Scenario) bool {
	return !slices.ContainsFunc(s.Phases, func(p traffic.Phase) bool { return p.Trace == nil || p.Trace.Cost != "" })
}

// differ reports whether two streams have any request that is not the same.
func differ(a, b iter.Seq2[limit.Request, error]) (bool, error) {
	next, stop := iter.Pull2(b)
	defer stop()
	for q, err := range a {
		if err != nil {
			return false, err
		}
		p, err, ok := next()
		if err != nil {
			return false, err
		}
		if !ok || p != q {
			return true, nil
		}
	}
	_, err, more := next()
	return more, err
}
