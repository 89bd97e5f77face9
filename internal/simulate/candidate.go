package simulate

import (
	"errors"
	"fmt"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/script"
)

// candidate is one row to be: a script with its call, and, for a built-in algorithm, the Go model.
type candidate struct {
	label      string
	parameters map[string]string
	program    *script.Program
	model      func() limit.Limiter // nil for a user's script
	file       string               // of a user's script
}

// builtin makes a candidate of an algorithm for one limit.
func builtin(c algorithms.Choice, p limit.Policy) (*candidate, error) {
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
		c := script.Call{Keys: []script.Template{script.KeyIn(in.Label + ":")}, Args: []script.Template{now, script.Cost()}}
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
	return &candidate{label: in.Label, parameters: in.Parameters, program: program, model: in.NewModel}, nil
}

// own makes a candidate of a user's script.
func own(file string, p limit.Policy) (*candidate, error) {
	program, err := script.Load(file, p)
	if err != nil {
		return nil, err
	}
	// Its label may be that of an algorithm or of another script, whose keys must not be its own.
	program = program.InKeyspace("own:" + program.Label + ":")
	return &candidate{label: program.Label, parameters: map[string]string{}, program: program, file: file}, nil
}

// candidates are the rows of one scenario, in their order. Every error is reported.
func (j *Job) candidates(choices []algorithms.Choice, parameters map[string]map[string]string, p limit.Policy) ([]*candidate, error) {
	var all []*candidate
	var problems []error
	seen := map[string]bool{}
	add := func(c *candidate, err error) {
		switch {
		case err != nil:
			problems = append(problems, err)
		case seen[c.label]:
			problems = append(problems, fmt.Errorf("%q would be two rows of the same name; give the script another name in its binding", c.label))
		default:
			seen[c.label] = true
			all = append(all, c)
		}
	}
	for _, choice := range choices {
		choice, err := choice.WithDefaults(parameters[choice.Spec.Name])
		if err == nil {
			add(builtin(choice, p))
		} else {
			add(nil, err)
		}
	}
	for _, file := range j.Scripts {
		add(own(file, p))
	}
	return all, errors.Join(problems...)
}
