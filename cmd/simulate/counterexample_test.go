package main

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"ratelab/internal/cli"
	"ratelab/internal/longtest"
)

// The chart of a fault shows what simulate decides of the scenario beside it: the script's decisions, and those of a
// right limiter, which is a built-in one.
func TestChartsOfFaultsShowTheScenario(t *testing.T) {
	cases := []struct{ archive, limit, kind, right string }{
		{"counts_rejected", "20/7s", "counts-rejected", "sliding-window-log"},
		{"no_limit", "30/1s", "no-limit", "token-bucket"},
		{"ignores_cost", "20/7s", "ignores-cost", "fixed-window"},
		{"expires_early", "20/7s", "expires-early", "fixed-window"},
		{"client_clock", "20/7s", "client-clock", "token-bucket"},
	}
	for _, c := range cases[:longtest.Of(len(cases), 2)] {
		archive, err := txtar.ParseFile("../../internal/examine/testdata/" + c.archive + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		for _, f := range archive.Files {
			write(t, filepath.Join(dir, f.Name), string(f.Data))
		}
		var stdout, stderr bytes.Buffer
		shown, lua := filepath.Join(dir, "shown"), filepath.Join(dir, "both.lua")
		args := []string{"examine", lua, "--limit", c.limit, "--redis", "embedded", "--out", shown, "--charts", "svg"}
		code := program(t.Context(), args, cli.Streams{Stdout: &stdout, Stderr: &stderr})
		if code != cli.ExitMissed {
			t.Fatalf("%s: exit code %d: %s", c.archive, code, &stderr)
		}
		base, decided := filepath.Join(shown, "both."+c.kind), filepath.Join(dir, "decided.csv")
		output(t, base+".yaml", "--script", lua, "-a", c.right, "--redis", "embedded", "--charts", "none", "--out",
			filepath.Join(dir, "out"), "--decisions", decided)
		picture, chart := readCSV(t, base+".csv"), readCSV(t, decided)
		for column, label := range map[string]string{"admitted": "both", "right": c.right} {
			var want []string
			for i, name := range chart["algorithm"] {
				if name == label {
					want = append(want, chart["t_us"][i]+" "+chart["cost"][i]+" "+chart["allowed"][i])
				}
			}
			var got []string
			for i := range picture["t_us"] {
				got = append(got, picture["t_us"][i]+" "+picture["cost"][i]+" "+picture[column][i])
			}
			if len(got) == 0 || !slices.Equal(got, want) {
				t.Errorf("%s: %s in the chart is\n%s\nand %s decides\n%s", c.archive, column, strings.Join(got, "\n"),
					label, strings.Join(want, "\n"))
			}
		}
		if svg, err := os.ReadFile(base + ".svg"); err != nil || !bytes.Contains(svg, []byte(">both: ")) {
			t.Errorf("%s has no picture: %v", base, err)
		}
	}
}

// readCSV returns the columns of a file, by their names.
func readCSV(t *testing.T, file string) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	columns := map[string][]string{}
	for _, line := range lines[1:] {
		for i, cell := range line {
			columns[lines[0][i]] = append(columns[lines[0][i]], cell)
		}
	}
	return columns
}
