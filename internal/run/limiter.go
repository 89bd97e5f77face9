package run

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/script"
)

// Limiter is a rule with its parameters, or a user's script with its binding. Its Policy is the limit that it
// enforces; the plan's limit is what it is measured against.
type Limiter struct {
	algorithms.Limiter // a user's script has only Label, Parameters and Policy

	Program *script.Program // the source with its call; nil: a sequence of commands
	File    string          // the user's script; "": a built-in one
	TickUS  int64           // the resolution of retry_after, in µs; 0 for a user's script
	Aligned bool            // its windows may be aligned to the clock
}

// Builtin makes an algorithm's limiter for a limit. An error has the label, the limit, and the value that does not fit.
func Builtin(c algorithms.Choice, p limit.Policy) (*Limiter, error) {
	in, err := c.Limiter(p)
	if err != nil {
		return nil, fmt.Errorf("%w (under the limit %v)", err, p)
	}
	source := in.Algorithm.Script()
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
		// In virtual time both calls have the same number of arguments.
		program.Remove = call(append(slices.Clone(in.Delete), make([]string, len(in.Init)-len(in.Delete))...))
	}
	traits := in.Algorithm.Traits
	l := &Limiter{Limiter: in, Program: program, TickUS: 1, Aligned: traits.Aligned || traits.Grid}
	switch { // the resolution of the clock that ends a rejection
	case traits.TTLRule:
		l.TickUS = time.Millisecond.Microseconds()
	case in.ClientTime:
		l.TickUS = in.GranularityUS
	}
	return l, nil
}

// Own makes the limiter of a user's script and the binding beside it. Its errors are those of script.Load.
func Own(f script.File, p limit.Policy) (*Limiter, error) {
	l, err := bound(f, p)
	if err != nil {
		return nil, err
	}
	// An algorithm or another script may have the same label, but must not share its keys.
	l.Program = l.Program.InKeyspace("own:" + l.Label + ":")
	return l, nil
}

// bound makes the limiter of a user's script, with the keys that its binding names.
func bound(f script.File, p limit.Policy) (*Limiter, error) {
	program, err := script.Load(f, p)
	if err != nil {
		return nil, err
	}
	l := &Limiter{Limiter: algorithms.Limiter{Label: program.Label, Parameters: map[string]string{}, Policy: p},
		Program: program, File: f.Name, Aligned: true}
	if own := program.Own; own != nil {
		l.Policy.Requests, l.Policy.Window, l.Policy.Burst = own.Requests, own.Window, 0
		l.Parameters["limit"] = strconv.FormatInt(own.Requests, 10)
		l.Parameters["per"] = limit.FormatDuration(own.Window)
	}
	return l, nil
}

// labelled is a copy with another label, and keys of its own.
func (l *Limiter) labelled(label, keyspace string) *Limiter {
	mine := *l
	mine.Label, mine.Program = label, l.Program.InKeyspace(keyspace)
	mine.Program.Label = label
	return &mine
}

// manage has managed limits deleted and configured during the run; other limits cannot be deleted. A new bucket is
// full, which is more than its algorithm guarantees.
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

// managed is a model whose limits are deleted and configured. After a deletion it starts with a new model.
type managed struct {
	fresh   func() limit.Limiter
	steps   []limit.ManagedStep // the remaining ones
	startUS int64

	limit.Limiter // nil: nothing is configured
}

// Decide needs times that do not decrease. Scenarios with such steps have only correct clocks.
func (m *managed) Decide(serverUS, clientUS int64, key string, cost int64) limit.Decision {
	for len(m.steps) > 0 && m.startUS+m.steps[0].AtUS <= serverUS {
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
	return m.Limiter.Decide(serverUS, clientUS, key, cost)
}
