package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"ratelab/internal/atomicfile"
	"ratelab/internal/examine"
	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/redis"
	"ratelab/internal/report"
	"ratelab/internal/result"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
)

const usage = `usage: go run . [flags] [library …]

Have limiters' libraries decide scenarios in virtual time, or examine them (default: all of both).
Exit codes: 0 ok, 1 a fault that -examine found, 2 usage, 3 the harness could not run.
`

// flags are the flags of the command.
type flags struct {
	scenarios, limit, redis, out string
	burst                        int64
	examine                      bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	code, err := do(ctx, os.Args[1:], os.Stdout, os.Stderr)
	if err != nil {
		fmt.Fprintf(os.Stderr, "libraries: %v\n", err)
	}
	os.Exit(code)
}

// do runs the command, and returns the exit code.
func do(ctx context.Context, args []string, out, told io.Writer) (int, error) {
	var f flags
	fs := flag.NewFlagSet("libraries", flag.ContinueOnError)
	fs.SetOutput(told)
	fs.Usage = func() { fmt.Fprint(told, usage); fs.PrintDefaults() }
	fs.StringVar(&f.scenarios, "scenario", "", "scenarios, with commas between them; all built-in ones")
	fs.StringVar(&f.limit, "limit", "", "instead of a scenario's own, such as 100/1m")
	fs.Int64Var(&f.burst, "burst", 0, "how many the limit allows at once, by bucket")
	fs.StringVar(&f.redis, "redis", redis.KindProcess, "process, container or embedded")
	fs.BoolVar(&f.examine, "examine", false, "examine the libraries")
	fs.StringVar(&f.out, "out", "", "write the document, which simulate --with reads, to this file")
	if fs.Parse(args) != nil {
		return 2, nil
	}
	chosen, err := choose(fs.Args())
	policy, wrong := f.policy()
	if err = errors.Join(err, wrong); err != nil {
		return 2, err
	}
	var doc *result.Document
	forms := *report.Simulated{Several: true}.Formats()
	if f.examine {
		forms = examine.Forms
		doc, err = f.examined(ctx, chosen, policy)
	} else {
		doc, err = f.played(ctx, chosen, policy, told)
	}
	if err == nil && f.out != "" {
		err = atomicfile.Write(f.out, func(w io.Writer) error { return result.Write(w, doc) })
	}
	if err == nil {
		err = forms.Write(out, report.TableFormat, doc, report.Terminal{})
	}
	if err != nil {
		return 3, err
	}
	for _, e := range doc.Examinations {
		if e.Faults() > 0 {
			return 1, nil
		}
	}
	return 0, nil
}

// choose returns the libraries with the names, or all if there are no names.
func choose(names []string) (chosen []*library, err error) {
	for _, name := range names {
		if find(name) == nil {
			err = errors.Join(err, fmt.Errorf("%q: no such library; see go run . -help", name))
		}
		chosen = append(chosen, find(name))
	}
	if len(names) == 0 {
		chosen = libraries
	}
	return chosen, err
}

// policy returns the limit of the flags, or nil.
func (f *flags) policy() (*limit.Policy, error) {
	if f.limit == "" {
		return nil, nil
	}
	p, err := limit.ParsePolicy(f.limit)
	if f.burst > 0 {
		p.Burst, p.Contract = f.burst, limit.ByBucket
	}
	return &p, err
}

// played lets the libraries decide the scenarios that suit them. It prints which ones do not, or have failed.
func (f *flags) played(ctx context.Context, chosen []*library, policy *limit.Policy, told io.Writer) (*result.Document,
	error) {
	names := scenario.Names()
	if f.scenarios != "" {
		names = strings.Split(f.scenarios, ",")
	}
	doc := result.New(result.OfSimulate, "")
	for _, name := range names {
		s, err := scenario.Load(name)
		if err != nil {
			return nil, err
		}
		var all result.Run
		for _, l := range chosen {
			one, err := f.playedBy(ctx, s, l, policy)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil {
				fmt.Fprintf(told, "%s: %s: %v\n", s.Name, l.label(), err)
				continue
			}
			one.Results, all = append(all.Results, one.Results...), *one
			all.Results, all.Expectations = one.Results, []result.Expectation{} // those of algorithms
		}
		if all.Results != nil {
			doc.Runs = append(doc.Runs, all)
		}
	}
	return doc, nil
}

// playedBy returns a run with the row of one library.
func (f *flags) playedBy(ctx context.Context, s *scenario.Scenario, l *library, policy *limit.Policy) (*result.Run,
	error) {
	p := run.NewPlan(s, run.Instead{Limit: policy})
	one, err := l.under(p.Policy)
	if err == nil && len(s.Managed) > 0 {
		err = errors.New("its limits are not deleted and configured")
	}
	for q, wrong := range p.Stream.Requests() {
		if err = errors.Join(err, wrong); err == nil && q.Cost != 1 && !l.costs {
			err = errors.New("it takes no costs")
		}
		if err != nil {
			return nil, err
		}
	}
	p.Limiters = []*limiter.Limiter{one}
	on, err := start(ctx, f.redis)
	defer on.Close()
	if err != nil {
		return nil, err
	}
	found, _, err := run.Play(ctx, &p, on)
	if err != nil {
		return nil, err
	}
	trips := float64(on.trips) / float64(max(1, on.decisions))
	found.Results[0].ScriptSHA1, found.Results[0].RoundTrips = "", &trips
	return found, nil
}

// examined examines libraries. Each is examined at the given limit, or at 100 in a minute, or at 100 in a second.
func (f *flags) examined(ctx context.Context, chosen []*library, policy *limit.Policy) (*result.Document, error) {
	doc := result.New(result.OfExamine, "")
	for _, l := range chosen {
		asked := cmp.Or(policy, &examine.Standard)
		if _, err := l.under(*asked); err != nil && policy == nil {
			asked = &limit.Policy{Requests: 100, Window: time.Second} // all libraries support this
		}
		on, err := start(ctx, f.redis)
		defer on.Close()
		var e *result.Examination
		if err == nil {
			script := examine.Script{At: l.under, Asked: asked, Costs: l.costs, Engine: on}
			e, err = script.Examine(ctx)
		}
		if err = on.Clean(ctx, err); err != nil {
			return nil, fmt.Errorf("%s: %w", l.label(), err)
		}
		about := on.About()
		e.Server = &about
		// the keys of libraries are unknown
		e.Checked = slices.DeleteFunc(e.Checked, func(s string) bool { return s == "a cluster" })
		doc.Examinations = append(doc.Examinations, *e)
	}
	return doc, nil
}
