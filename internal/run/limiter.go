package run

import (
	"slices"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/script"
)

// Limiter is a rule with its parameters, or a user's script with its binding. Its Policy is the limit that it enforces;
// what measures it goes by the plan's.
type Limiter struct {
	algorithms.Instance // of a user's script no more than Label, Parameters and Policy

	Program *script.Program // the source with its call; nil: a sequence of commands
	File    string          // of a user's script
	Counts  bool            // as algorithms.Spec.Counts, against the limit of the plan
	TickUS  int64           // how exact a retry_after is, in µs; 0 for a user's script
	Aligned bool            // it may go by windows that lie where the clock puts them
}

// Builtin is an algorithm under a limit. An error names the label and says which value does not fit.
func Builtin(c algorithms.Choice, p limit.Policy) (*Limiter, error) {
	in, err := c.Instance(p)
	if err != nil {
		return nil, err
	}
	source := in.Spec.Script()
	now := script.Literal("")
	if in.ClientTime {
		now = script.NowUS(in.GranularityUS)
	}
	call := func(args []string) *script.Call {
		c := &script.Call{Keys: []script.Template{script.KeyIn(in.Label + ":")},
			Args: []script.Template{now, script.Cost()}}
		for _, a := range args {
			c.Args = append(c.Args, script.Literal(a))
		}
		return c
	}
	program := &script.Program{Label: in.Label, Source: source, Decide: *call(in.Args), Decode: script.Contract}
	if in.Init != nil {
		program.Init, program.InitSource = call(in.Init), source
	}
	if in.Delete != nil {
		// In virtual time both travel in the same way: with as many arguments.
		program.Remove = call(append(slices.Clone(in.Delete), make([]string, len(in.Init)-len(in.Delete))...))
	}
	l := &Limiter{Instance: in, Program: program, TickUS: 1, Aligned: in.Spec.Traits.Aligned || in.Spec.Traits.Grid,
		// what a row with another limit, or one of several nodes, counts is nothing that the limit's window holds
		Counts: in.Spec.Counts() && !c.HasOwnLimit() && in.Gateways == nil}
	switch { // the step of the clock that ends a rejection
	case in.Spec.Traits.TTLRule:
		l.TickUS = time.Millisecond.Microseconds()
	case in.ClientTime:
		l.TickUS = in.GranularityUS
	}
	return l, nil
}

// Own is a user's script with the binding beside it. An error is what script.Load finds wrong.
func Own(f script.File, p limit.Policy) (*Limiter, error) {
	l, err := bound(f, p)
	if err != nil {
		return nil, err
	}
	// Its label may be that of an algorithm or of another script, whose keys must not be its own.
	l.Program = l.Program.InKeyspace("own:" + l.Label + ":")
	return l, nil
}

// bound is a user's script with its keys as its binding names them.
func bound(f script.File, p limit.Policy) (*Limiter, error) {
	program, err := script.Load(f, p)
	if err != nil {
		return nil, err
	}
	return &Limiter{Instance: algorithms.Instance{Label: program.Label, Parameters: map[string]string{}, Policy: p},
		Program: program, File: f.Name, Aligned: true}, nil
}

// labelled is the limiter as the row of that name, with keys of its own.
func (l *Limiter) labelled(label, keyspace string) *Limiter {
	mine := *l
	mine.Label, mine.Program = label, l.Program.InKeyspace(keyspace)
	mine.Program.Label = label
	return &mine
}

// manage has the limits deleted and configured in the course of the run, where they are managed ones; the others are
// nobody's to delete. A bucket that comes back is full, which is more than its algorithm guarantees.
func (l *Limiter) manage(steps []limit.ManagedStep, start time.Time) {
	if len(steps) == 0 || l.Program.Remove == nil {
		return
	}
	program := *l.Program
	program.Managed = steps
	l.Program, l.MostAdmitted, l.MostDeparting = &program, nil, nil
	if fresh := l.NewModel; fresh != nil {
		l.NewModel = func() limit.Limiter {
			return &managed{fresh: fresh, steps: steps, startUS: start.UnixMicro(), Limiter: fresh()}
		}
	}
}

// managed is a model whose limits are deleted and configured. Deleting all of them leaves nothing, and so a new model
// is what comes after.
type managed struct {
	fresh   func() limit.Limiter
	steps   []limit.ManagedStep // that are still to come
	startUS int64

	limit.Limiter // nil: nothing is configured
}

// Decide takes the times of requests, which do not decrease. All clocks agree where there are such steps.
func (m *managed) Decide(nowUS int64, key string, cost int64) limit.Decision {
	for len(m.steps) > 0 && m.startUS+m.steps[0].AtUS <= nowUS {
		if m.steps[0].Deletes {
			m.Limiter = nil
		} else if m.Limiter == nil {
			m.Limiter = m.fresh()
		}
		m.steps = m.steps[1:]
	}
	if m.Limiter == nil {
		return limit.Decision{Verdict: limit.NotConfigured, RetryAfterUS: limit.Never}
	}
	return m.Limiter.Decide(nowUS, key, cost)
}
