// Package limiter makes limiters. A limiter is a built-in algorithm with its parameters, or a user's script with its
// binding, under one limit. A Spec is a limiter before its limit is known.
//
// The package runs no scripts and opens no connections. It reads users' files through script.File.
package limiter

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/script"
	"ratelab/internal/sequence"
)

// Limiter is a rule with its parameters, a user's script with its binding, or a sequence of commands. Its Policy is the
// limit that it enforces. It may be measured against another limit.
type Limiter struct {
	algorithms.Rule // a user's script has only Label, Parameters and Policy; a sequence only Label and Parameters

	Program  *script.Program  // the source with its call; nil for a sequence
	Sequence *sequence.Choice // nil for a script
	File     string           // the user's script; "": a built-in one
	TickUS   int64            // the precision of retry_after, in µs; 0 for a user's script
	Aligned  bool             // its windows may be aligned to the clock

	*Several       // nil: one limit
	Ends     *Ends // nil: it is not told when requests end
}

// OfAlgorithm returns an algorithm's limiter for a limit. The error names the row, the limit, and the invalid value.
func OfAlgorithm(c algorithms.Choice, p limit.Policy) (*Limiter, error) {
	rule, err := c.Under(p)
	if err != nil {
		return nil, fmt.Errorf("%w (under the limit %v)", err, p)
	}
	source := rule.Algorithm.Script()
	now := script.Literal("")
	if rule.ClientTime {
		now = script.NowUS(rule.GranularityUS)
	}
	call := func(args []string) *script.Call {
		c := &script.Call{Keys: []script.Template{script.KeyIn(rule.Label + ":")},
			Args: []script.Template{now, script.Cost()}}
		for _, a := range args {
			c.Args = append(c.Args, script.Literal(a))
		}
		return c
	}
	program := &script.Program{Label: rule.Label, Source: source, Decide: *call(rule.Args), Decode: script.Contract,
		TellsRetry: true}
	if rule.Init != nil {
		program.Init, program.InitSource = call(rule.Init), source
	}
	if rule.Delete != nil {
		// In virtual time, Init and Remove have the same number of arguments. Empty arguments fill up Remove.
		program.Remove = call(append(slices.Clone(rule.Delete), make([]string, len(rule.Init)-len(rule.Delete))...))
	}
	traits := rule.Algorithm.Traits
	l := &Limiter{Rule: rule, Program: program, TickUS: 1, Aligned: traits.Aligned || traits.Grid}
	switch { // the precision of the clock that ends a rejection
	case traits.TTLRule:
		l.TickUS = time.Millisecond.Microseconds()
	case rule.ClientTime:
		l.TickUS = rule.GranularityUS
	}
	return l, nil
}

// OfScript returns the limiter of a user's script and its binding. Its errors are those that script.Load returns.
func OfScript(f script.File, p limit.Policy) (*Limiter, error) {
	program, err := script.Load(f, p)
	if err != nil {
		return nil, err
	}
	l := &Limiter{Rule: algorithms.Rule{Label: program.Label, Parameters: map[string]string{}, Policy: p},
		Program: program, File: f.Name, Aligned: true}
	if program.Ends != nil {
		l.Ends = &Ends{Program: program.Ends, Renew: program.Renews, RenewUS: program.RenewUS}
	}
	if own := program.Own; own != nil {
		l.Policy.Requests, l.Policy.Window, l.Policy.Burst = own.Requests, own.Window, 0
		l.Parameters["limit"] = strconv.FormatInt(own.Requests, 10)
		l.Parameters["per"] = limit.FormatDuration(own.Window)
	}
	return l, nil
}

// OfScriptUnder returns the limiter of a user's script for several limits. It returns the errors of script.LoadSeveral.
func OfScriptUnder(f script.File, limits []limit.Limit) (*Limiter, error) {
	programs, ask, err := script.LoadSeveral(f, limits)
	if err != nil {
		return nil, err
	}
	of := func(p *script.Program, l limit.Limit) *Limiter {
		return &Limiter{Rule: algorithms.Rule{Label: p.Label, Parameters: map[string]string{}, Policy: l.Policy},
			Program: p, File: f.Name, Aligned: true}
	}
	l := of(programs[0], limits[0])
	l.Several = &Several{Limits: limits, How: ask}
	if len(programs) == 1 && ask == "" {
		return l, nil
	}
	l.Program, l.Parameters["ask"] = nil, ask
	for i, p := range programs {
		l.Each = append(l.Each, of(p, limits[i]))
	}
	return l, nil
}

// OfSequence returns the limiter of a sequence of commands.
func OfSequence(c sequence.Choice) *Limiter {
	return &Limiter{Rule: algorithms.Rule{Label: c.Label, Parameters: c.Parameters()}, Sequence: &c}
}

// Labelled returns a copy with another label and its own keys.
func (l *Limiter) Labelled(label, keyspace string) *Limiter {
	mine := *l
	mine.Label = label
	if l.Program != nil {
		mine.Program = l.Program.InKeyspace(keyspace)
		mine.Program.Label = label
		if l.Ends != nil {
			ends := *l.Ends
			if ends.Program = ends.Program.InKeyspace(keyspace); ends.Renew != nil {
				ends.Renew = ends.Renew.InKeyspace(keyspace)
			}
			mine.Ends = &ends
		}
	}
	if l.Several != nil {
		several := *l.Several
		for i, one := range several.Each {
			name := several.Limits[i].Name
			several.Each = slices.Clone(several.Each)
			several.Each[i] = one.Labelled(label+":"+name, keyspace+name+":")
		}
		mine.Several = &several
	}
	return &mine
}

// WithoutModel returns a copy that has no model and guarantees nothing.
func (l *Limiter) WithoutModel() *Limiter {
	mine := *l
	mine.NewModel, mine.MostAdmitted, mine.MostDeparting = nil, nil, nil
	return &mine
}

// Foreign reports whether the limiter runs a user's source.
func (l *Limiter) Foreign() bool {
	programs := l.Programs()
	return programs != nil && programs[0].Foreign
}

// Programs returns the script, or the script of each of several limits. It returns nil for a sequence.
func (l *Limiter) Programs() (all []*script.Program) {
	switch {
	case l.Program != nil:
		return []*script.Program{l.Program}
	case l.Several != nil:
		for _, one := range l.Each {
			all = append(all, one.Program)
		}
	}
	return all
}

// Managed returns a copy whose limit is deleted and configured during the run. If the algorithm cannot delete its
// limit, Managed returns l. A new bucket is full, so the copy may admit more than its algorithm guarantees.
func (l *Limiter) Managed(steps []limit.ManagedStep, start time.Time) *Limiter {
	if len(steps) == 0 || l.Program == nil || l.Program.Remove == nil {
		return l
	}
	mine, program := *l, *l.Program
	program.Managed = steps
	mine.Program, mine.MostAdmitted, mine.MostDeparting = &program, nil, nil
	if fresh := l.NewModel; fresh != nil {
		mine.NewModel = func() limit.Model {
			return &managed{fresh: fresh, steps: steps, startUS: start.UnixMicro(), Model: fresh()}
		}
	}
	return &mine
}

// managed is a model whose limits are deleted and configured. After a deletion no limit is configured. The next
// configuration starts a new model.
type managed struct {
	fresh   func() limit.Model
	steps   []limit.ManagedStep // the remaining ones
	startUS int64

	limit.Model // nil: nothing is configured
}

// Decide requires times that do not decrease. In scenarios with managed limits, all clocks are correct.
func (m *managed) Decide(serverUS, clientUS int64, key string, cost int64) limit.Decision {
	for len(m.steps) > 0 && m.startUS+m.steps[0].AtUS <= serverUS {
		if m.steps[0].Deletes {
			m.Model = nil
		} else if m.Model == nil {
			m.Model = m.fresh()
		}
		m.steps = m.steps[1:]
	}
	if m.Model == nil {
		return limit.Decision{Verdict: limit.NotConfigured, RetryAfterUS: limit.Never}
	}
	return m.Model.Decide(serverUS, clientUS, key, cost)
}
