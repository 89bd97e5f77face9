// Package lineup says what is to be decided: which algorithms and scripts meet which traffic under which limit. It
// makes of an algorithm, or of a user's own script, what can be run under one limit, a program with its label and
// parameters. It prepares such a program for virtual time on a server, and tries strangers' scripts where they can do
// no harm. What the decisions amount to is its callers' business.
package lineup

import (
	"slices"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/script"
)

// Entry is one row to be: a script with its call, and, for a built-in algorithm, the Go model.
type Entry struct {
	Label      string
	Parameters map[string]string // all of them, defaults included
	Program    *script.Program
	NewModel   func() limit.Limiter // nil for a user's script
	File       string               // of a user's script
	Policy     limit.Policy         // the limit that it goes by; what measures it goes by the contest's
	Gateways   *algorithms.Gateways // as that of algorithms.Instance; nil for a user's script

	MostAdmitted func(spanUS, largestCost int64) int64 // MostLetThrough of algorithms.Instance; nil for a user's script
	Counts       bool                                  // as algorithms.Spec.Counts, against the limit of the contest
	TickUS       int64                                 // how exact a retry_after is, in µs; 0 for a user's script
	ClientTime   bool                                  // as that of algorithms.Instance
	Aligned      bool                                  // it may go by windows that lie where the clock puts them
}

// Builtin makes an entry of an algorithm for one limit. An error names the label and says which value does not
// fit.
func Builtin(c algorithms.Choice, p limit.Policy) (*Entry, error) {
	in, err := c.Instance(p)
	if err != nil {
		return nil, err
	}
	source := in.Spec.Script()
	now := script.Literal("")
	if in.ClientTime {
		now = script.NowUS(in.GranularityUS)
	}
	call := func(args []string) script.Call {
		c := script.Call{Keys: []script.Template{script.KeyIn(in.Label + ":")},
			Args: []script.Template{now, script.Cost()}}
		for _, a := range args {
			c.Args = append(c.Args, script.Literal(a))
		}
		return c
	}
	program := &script.Program{Label: in.Label, Source: source, Decide: call(in.Args), Decode: script.Contract}
	if in.Init != nil {
		init := call(in.Init)
		program.Init, program.InitSource = &init, source
	}
	if in.Delete != nil {
		// In virtual time both travel in the same way: with as many arguments.
		remove := call(append(slices.Clone(in.Delete), make([]string, len(in.Init)-len(in.Delete))...))
		program.Remove = &remove
	}
	return &Entry{Label: in.Label, Parameters: in.Parameters, Program: program, NewModel: in.NewModel,
		Policy: in.Policy, Gateways: in.Gateways, MostAdmitted: in.MostLetThrough(),
		// what a row with another limit, or one of several nodes, counts is nothing that the limit's window holds
		Counts: in.Spec.Counts() && !c.HasOwnLimit() && in.Gateways == nil,
		TickUS: tick(in), ClientTime: in.ClientTime, Aligned: in.Spec.Traits.Aligned || in.Spec.Traits.Grid}, nil
}

// OnClientTime is a built-in algorithm's entry that goes by the clock of the client that asks, to the microsecond.
func (e *Entry) OnClientTime() *Entry {
	if e.ClientTime {
		return e
	}
	mine, program := *e, *e.Program
	program.Decide.Args = slices.Clone(program.Decide.Args)
	program.Decide.Args[0] = script.NowUS(1)
	mine.Program, mine.ClientTime, mine.TickUS = &program, true, 1
	return &mine
}

// TakesCost reports whether a request's cost reaches the script.
func (e *Entry) TakesCost() bool {
	return slices.ContainsFunc(e.Program.Decide.Args, func(t script.Template) bool {
		return !t.Same(script.Vars{Cost: 1}, script.Vars{Cost: 2})
	})
}

// tick is the step of the clock that ends a rejection: a TTL's millisecond, or the client's granularity.
func tick(in algorithms.Instance) int64 {
	switch {
	case in.Spec.Traits.TTLRule:
		return 1000
	case in.ClientTime:
		return in.GranularityUS
	}
	return 1
}

// Own makes an entry of a user's script and the binding beside it. An error is what script.Load finds wrong.
func Own(file string, p limit.Policy) (*Entry, error) {
	program, err := script.Load(file, p)
	if err != nil {
		return nil, err
	}
	// Its label may be that of an algorithm or of another script, whose keys must not be its own.
	program = program.InKeyspace("own:" + program.Label + ":")
	return &Entry{Label: program.Label, Parameters: map[string]string{}, Program: program, File: file, Policy: p,
		Aligned: true}, nil
}
