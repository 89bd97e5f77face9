package simulate

import (
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
