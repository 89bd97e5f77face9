package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ratelab/internal/benchresult"
	"ratelab/internal/callgrind"
	"ratelab/internal/compare"
	counter "ratelab/internal/cost"
	"ratelab/internal/costresult"
	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/result"
	"ratelab/internal/waiting"
)

// countPinned decides and counts what head is compared with besides base.
func (r *pairRun) countPinned(ctx context.Context) error {
	if r.pinned == nil {
		return nil
	}
	found, err := r.countSide(ctx, r.pinned, r.servers[head], r.pinnedRuns, []*lineup.Entry{r.pinnedCost})
	if err == nil {
		r.rows[0].Pinned = &found[0]
	}
	return err
}

// found is what there is so far, as far as the counted gates go.
func (r *pairRun) found() *benchresult.Paired {
	return &benchresult.Paired{Rows: r.rows, Counted: r.counted}
}

// failed reports whether the comparison is lost, and nobody wants to know more.
func (r *pairRun) failed() bool { return !r.EveryGate && compare.CountedFailed(r.found()) }

// whyUntimed is why no times are measured; "" where they are.
func (r *pairRun) whyUntimed() string {
	switch {
	case r.Untimed:
		return "only what can be counted was asked for"
	case r.failed():
		return "not measured, since a counted gate has failed already; --every-gate measures all the same"
	}
	return ""
}

// instructions counts what the decisions of both scripts take, on every path, and once more what is in doubt.
func (r *pairRun) instructions(ctx context.Context) error {
	if r.Instructions == "" {
		return nil
	}
	r.counted = &benchresult.Counted{LeftOut: r.uncountable(), Runs: []costresult.Document{}}
	if r.counted.LeftOut != "" {
		return nil
	}
	err := r.countInstructions(ctx)
	for _, s := range r.sessions() {
		s.vigil.Silences() // of this time, in which nothing was asked of them
	}
	if reason := uncounted(err); reason != nil && r.Instructions == CountIfPossible {
		r.counted.LeftOut = reason.Error()
		return nil
	}
	return err
}

// uncounted is err where it keeps from counting, and from nothing else: there is no valgrind, or a script has not the
// paths that were to be counted.
func uncounted(err error) error {
	var missing *callgrind.Missing
	var wrong *counter.WrongPath
	var input *InputError
	if errors.As(err, &missing) || errors.As(err, &wrong) || errors.As(err, &input) {
		return err
	}
	return nil
}

// recounts are how often at the most what is in doubt is counted again.
const recounts = 3

func (r *pairRun) countInstructions(ctx context.Context) error {
	limits, states := r.limits, costresult.States()
	for range 1 + recounts {
		found, err := r.countPaths(ctx, limits, states)
		if err != nil {
			return err
		}
		r.counted.Runs = append(r.counted.Runs, *found)
		doubtful := compare.Doubtful(r.counted.Runs)
		if found.Partial || len(doubtful) == 0 {
			return nil
		}
		limits, states = limitsOf(doubtful, r.limits), statesOf(doubtful)
	}
	return nil
}

// countPaths counts all scripts in some states under some limits.
func (r *pairRun) countPaths(ctx context.Context, limits []limit.Policy,
	states []string) (*costresult.Document, error) {
	subjects := []counter.Subject{{Label: benchresult.CountedBase, Under: r.sides[base].under},
		{Label: benchresult.CountedHead, Under: r.sides[head].under}}
	if r.pinned != nil {
		subjects = append(subjects, counter.Subject{Label: benchresult.CountedPinned, Under: r.pinned.under})
	}
	s := r.servers[base]
	j := &counter.Job{Subjects: subjects, Limits: limits, States: states, Server: cmp.Or(s.spec, s.server.Kind),
		Version: r.Version, Now: r.Now, Sleep: r.Sleep, Stop: r.Stop,
		Progress: func(where string, _, total int) {
			r.progress.step(fmt.Sprintf("instructions of %s", where), countTime/time.Duration(total))
		}}
	found, err := j.Run(waiting.With(ctx, waiting.Watch{Stop: r.Stop}))
	if err != nil && waiting.Closed(r.Stop) {
		return nil, errStopped
	}
	if err == nil && found.Partial {
		r.partial = true
	}
	return found, err
}

// statesOf are the states of paths, each once.
func statesOf(paths []costresult.Path) []string {
	return slices.DeleteFunc(costresult.States(), func(state string) bool {
		return !slices.ContainsFunc(paths, func(p costresult.Path) bool { return p.State == state })
	})
}

// limitsOf are the limits of paths, each once, as they were counted.
func limitsOf(paths []costresult.Path, all []limit.Policy) []limit.Policy {
	return slices.DeleteFunc(slices.Clone(all), func(l limit.Policy) bool {
		return !slices.ContainsFunc(paths, func(p costresult.Path) bool { return p.Limit == result.LimitOf(l) })
	})
}
