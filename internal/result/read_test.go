package result_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ratelab/internal/longtest"
	"ratelab/internal/result"
	"ratelab/internal/result/resulttest"
)

func saved(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// A folder stands for the file in it, and any line ends will do.
func TestAFolderIsItsFile(t *testing.T) {
	text := written(t, resulttest.ExtremeCase())
	path := saved(t, "result.json", strings.ReplaceAll(text, "\n", "\r\n"))
	if _, err := result.Read(filepath.Dir(path), result.OfSimulate); err != nil {
		t.Error(err)
	}
	for _, of := range []result.Command{result.OfSimulate, result.OfBench} {
		dir := t.TempDir()
		_, err := result.Read(dir, of)
		want := filepath.Join(dir, of.File()) + ": no such file; want a " + of.File() + " of " + string(of)
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// What cannot be vouched for is refused in one line that names the file, the fault and the remedy: what another command
// or version wrote, what was cut short, and what has not the part that it is read for.
func TestReadRefuses(t *testing.T) {
	const tool = `, "tool": {"name": "simulate", "version": "1"}`
	const head = `{"schema_version": 3, "command": "simulate"` + tool
	const want = "; want a result.json of simulate"
	const original = "; use the file as simulate wrote it, or make a new one with simulate"
	for _, c := range []struct{ text, want string }{
		{"", ": is empty" + want},
		{"scenario,algorithm\n", ": is not a JSON document" + want},
		{`{"a": 1}`, ": is not a result of simulate or bench" + want},
		{`{"schema_version": 3, "command": 7` + tool + `}`, ": is not a result of simulate or bench" + want},
		{`{"kind": "Pod", "tool": {"name": "simulate"}}`, ": is not a result of simulate or bench" + want},
		{`{"schema_version": 3, "command": "simulate recommend"` + tool + `}`,
			": was written by simulate recommend" + want},
		{`{"schema_version": 2, "kind": "bench", "tool": {"name": "bench"}}`, ": was written by bench run" + want},
		{`{"schema_version": 2, "kind": "usage"` + tool + `}`, ": was written by simulate limits" + want},
		{`{"schema_version": 4, "command": "simulate"` + tool + `, "new": 1}`,
			": was written by simulate with schema_version 4, but this program reads 3; use the version of " +
				"simulate that wrote it, or a newer one"},
		{`{"schema_version": 2` + tool + `, "runs": []}`,
			": was written by simulate with schema_version 2, but this program reads 3; make a new one with " +
				"simulate, or use the version of simulate that wrote it"},
		{`{"command": "simulate"` + tool + `, "runs": []}`,
			": was written by simulate with schema_version none, but this program reads 3" + original},
		{`{"schema_version": "one", "command": "simulate"` + tool + `, "runs": []}`,
			`: was written by simulate with schema_version \"one\", but this program reads 3` + original},
		{head + `, "notes": []}`, ": it has no runs" + original},
		{head + `, "runs": [], "rnus": []}`, `: unknown field "rnus"` + original},
		{head + `, "runs": [{"results": [{"algorithm": "gcra", "admited": 1}]}]}`,
			`: unknown field "admited"` + original},
		{head + `, "runs": [{"scenario": "s", "results": [{"algorithm": "gcra", "admitted": -5}]}]}`,
			`: scenario "s", row "gcra": admitted is -5` + original},
		{head + `, "runs": [{"scenario": "s", "results": [{"algorithm": "a", ` +
			`"clients": {"groups": [{}, {"attempts": -1}]}}]}]}`,
			`: scenario "s", row "a": clients.groups[1].attempts is -1` + original},
		{head + `, "runs": [{"scenario": "s", "results": [{"algorithm": "a", "guarantee": -0.5}]}]}`,
			`: scenario "s", row "a": guarantee is -0.5` + original},
		{head + `, "runs": [{"scenario": "s", "results": [{"algorithm": "a", "admitted": 3}]}]}`,
			`: scenario "s", row "a": offered 0 is not admitted 3 + rejected 0 + errors 0` + original},
		{head + `, "runs": [{"seed": "x"}]}`, `:1:113: runs.seed is a string` + original},
		{head + `, "runs": []} {}`, ":1:104: broken JSON: invalid character '{' after top-level value" + original},
		{"{\n  \"schema_version\": 3,\n  \"comm", ":3:8: it was cut short: the JSON ends too early" + original},
	} {
		path := saved(t, "result.json", c.text)
		_, err := result.Read(path, result.OfSimulate)
		var bad *result.BadFile
		if !errors.As(err, &bad) || err.Error() != path+c.want {
			t.Errorf("%s\ngives %v\nwant  %s", c.text, err, path+c.want)
		}
	}
}

// What bench shows was measured.
func TestABenchmarkHasAMeasurement(t *testing.T) {
	const text = `{"schema_version": 3, "command": "bench run", "tool": {"name": "bench", "version": "1"}, "runs": []}`
	_, err := result.Read(saved(t, "bench.json", text), result.OfBench)
	if err == nil || !strings.HasSuffix(err.Error(), ": it has no measurement; use the file as bench wrote it, or "+
		"make a new one with bench run") {
		t.Error(err)
	}
}

// Cut anywhere, a file is refused.
func TestEveryCutIsRefused(t *testing.T) {
	good := written(t, resulttest.EveryMeasure())
	for n := 0; n < len(good)-2; n += longtest.Of(97, 499) {
		if _, err := result.Read(saved(t, "result.json", good[:n]), result.OfSimulate); err == nil {
			t.Fatalf("cut after %d of %d bytes it is taken", n, len(good))
		}
	}
}
