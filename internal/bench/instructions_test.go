package bench

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ratelab/internal/callgrind"
	"ratelab/internal/callgrind/callgrindtest"
	"ratelab/internal/compare"
	"ratelab/internal/costresult"
	"ratelab/internal/limit"
	"ratelab/internal/longtest"
	"ratelab/lua"
)

// lostFastPath writes gcra.lua without its fast path into a folder.
func lostFastPath(t *testing.T) string {
	t.Helper()
	source, err := lua.Source("gcra")
	if err != nil {
		t.Fatal(err)
	}
	slow := strings.Replace(source, "if time and before > 0 and", "if false and", 1)
	if slow == source {
		t.Fatal("the fast path is elsewhere")
	}
	file := filepath.Join(t.TempDir(), "gcra.lua")
	if err := os.WriteFile(file, []byte(slow), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// Without its fast path gcra is dearer on the path that takes it, which is named, and dearer than the pinned release.
// No time is measured then.
func TestALostFastPathIsARegressionOfItsPath(t *testing.T) {
	longtest.Skip(t, "counts under valgrind")
	c := comparison(t, "gcra", lostFastPath(t))
	c.Pinned = filepath.Join("..", "..", "lua")
	p, err := c.plan()
	if err != nil {
		t.Fatal(err)
	}
	r := newPairRun(p)
	r.limits = []limit.Policy{{Requests: 10, Window: time.Second}}
	r.States = []string{costresult.First, costresult.Burst}
	r.Instructions = CountOrFail
	if err := r.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	found, err := r.played(t.Context())
	callgrindtest.Check(t, err)
	for _, g := range compare.Paired(found).Gates {
		if g.Name != compare.GateInstructions {
			continue
		}
		red := map[string]bool{}
		for _, row := range g.Rows {
			red[row.Where] = red[row.Where] || row.Outcome == compare.Regression
		}
		want := map[string]bool{"first at 10/1s": false, "burst at 10/1s": true,
			"first at 10/1s, against pinned": false, "burst at 10/1s, against pinned": true}
		if fmt.Sprint(red) != fmt.Sprint(want) {
			t.Errorf("regressions %v, want %v: %+v", red, want, g.Rows)
		}
	}
	if len(found.Rows[0].Pairs) > 0 || found.Untimed == "" {
		t.Errorf("%d pairs were measured, because %q", len(found.Rows[0].Pairs), found.Untimed)
	}
}

// Without valgrind nothing is counted: that is an error where somebody insists, and else a reason.
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
	c.Untimed, c.Instructions = true, CountIfPossible
	found, err := c.Run(t.Context())
	if err != nil || !strings.Contains(found.Counted.LeftOut, "valgrind: not on PATH") {
		t.Errorf("%v; counted %+v", err, found.Counted)
	}
	c.Instructions = CountOrFail
	var missing *callgrind.Missing
	if _, err := c.Run(t.Context()); !errors.As(err, &missing) {
		t.Errorf("%v, want that valgrind is missing", err)
	}
}

// What does not go with counting is refused by its flag.
func TestCountingThatIsRefused(t *testing.T) {
	for want, c := range map[string]*Comparison{
		"--pinned nowhere: there is no gcra.lua in it": {Base: SideSpec{Spec: "gcra"}, Head: SideSpec{Spec: "gcra"},
			Pinned: "nowhere"},
		"--pinned goes with two scripts": {Base: SideSpec{Spec: "redis:7.0"}, Head: SideSpec{Spec: "redis:8.0"},
			Pinned: "nowhere"},
		"--instructions: the sides are servers": {Base: SideSpec{Spec: "redis:7.0"}, Head: SideSpec{Spec: "redis:8.0"},
			Instructions: CountOrFail},
		"--instructions: a server that runs already": {Base: SideSpec{Spec: "gcra"}, Head: SideSpec{Spec: "gcra"},
			Server: "redis://127.0.0.1:1", Instructions: CountOrFail},
	} {
		var bad *InputError
		if err := c.Check(); !errors.As(err, &bad) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
}
