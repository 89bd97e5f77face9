package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"ratelab/internal/benchresult"
	"ratelab/internal/callgrind"
	"ratelab/internal/compare"
	counter "ratelab/internal/cost"
	"ratelab/internal/lineup"
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

// instructions counts what the decisions of both scripts take, on every path.
func (r *pairRun) instructions(ctx context.Context) error {
	if r.Instructions == "" {
		return nil
	}
	r.counted = &benchresult.Counted{LeftOut: r.uncountable()}
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

// countInstructions counts all scripts, in turns.
func (r *pairRun) countInstructions(ctx context.Context) error {
	subjects := []counter.Subject{{Label: benchresult.CountedBase, Under: r.sides[base].script.Under},
		{Label: benchresult.CountedHead, Under: r.sides[head].script.Under}}
	if r.pinned != nil {
		subjects = append(subjects, counter.Subject{Label: benchresult.CountedPinned, Under: r.pinned.script.Under})
	}
	s := r.servers[base]
	j := &counter.Job{Subjects: subjects, InTurns: true, Limits: r.limits, States: r.States,
		Server: cmp.Or(s.spec, s.server.Kind), Version: r.Version, Now: r.Now, Sleep: r.Sleep, Stop: r.Stop,
		Progress: func(where string, _, _ int) {
			r.progress.step(fmt.Sprintf("instructions of %s", where), pathTime)
		}}
	found, err := j.Run(waiting.With(ctx, waiting.Watch{Stop: r.Stop}))
	if err == nil {
		r.counted.Document = found
	}
	if waiting.Closed(r.Stop) {
		return errStopped
	}
	return err
}
