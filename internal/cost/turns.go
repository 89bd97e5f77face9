package cost

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"ratelab/internal/callgrind"
	"ratelab/internal/costresult"
	"ratelab/internal/lineup"
	"ratelab/internal/result"
)

// turn is one row's part in counting a path. Rows that are compared take turns, path by path: what differs from one
// minute of a server to the next is the same for all of them then, and each is counted over as many decisions.
type turn struct {
	situation
	state  string
	path   path
	to     *costresult.Row
	found  *scene
	counts []callgrind.Counts // one of each round

	announced bool
}

func newTurn(to *costresult.Row, e *lineup.Entry, state string) *turn {
	s := situationOf(e)
	return &turn{situation: s, state: state, path: s.path(state), to: to}
}

// Rows that are compared are counted in two rounds, and in a third where they are neither as near to each other as a
// script is to itself, nor so far apart that there is no doubt. The least of each row's counts is taken: what comes
// between, such as an allocator that has to grow, takes more instructions and never less.
const (
	near        = 0.004
	far         = 0.1
	leastRounds = 2
	mostRounds  = 3
)

// attempts are how often a path is counted anew whose requests came too late.
const attempts = 20

// countPath counts a path of all rows that have it, and notes why the others have not.
func (r *run) countPath(ctx context.Context, all []*turn) error {
	for _, t := range all {
		if err := r.lookForLog(ctx, t); err != nil {
			return err
		}
	}
	keys, err := r.countRounds(ctx, all)
	if err != nil {
		return err
	}
	for _, t := range all {
		of := result.LimitOf(t.Policy)
		if t.path.missing != "" {
			t.to.Missing = append(t.to.Missing, costresult.Missing{State: t.state, Limit: &of, Reason: t.path.missing})
			continue
		}
		p := t.figures(keys * len(t.path.costs))
		p.State, p.Limit, p.RatioToControl = t.state, of, 1
		if control := r.doc.Rows[0].Paths; len(control) > 0 {
			p.RatioToControl = p.Instructions / control[0].Instructions
		}
		t.to.Paths = append(t.to.Paths, *p)
	}
	return nil
}

// lookForLog notes that a script keeps no log, where one is to be full.
func (r *run) lookForLog(ctx context.Context, t *turn) error {
	if t.state != costresult.FullLog || t.path.missing != "" {
		return nil
	}
	logs, err := r.stage.keepsLog(ctx, t.Entry, r.Now())
	if err != nil {
		return fmt.Errorf("%s: %w", t.Label, err)
	}
	if !logs {
		t.path.missing = "it keeps no log"
	}
	return nil
}

// countRounds counts all rows in turn until that is enough. What came too late is counted again; where that happens
// often, over fewer copies of a key, and for all rows anew. It returns how many there were.
func (r *run) countRounds(ctx context.Context, all []*turn) (int, error) {
	late, keys := 0, most(all)
	for {
		t := next(all)
		if t == nil {
			return keys, nil
		}
		r.announce(t)
		err := r.attempt(ctx, t, keys, late)
		var wrong *WrongPath
		switch {
		case err == nil:
		case errors.Is(err, errDisturbed) && r.unseen < mostUnseen:
		case (errors.Is(err, errLate) || errors.As(err, &wrong) && t.clocked) && late < attempts:
			late++
			if fewer := max(1, most(all)>>(late/3)); fewer < keys {
				keys = fewer
				for _, t := range all {
					t.counts = nil
				}
			}
		default:
			return 0, r.named(err, t)
		}
	}
}

// most is how many copies of a key all rows can be asked for.
func most(all []*turn) int {
	return slices.MinFunc(all, func(a, b *turn) int { return cmp.Compare(a.path.keys, b.path.keys) }).path.keys
}

// next is whose turn it is: nobody's once there is nothing to count, or that has been. Each round has the other order
// than the last.
func next(all []*turn) *turn {
	there := slices.DeleteFunc(slices.Clone(all), func(t *turn) bool { return t.path.missing != "" })
	if len(there) == 0 {
		return nil
	}
	fewest := func(a, b *turn) int { return cmp.Compare(len(a.counts), len(b.counts)) }
	if round := len(slices.MinFunc(there, fewest).counts); round%2 == 1 {
		slices.Reverse(there)
	}
	t := slices.MinFunc(there, fewest)
	switch done := len(t.counts); {
	case done == mostRounds, done == leastRounds && clear(there), done == 1 && len(there) == 1:
		return nil
	}
	return t
}

// clear reports whether each row's count is near to the next larger one, or far from it.
func clear(all []*turn) bool {
	var counts []int64
	for _, t := range all {
		counts = append(counts, t.least(instructions))
	}
	slices.Sort(counts)
	for i := 1; i < len(counts); i++ {
		less, more := float64(counts[i-1]), float64(counts[i])
		if more > less*(1+near) && more < less*(1+far) {
			return false
		}
	}
	return true
}

// announce says what is being counted, once of each path of a row.
func (r *run) announce(t *turn) {
	if t.announced {
		return
	}
	t.announced = true
	if r.Progress != nil {
		r.Progress(fmt.Sprintf("%s, %s at %v", t.Label, t.state, t.Policy), r.done, r.total)
	}
	r.done++
}

func instructions(c callgrind.Counts) int64 { return c.Instructions }

func allocations(c callgrind.Counts) int64 { return c.Allocations }

// least is the least of all rounds' counts of something.
func (t *turn) least(of func(callgrind.Counts) int64) int64 {
	least := of(t.counts[0])
	for _, c := range t.counts {
		least = min(least, of(c))
	}
	return least
}

// figures are those of a decision, of which each round counted n.
func (t *turn) figures(n int) *costresult.Path {
	p := &costresult.Path{
		Decisions: n, Instructions: float64(t.least(instructions)) / float64(n),
		Commands: t.found.commands, ReplicatedBytes: t.found.replicated, BytesPerKey: t.found.bytesPerKey,
	}
	if all := t.least(allocations); all > 0 {
		each := float64(all) / float64(n)
		p.Allocations = &each
	}
	return p
}

// named completes an error of a path.
func (r *run) named(err error, t *turn) error {
	var wrong *WrongPath
	switch {
	case errors.As(err, &wrong):
		wrong.State, wrong.Limit = t.state, t.Policy
		return wrong
	case errors.Is(err, context.Canceled):
		return cmp.Or(stopped(r.Stop), err)
	}
	return fmt.Errorf("%s, %s at %v: %w", t.Label, t.state, t.Policy, err)
}

func stopped(stop <-chan struct{}) error {
	select {
	case <-stop:
		return errStopped
	default:
		return nil
	}
}
