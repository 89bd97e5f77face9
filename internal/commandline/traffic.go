package commandline

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/scenario"
	"ratelab/internal/traffic"
)

// Traffic is the flags that describe recorded traffic, to be used instead of a scenario.
type Traffic struct {
	Streams Streams // with the standard input that --trace - reads

	trace  traffic.Trace
	files  []string
	form   string
	within string
}

// Register adds the flags to fs.
func (t *Traffic) Register(fs *pflag.FlagSet) {
	fs.StringArrayVar(&t.files, "trace", nil, "a log as the only scenario: `FILE`, plain or gzip, or - for standard "+
		"input; given again, the files are one log")
	fs.StringVar(&t.form, "trace-format", "",
		"`FORMAT`: combined (Apache, nginx), csv or jsonl (default: told by the first line)")
	fs.StringVar(&t.trace.Key, "trace-key", "",
		"`COLUMN` or field that the limit is for, or several, a+b (combined log: "+
			strings.Join(traffic.CombinedKeys, ", ")+")")
	fs.StringVar(&t.trace.Time, "trace-time", "", "`COLUMN` or field with the time; needed for csv and jsonl")
	fs.StringVar(&t.trace.Cost, "trace-cost", "",
		"`COLUMN` or field with the cost, or a sum such as a+b (default 1 each)")
	fs.Float64Var(&t.trace.Speed, "trace-speed", 1, "play `TIMES` as fast")
	fs.Int64Var(&t.trace.Skip, "trace-skip", 0, "leave out the first `N` requests")
	fs.Int64Var(&t.trace.Limit, "trace-limit", 0, "take `N` requests at most (default all)")
	fs.Int64Var(&t.trace.Bad, "trace-bad", 0, "leave out up to `N` lines that are no requests, and say which")
	fs.StringVar(&t.within, "within-second", "",
		"`RULE` for requests whose time is a whole second: even, uniform or at_once (default even)")
}

// Completions are the values that a shell offers for the flags.
func (t *Traffic) Completions() map[string][]string {
	return map[string][]string{"trace-format": texts(traffic.Formats), "within-second": texts(traffic.WithinSeconds)}
}

// HasTrace reports whether there is a trace.
func (t *Traffic) HasTrace() bool { return len(t.files) > 0 }

// Traces are the files of the trace, as they were named.
func (t *Traffic) Traces() []string { return t.files }

// Scenarios are those that args name, or the trace as the only one, or what otherwise makes. The policy is the one
// of --limit.
func (t *Traffic) Scenarios(args []string, p *limit.Policy, given *Groups,
	otherwise func() ([]*scenario.Scenario, error)) ([]*scenario.Scenario, error) {
	if t.HasTrace() {
		return t.only(args, p)
	}
	stray := given.FirstGiven(func(name string) bool {
		return strings.HasPrefix(name, "trace-") ||
			name == "within-second"
	})
	if stray != "" {
		return nil, Usage("--%s: describes a --trace FILE, and there is none; a scenario's file describes its own",
			stray)
	}
	if len(args) == 0 {
		return otherwise()
	}
	return LoadScenarios(args)
}

// LoadScenarios loads what is named, built in or a file, and tells everything that is wrong with any of it.
func LoadScenarios(args []string) ([]*scenario.Scenario, error) {
	var all []*scenario.Scenario
	var problems []error
	named := map[string]string{}
	for _, arg := range args {
		s, err := scenario.Load(arg)
		switch {
		case err != nil:
			problems = append(problems, err)
		case named[s.Name] == arg:
			problems = append(problems, fmt.Errorf("%s: named twice", message.Quote(arg)))
		case named[s.Name] != "":
			problems = append(problems, fmt.Errorf("%s and %s would be two scenarios named %s; rename one",
				named[s.Name], arg, s.Name))
		default:
			named[s.Name] = arg
			all = append(all, s)
		}
	}
	if len(problems) > 0 {
		return nil, Exit(ExitUsage, errors.Join(problems...))
	}
	return all, nil
}

// CompleteScenarios offers a shell the built-in scenarios, and files.
func CompleteScenarios(_ *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	return scenario.Names(), cobra.ShellCompDirectiveDefault
}

// only is the trace as the only scenario.
func (t *Traffic) only(args []string, p *limit.Policy) ([]*scenario.Scenario, error) {
	if len(args) > 0 {
		return nil, Usage("%s: --trace is the only scenario; leave out the other", message.Quote(args[0]))
	}
	if p == nil {
		return nil, Usage("--trace needs a --limit, such as --limit 100/1m; which fit the log says simulate limits "+
			"--trace %s, and which keep what must hold simulate tune", message.Path(t.files[0]))
	}
	trace, err := t.described()
	if err != nil {
		return nil, err
	}
	if trace, err = t.Streams.reads(trace); err != nil {
		return nil, err
	}
	s, err := scenario.FromTrace(trace, *p)
	if err != nil {
		return nil, Usage("--trace: %w", err)
	}
	return []*scenario.Scenario{s}, nil
}

// described is the trace with all that the flags say of it, or every one of them that cannot be meant.
func (t *Traffic) described() (traffic.Trace, error) {
	trace := t.trace
	trace.File, trace.More = t.files[0], t.files[1:]
	trace.Format, trace.WithinSecond = traffic.Format(t.form), traffic.WithinSecond(t.within)
	problems := trace.Validate()
	if trace.Speed == 0 { // in a file it stands for nothing said
		problems = append(problems, &traffic.FieldError{Field: "speed", Problem: "0 is out of range; want more"})
	}
	for i, err := range problems {
		var field *traffic.FieldError
		if errors.As(err, &field) {
			problems[i] = fmt.Errorf("--%s: %s", flagOf(field.Field), field.Problem)
		}
	}
	if len(problems) > 0 {
		return trace, Exit(ExitUsage, errors.Join(problems...))
	}
	return trace, nil
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
