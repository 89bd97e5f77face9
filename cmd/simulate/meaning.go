package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/report"
	"ratelab/internal/simulate"
	"ratelab/internal/traffic"
)

// choices resolves --algorithms: nil where all are meant.
func (f *flags) choices() ([]algorithms.Choice, error) {
	if f.algorithms == nil {
		return nil, nil
	}
	var all []algorithms.Choice
	for _, label := range f.algorithms {
		c, err := algorithms.Parse(strings.TrimSpace(label))
		if err != nil {
			return nil, usage("--algorithms: %v", err)
		}
		if slices.ContainsFunc(all, func(o algorithms.Choice) bool { return o.Label == c.Label }) {
			return nil, usage("--algorithms %q: named twice", label)
		}
		all = append(all, c)
	}
	return all, nil
}

// policy is --limit with --burst, or nil.
func (f *flags) policy() (*limit.Policy, error) {
	if f.limit == "" {
		if f.all.Changed("burst") {
			return nil, usage("--burst %d: goes with --limit; a scenario's file states its own burst", f.burst)
		}
		return nil, nil
	}
	p, err := limit.ParsePolicy(f.limit)
	if err != nil {
		return nil, usage("--%v", err) // it begins with: limit "…"
	}
	if f.all.Changed("burst") && f.burst < 1 {
		return nil, usage("--burst %d: want 1 to %d", f.burst, limit.MaxRequests)
	}
	p.Burst = f.burst
	if err := p.Validate(); err != nil {
		return nil, usage("--%v", err) // it begins with: burst …
	}
	return &p, nil
}

// chartFormats is --charts as a list; empty for none.
func (f *flags) chartFormats() ([]string, error) {
	if f.charts == "none" {
		return nil, nil
	}
	list := strings.Split(f.charts, ",")
	for _, name := range list {
		if name != "svg" && name != "png" {
			return nil, usage("--charts %q: want svg, png, svg,png or none", f.charts)
		}
	}
	return list, nil
}

// check looks at the flags that are one of a few words.
func (f *flags) check() error {
	if err := f.empty(); err != nil {
		return err
	}
	if !slices.Contains(report.Formats(), f.format) {
		return usage("--format %q: want one of %s", f.format, strings.Join(report.Formats(), ", "))
	}
	if f.clock != simulate.VirtualClock && f.clock != simulate.RealClock {
		return usage("--clock %q: want virtual or real", f.clock)
	}
	if f.longReal && f.clock != simulate.RealClock {
		return usage("--long-real: goes with --clock real")
	}
	return nil
}

// empty refuses a flag that was given without a value, as a script does whose variable is not set.
func (f *flags) empty() error {
	var err error
	f.all.Visit(func(given *pflag.Flag) {
		list, isList := given.Value.(pflag.SliceValue)
		if isList && (len(list.GetSlice()) == 0 || slices.Contains(list.GetSlice(), "")) || given.Value.String() == "" {
			err = usage("--%s %q: an empty value; give one, or leave the flag out", given.Name, strings.Trim(given.Value.String(), "[]"))
		}
	})
	return err
}

// recording is the trace with all that the flags say of it, and every one of them that cannot be meant.
func (f *flags) recording() (traffic.Trace, error) {
	t := f.trace
	t.Format = traffic.Format(f.traceForm)
	t.WithinSecond = traffic.WithinSecond(f.within)
	problems := t.Validate()
	if t.Speed == 0 { // in a file it stands for nothing said
		problems = append(problems, &traffic.FieldError{Field: "speed", Problem: "0 is out of range; want more"})
	}
	for i, err := range problems {
		var field *traffic.FieldError
		if errors.As(err, &field) {
			problems[i] = fmt.Errorf("--%s: %s", flagOf(field.Field), field.Problem)
		}
	}
	if len(problems) > 0 {
		return t, usageError{errors.Join(problems...)}
	}
	return t, nil
}

// flagOf is the flag that sets a trace's field.
func flagOf(field string) string {
	switch field {
	case "file":
		return "trace"
	case "within_second":
		return "within-second"
	}
	return "trace-" + field
}

// strayTraceFlags refuses what would describe a trace where there is none.
func (f *flags) strayTraceFlags() error {
	var err error
	f.all.Visit(func(given *pflag.Flag) {
		if strings.HasPrefix(given.Name, "trace-") || given.Name == "within-second" {
			err = usage("--%s: describes a --trace FILE, and there is none; a scenario's file describes its own", given.Name)
		}
	})
	return err
}
