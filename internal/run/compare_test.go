package run_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/longtest"
	"ratelab/internal/redis"
	. "ratelab/internal/run"
	"ratelab/internal/scenario"
	"ratelab/internal/script"
	"ratelab/internal/traffic"
)

// changed writes a version of a built-in script in which one text stands for another, to be called as that one is.
func changed(t *testing.T, name, old, new string) *limiter.Spec {
	t.Helper()
	choice, err := algorithms.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	source := choice.Algorithm.Script()
	if !strings.Contains(source, old) {
		t.Fatalf("%s has no %q", name, old)
	}
	file := filepath.Join(t.TempDir(), name+".lua")
	if err := os.WriteFile(file, []byte(strings.Replace(source, old, new, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	return candidate(t, file)
}

func candidate(t *testing.T, name string) *limiter.Spec {
	t.Helper()
	c, err := limiter.SpecOf(script.OnDisk(name), "")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func limits(t *testing.T, texts ...string) (all []limit.Policy) {
	for _, text := range texts {
		all = append(all, *policy(t, text))
	}
	return all
}

// compared is what became of the two sides under the limits, and in the scenarios alone.
func compared(t *testing.T, base, head *limiter.Spec, at []limit.Policy, names ...string) *Comparison {
	t.Helper()
	j := job(builtinScenarios(t, names...)...)
	j.Server = redis.KindEmbedded
	if j.Scenarios == nil {
		j.Scenarios = []*scenario.Scenario{}
	}
	c, err := j.Compare(t.Context(), base, head, at)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A counter that lets one more in decides as one with a limit of one more does: models of the two say, in a loop of
// their own, which request is the first that they decide otherwise, and what either admits.
func TestOneTooManyIsNamed(t *testing.T) {
	p := limits(t, "7/3s")[0]
	c := compared(t, candidate(t, "fixed-window"), changed(t, "fixed-window", "tonumber(ARGV[3]),",
		"tonumber(ARGV[3]) + 1,"), []limit.Policy{p})
	var models [2]limit.Model
	for i, requests := range []int64{p.Requests, p.Requests + 1} {
		choice, err := algorithms.Parse("fixed-window")
		if err != nil {
			t.Fatal(err)
		}
		in, err := choice.Under(limit.Policy{Requests: requests, Window: p.Window})
		if err != nil {
			t.Fatal(err)
		}
		models[i] = in.NewModel()
	}
	var requests int64
	var admitted [2]int64
	var want *DifferenceError
	for q := range traffic.Edges(p, 1, false).Requests() {
		requests++
		at := scenario.DefaultStart.UnixMicro() + q.AtUS
		was, is := models[0].Decide(at, at, q.Key, q.Cost), models[1].Decide(at, at, q.Key, q.Cost)
		admitted[0] += int64(was.Verdict)
		admitted[1] += int64(is.Verdict)
		if was.Verdict != is.Verdict && want == nil {
			want = &DifferenceError{Number: requests, Request: q, Model: was, Server: is}
		}
	}
	if c.Parts == nil || c.First == nil || want == nil {
		t.Fatalf("parts in %v, first %v, want %v", c.Parts, c.First, want)
	}
	if f := c.First; f.Number != want.Number || f.Request != want.Request || f.Model.Verdict != want.Model.Verdict ||
		f.Server.Verdict != want.Server.Verdict {
		t.Errorf("first %v, want %v", f, want)
	}
	for i, row := range c.Parts.Results {
		if row.Algorithm != []string{"base", "head"}[i] || row.Offered != requests || row.Admitted != admitted[i] {
			t.Errorf("row %d: %s admits %d of %d, want %d of %d", i, row.Algorithm, row.Admitted, row.Offered,
				admitted[i], requests)
		}
	}
}

// A script is as itself, with every built-in one, whatever its file is called.
func TestTheSameScriptIsTheSame(t *testing.T) {
	names := []string{"gcra"}
	if longtest.All() {
		names = algorithms.Names()
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := compared(t, candidate(t, name), changed(t, name, "", "-- the same\n"),
				limits(t, "10/1s"), "extreme-case-2")
			if c.Parts != nil || c.First != nil || len(c.Document.Runs) < 2 {
				t.Errorf("%d runs, parts in %v: %v", len(c.Document.Runs), c.Parts, c.First)
			}
			rows := c.Document.Runs[0].Results
			if rows[0].ScriptSHA1 == rows[1].ScriptSHA1 {
				t.Error("both sides ran one source")
			}
		})
	}
}

// What a script does with a key that its limit or the clock has made impossible is compared, too.
func TestKeysOfAnotherLimitOrClockAreCompared(t *testing.T) {
	head := changed(t, "gcra", "if changed then wait = full end", "if changed then wait = wait end")
	c := compared(t, candidate(t, "gcra"), head, limits(t, "10/1s"))
	if c.Parts == nil {
		t.Errorf("the same on %d runs", len(c.Document.Runs))
	}
}

// A shaper that admits the same requests after another delay decides otherwise.
func TestAnotherDelayIsAnotherDecision(t *testing.T) {
	c := compared(t, candidate(t, "leaky-bucket"), candidate(t, "gcra"), nil, "extreme-case-1")
	if c.Parts == nil || c.First == nil || c.First.Model.DelayUS == c.First.Server.DelayUS ||
		c.First.Model.Allowed() != c.First.Server.Allowed() {
		t.Errorf("parts in %v: %v", c.Parts, c.First)
	}
}

// Another number of commands, and another remaining, are no other decision.
func TestWhatIsToldIsNotCompared(t *testing.T) {
	head := changed(t, "fixed-window", "return {1, ", "redis.call('EXISTS', KEYS[1]) return {1, 1 + ")
	if c := compared(t, candidate(t, "fixed-window"), head, limits(t, "10/1s")); c.Parts != nil {
		t.Errorf("parts in %s", c.Parts.Scenario)
	}
}

// On one server the two sides do not share keys.
func TestSidesOnOneServerKeepApart(t *testing.T) {
	j := job()
	j.Server = redis.KindProcess
	j.Scenarios = builtinScenarios(t, "extreme-case-2")
	c, err := j.Compare(t.Context(), candidate(t, "gcra"), changed(t, "gcra", "", "-- the same\n"), nil)
	var none *redis.Unavailable
	if errors.As(err, &none) && os.Getenv("REQUIRE_REDIS") == "" {
		t.Skip(err)
	}
	if err != nil || c.Parts != nil {
		t.Errorf("%v: %+v", err, c)
	}
}

// A comparison can be told to stop, and says so.
func TestAComparisonStops(t *testing.T) {
	j := job(builtinScenarios(t, "extreme-case-1", "extreme-case-2")...)
	ctx, interrupt := interruptible(t)
	j.Progress = stopper(interrupt)
	j.Server = redis.KindEmbedded
	c, err := j.Compare(ctx, candidate(t, "gcra"), candidate(t, "gcra"), nil)
	if err != nil || !c.Interrupted || len(c.Document.Runs) > 1 {
		t.Errorf("%v: interrupted %v, %d runs", err, c.Interrupted, len(c.Document.Runs))
	}
}

// Everything that is wrong is told at once.
func TestBadComparisons(t *testing.T) {
	j := job(builtinScenarios(t, "retrying-clients", "extreme-case-1")...)
	_, err := j.Compare(t.Context(), candidate(t, filepath.Join(t.TempDir(), "limiter.lua")), candidate(t, "gcra"), nil)
	if err == nil || !strings.Contains(err.Error(), "retrying-clients") || !strings.Contains(err.Error(), "--base: ") {
		t.Error(err)
	}
}

// Under a limit that neither side can be called with, nothing is compared; where that is all there is, it is an error.
func TestALimitOfNeitherSideIsLeftOut(t *testing.T) {
	file := filepath.Join(t.TempDir(), "limiter.lua")
	binding := "keys: ['{key}']\nargs: ['{window_s}']\nadmitted: [1]\n"
	if err := errors.Join(os.WriteFile(file, []byte("return 1"), 0o600),
		os.WriteFile(strings.TrimSuffix(file, "lua")+"yaml", []byte(binding), 0o600)); err != nil {
		t.Fatal(err)
	}
	both := limits(t, "10/500ms", "10/1s")
	c := compared(t, candidate(t, file), candidate(t, file), both)
	if len(c.Document.Runs) != 2 || len(c.LeftOut) != 2 || // with clocks that step, too
		!strings.HasPrefix(c.LeftOut[0], "generated at 10/500ms is left out: ") {
		t.Errorf("%d runs, %q", len(c.Document.Runs), c.LeftOut)
	}
	j := job()
	j.Scenarios = []*scenario.Scenario{}
	if _, err := j.Compare(t.Context(), candidate(t, file), candidate(t, file), both[:1]); err == nil ||
		!strings.HasPrefix(err.Error(), "nothing to compare: ") {
		t.Error(err)
	}
}

// sideWith is the script of testdata/changing.lua, with a statement in its branch for a limit that has changed.
func sideWith(t *testing.T, statement string) *limiter.Spec {
	t.Helper()
	file := filepath.Join(t.TempDir(), "changing.lua")
	for name, text := range map[string]string{file: "changing.lua",
		strings.TrimSuffix(file, "lua") + "yaml": "changing.yaml"} {
		source, err := os.ReadFile(filepath.Join("testdata", text))
		if err == nil {
			err = os.WriteFile(name, []byte(strings.Replace(string(source), "-- changed", statement, 1)), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return candidate(t, file)
}

// What a script decides only where its limit has changed is compared, too.
func TestALimitThatChangesIsCompared(t *testing.T) {
	c := compared(t, sideWith(t, ""), sideWith(t, "used = 0"), limits(t, "10/1s"))
	if c.Parts == nil || c.First == nil {
		t.Errorf("parts in %v, first %v", c.Parts, c.First)
	}
}

// TIME moves on both sides where a user's script asks for it: a log that names its entries after it decides as the
// exact one does, also where an entry leaves the window in the very microsecond of a request.
func TestTimeMovesOnBothSides(t *testing.T) {
	own := candidate(t, filepath.Join("testdata", "named-after-time.lua"))
	c := compared(t, candidate(t, "sliding-window-log"), own, nil, "retry-storm")
	if c.Parts != nil {
		t.Errorf("parts in %s: %v", c.Parts.Scenario, c.First)
	}
	for _, row := range c.Document.Runs[0].Results {
		if row.Admitted != 1000 {
			t.Errorf("%s admits %d of retry-storm, want 1000", row.Algorithm, row.Admitted)
		}
	}
}
