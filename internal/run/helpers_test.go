package run_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ratelab/algorithms"
	"ratelab/internal/accesslog"
	"ratelab/internal/engine"
	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/load"
	"ratelab/internal/message"
	"ratelab/internal/redis"
	"ratelab/internal/replay"
	"ratelab/internal/result"
	. "ratelab/internal/run"
	"ratelab/internal/scenario"
	"ratelab/internal/script"
	"ratelab/internal/traffic"
)

// asked is an Ask and the server that decides.
type asked struct {
	*Ask
	Server  string        // ModelServer, or a spec of a server
	Running *redis.Server // decides instead of Server; nil: none
	Clock   replay.Clock
}

// job is one on the models.
func job(list ...*scenario.Scenario) *asked {
	return &asked{Ask: &Ask{Scenarios: list, Version: "test"}, Server: ModelServer, Clock: load.Wall}
}

// with starts the server for f.
func (a *asked) with(ctx context.Context, f func(Engine) error) error {
	switch {
	case a.Running != nil:
		e := engine.On(ctx, a.Running, a.Clock)
		defer e.Close()
		return f(e)
	case a.Server == ModelServer:
		return f(nil)
	}
	e, err := engine.Start(ctx, engine.Spec{Redis: a.Server, Foreign: a.Scripts != nil, Clock: a.Clock})
	if err != nil {
		return err
	}
	defer e.Close()
	return f(e)
}

func (a *asked) Run(ctx context.Context) (found *Result, err error) {
	plans, err := a.Plans()
	if err != nil {
		return nil, err
	}
	return a.Play(ctx, plans)
}

func (a *asked) Play(ctx context.Context, plans []*Plan) (found *Result, err error) {
	err = a.with(ctx, func(e Engine) (err error) {
		found, err = a.Ask.Play(ctx, plans, e)
		return err
	})
	return found, err
}

func (a *asked) Compare(ctx context.Context, base, head *limiter.Spec, limits []limit.Policy) (c *Comparison,
	err error) {
	err = a.with(ctx, func(e Engine) (err error) {
		c, err = a.Ask.Compare(ctx, e, base, head, limits)
		return err
	})
	return c, err
}

// interruptible is the test's context, and a function that interrupts it.
func interruptible(t testing.TB) (ctx context.Context, interrupt func()) {
	ctx, cancel := context.WithCancelCause(t.Context())
	return ctx, func() { cancel(message.ErrInterrupted) }
}

// builtinScenarios are those of the names.
func builtinScenarios(t testing.TB, names ...string) []*scenario.Scenario {
	t.Helper()
	var all []*scenario.Scenario
	for _, name := range names {
		s, err := scenario.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

// written is a scenario from its file's text, whose name is in its first line.
func written(t testing.TB, text string) *scenario.Scenario {
	t.Helper()
	name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(text), "name: "), "\n")
	s, err := scenario.Parse(name+".yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func choices(t testing.TB, labels ...string) []algorithms.Choice {
	t.Helper()
	var all []algorithms.Choice
	for _, label := range labels {
		c, err := algorithms.Parse(label)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

// run does the job, which must come to its end.
func run(t testing.TB, j *asked) *Result { return runUntil(t, t.Context(), j) }

// runUntil does the job until ctx ends.
func runUntil(t testing.TB, ctx context.Context, j *asked) *Result {
	t.Helper()
	result, err := j.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// rowOf is the line of that label in a run.
func rowOf(t testing.TB, r result.Run, label string) result.Row {
	t.Helper()
	for _, row := range r.Results {
		if row.Algorithm == label {
			return row
		}
	}
	t.Fatalf("%s has no row %q", r.Scenario, label)
	return result.Row{}
}

func labelsOf(r result.Run) []string {
	var labels []string
	for _, row := range r.Results {
		labels = append(labels, row.Algorithm)
	}
	return labels
}

// asJSON is a document as it is written down.
func asJSON(t testing.TB, r *Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := result.Write(&b, &r.Document); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// runOn does the job on a server that is running already.
func runOn(t testing.TB, j *asked, s *redis.Server) *Result {
	t.Helper()
	j.Running = s
	return run(t, j)
}

// files are users' scripts by their names.
func files(names ...string) []script.File { return script.Files(names) }

// scriptFile writes a user's script and its binding, and gives its path.
func scriptFile(t testing.TB, name, source, binding string) string {
	t.Helper()
	dir := t.TempDir()
	for file, text := range map[string]string{name + ".lua": source, name + ".yaml": binding} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, name+".lua")
}

func policy(t testing.TB, text string) *limit.Policy {
	t.Helper()
	p, err := limit.ParsePolicy(text)
	if err != nil {
		t.Fatal(err)
	}
	return &p
}

// evenly is a scenario of n requests in a second, with the limit and what else its file says.
func evenly(t testing.TB, name string, n int, rest string) *scenario.Scenario {
	t.Helper()
	return written(t, fmt.Sprintf(`name: %s
question: What is admitted of a steady second?
limit: {requests: 10, per: 1s}
phases:
  - {name: steady, duration: 1s, constant: %d}
%s`, name, n, rest))
}

// traceOf is a CSV file, with the columns at (ms since 1970) and who, as the only phase.
func traceOf(file string) []traffic.Phase {
	return []traffic.Phase{{Name: "trace",
		Trace: &accesslog.Trace{File: file, Format: accesslog.CSV, Time: "at", Key: "who"}}}
}

// addFile writes a file beside another one.
func addFile(t testing.TB, beside, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(filepath.Dir(beside), name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
