package lineup

import (
	"time"

	"ratelab/internal/limit"
)

// manage has the entry's limits deleted and configured in the course of the run, where they are managed ones; the
// others are nobody's to delete. A bucket that comes back is full, which is more than its algorithm promises.
func (e *Entry) manage(steps []limit.ManagedStep, start time.Time) {
	if len(steps) == 0 || e.Program.Remove == nil {
		return
	}
	program := *e.Program
	program.Managed = steps
	e.Program, e.MostAdmitted = &program, nil
	if fresh := e.NewModel; fresh != nil {
		e.NewModel = func() limit.Limiter {
			return &managed{fresh: fresh, steps: steps, startUS: start.UnixMicro(), limiter: fresh()}
		}
	}
}

// managed is a model whose limits are deleted and configured. Deleting all of them leaves nothing, and so a new model
// is what comes after.
type managed struct {
	fresh   func() limit.Limiter
	steps   []limit.ManagedStep // that are still to come
	startUS int64
	limiter limit.Limiter // nil: nothing is configured
}

// Decide takes the times of requests, which do not decrease.
func (m *managed) Decide(nowUS int64, key string, cost int64) limit.Decision {
	for len(m.steps) > 0 && m.startUS+m.steps[0].AtUS <= nowUS {
		if m.steps[0].Deletes {
			m.limiter = nil
		} else if m.limiter == nil {
			m.limiter = m.fresh()
		}
		m.steps = m.steps[1:]
	}
	if m.limiter == nil {
		return limit.Decision{Verdict: limit.NotConfigured, RetryAfterUS: limit.Never}
	}
	return m.limiter.Decide(nowUS, key, cost)
}
