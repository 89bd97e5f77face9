package bench

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ratelab/internal/counting"
	_ "ratelab/internal/engine"
	"ratelab/internal/limiter"
	"ratelab/internal/load"
	"ratelab/internal/longtest"
	"ratelab/internal/message"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/result"
	"ratelab/internal/scenario"
)

// comparison is of a small scenario on a private server, without instructions.
func comparison(t testing.TB, base, head string) *Comparison {
	t.Helper()
	redistest.Private(t) // or skip
	return &Comparison{
		Sides:     [2]*limiter.Spec{side(t, base, ""), side(t, head, "")},
		Scenarios: []*scenario.Scenario{written(t, small)},
		Server:    redis.KindProcess, WithoutInstructions: true, Clock: load.Wall,
	}
}

// compared is the verdict, of which the gates have these outcomes.
func compared(t *testing.T, c *Comparison, decisions, work, instructions result.Outcome) *result.Verdict {
	t.Helper()
	d, err := c.Run(t.Context())
	var missing *counting.Missing
	switch {
	case errors.As(err, &missing) && os.Getenv("REQUIRE_REDIS") != "1":
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
	v := &d.Verdicts[0]
	for i, want := range []result.Outcome{decisions, work, instructions} {
		if g := v.Gates[i]; g.Outcome != want {
			t.Errorf("%s: %s, want %s: %+v", g.Name, g.Outcome, want, g.Rows)
		}
	}
	return v
}

// The same script is no regression.
func TestTheSameIsNoRegression(t *testing.T) {
	c := comparison(t, "gcra", "gcra")
	r := compared(t, c, result.Same, result.Same, result.Noted)
	if n := len(r.Gates[0].Rows); n != 5 || r.Outcome != result.OK {
		t.Errorf("%d scenarios, %+v", n, r)
	}
}

// Two algorithms decide otherwise, which is said exactly.
func TestAlgorithmsAreCompared(t *testing.T) {
	c := comparison(t, "gcra", "fixed-window")
	c.Scenarios = plain(t)[:1]
	r := compared(t, c, result.Regression, result.Regression, result.Noted)
	if row := r.Gates[0].Rows[0]; row.Limiter != "gcra -> fixed-window" || row.Where != c.Scenarios[0].Name {
		t.Errorf("%+v", row)
	}
}

// Without valgrind nothing is compared, unless instructions are left out.
func TestWithoutValgrind(t *testing.T) {
	c := comparison(t, "gcra", "gcra")
	redis, err := exec.LookPath("redis-server")
	if err != nil {
		t.Fatal(err)
	}
	bare := t.TempDir()
	if err := os.Symlink(redis, filepath.Join(bare, "redis-server")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bare)
	compared(t, c, result.Same, result.Same, result.Noted)
	c.WithoutInstructions = false
	var missing *counting.Missing
	if _, err := c.Run(t.Context()); !errors.As(err, &missing) {
		t.Errorf("%v, want that valgrind is missing", err)
	}
}

// A comparison that is told to stop ends without a report.
func TestAStoppedComparisonHasNoReport(t *testing.T) {
	c := comparison(t, "gcra", "gcra")
	ctx, interrupt := context.WithCancelCause(t.Context())
	c.Progress = at("virtual time", func() { interrupt(message.ErrInterrupted) })
	if r, err := c.Run(ctx); r != nil || !errors.Is(err, message.ErrInterrupted) {
		t.Errorf("%+v, %v", r, err)
	}
}

// A script that fails ends the run, and its error names it.
func TestAFailingScript(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"my.lua":  "if redis.call('INCR', KEYS[1]) > 110 then return 'nonsense' end return 1",
		"my.yaml": `{keys: ["rl:{key}"], admitted: [1], rejected: [0]}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	j := tiny(t)
	j.Scripts, j.WarmUp = []string{filepath.Join(dir, "my.lua")}, time.Second // in which it fails
	if r, err := j.Run(t.Context()); r != nil || err == nil || !strings.Contains(err.Error(), "my: ") ||
		!strings.Contains(err.Error(), "nonsense") {
		t.Errorf("got %v and %v; want an error that names the script and its reply", r, err)
	}
}

// By hand: 10 and 30 decisions with 20 and 40 calls, 1 and 3 keys of 100 and 500 bytes together.
func TestWorkAddsUp(t *testing.T) {
	row := func(offered, keys, withoutTTL int64, calls, bytes float64) *result.Row {
		r := &result.Row{}
		r.Offered, r.KeysLeft, r.KeysWithoutTTL = offered, &keys, &withoutTTL
		r.Commands, r.RoundTrips, r.BytesPerKey = &calls, new(1.), &bytes
		return r
	}
	w := together([]*result.Row{row(10, 1, 0, 2, 100), row(30, 3, 2, 40./30, 500./3)})
	if *w.Commands != 1.5 || *w.BytesPerKey != 150 || *w.KeysLeft != 4 ||
		*w.KeysWithoutTTL != 2 {
		t.Errorf("calls %v, bytes %v, keys %v and %v", *w.Commands, *w.BytesPerKey, *w.KeysLeft, *w.KeysWithoutTTL)
	}
	if w = together(nil); w.Commands != nil || w.BytesPerKey != nil || *w.KeysLeft != 0 {
		t.Errorf("of nothing: %+v", w)
	}
}

// changing is the script of a bucket that keeps its limit, with a statement in its branch for a limit that has changed.
func changing(t *testing.T, statement string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "changing.lua")
	for name, of := range map[string]string{file: "changing.lua",
		strings.TrimSuffix(file, "lua") + "yaml": "changing.yaml"} {
		source, err := os.ReadFile(filepath.Join("..", "run", "testdata", of))
		if err == nil {
			err = os.WriteFile(name, []byte(strings.Replace(string(source), "-- changed", statement, 1)), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return file
}

// A script that resets a bucket whose limit changes decides otherwise, and one that does more work there is dearer on
// that path alone.
func TestAChangedLimitIsAPath(t *testing.T) {
	c := comparison(t, changing(t, ""), changing(t, "used = 0"))
	compared(t, c, result.Regression, result.Same, result.Noted)
	longtest.Skip(t, "counts under valgrind")
	c = comparison(t, changing(t, ""), changing(t, "for i = 1, 2000 do end"))
	c.WithoutInstructions, c.Scenarios = false, nil
	c.States = []string{counting.StateSteady, counting.StateChanged}
	r := compared(t, c, result.Same, result.Same, result.Regression)
	for _, row := range r.Gates[2].Rows {
		if red := row.Outcome == result.Regression; red != strings.HasPrefix(row.Where, "changed at ") {
			t.Errorf("%s: %s", row.Where, row.Statement)
		}
	}
}
