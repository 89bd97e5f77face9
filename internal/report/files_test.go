package report

import (
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"ratelab/internal/result"
	"ratelab/internal/result/benchmarktest"
)

// folder lists all files below dir, by slashed relative path.
func folder(t *testing.T, dir string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			relative, _ := filepath.Rel(dir, path)
			list = append(list, filepath.ToSlash(relative))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// All files are there and no other; after a run of fewer algorithms nothing of the earlier one remains.
func TestWriteFilesLeavesNothingStale(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	r := benchmarktest.Fresh()
	first, err := WriteFiles(dir, r)
	if err != nil {
		t.Fatal(err)
	}
	if last := first[len(first)-1]; filepath.Base(last) != "bench.json" {
		t.Errorf("%s is written last; only bench.json can vouch for the others", last)
	}
	// of 2 x 7 rows the control's alone have no rejections
	if got := folder(t, dir); len(got) != len(first) || len(got) != 2+2*(6*8+4) {
		t.Errorf("%d files, %d named", len(got), len(first))
	}
	for _, want := range []string{"hgrm/ten-times-over.gcra_burst_50.rejected.response.hgrm", "bench.txt"} {
		if !slices.Contains(folder(t, dir), want) {
			t.Errorf("no %s", want)
		}
	}
	own := filepath.Join(dir, "hgrm", "notes.txt")
	os.WriteFile(own, []byte("mine"), 0o644)
	os.WriteFile(filepath.Join(dir, "latency.hlog"), []byte("an earlier version's"), 0o644)
	r.Runs = r.Runs[:1]
	r.Runs[0].Rows = r.Runs[0].Rows[:2]
	if _, err := WriteFiles(dir, r); err != nil {
		t.Fatal(err)
	}
	if got := folder(t, dir); len(got) != 2+8+4+1 {
		t.Errorf("after a smaller run there are %d files: %q", len(got), got)
	}
	if back, err := result.ReadBenchmark(dir); err != nil || len(back.Runs) != 1 {
		t.Errorf("%v", err)
	}
}

// What cannot be written leaves the folder as it was.
func TestWriteFilesTouchesNothingOnAnError(t *testing.T) {
	dir := t.TempDir()
	if _, err := WriteFiles(dir, benchmarktest.Small()); err != nil {
		t.Fatal(err)
	}
	before := folder(t, dir)
	bad := benchmarktest.Fresh()
	bad.Runs[0].Rows[0].Open.AchievedPerS = math.NaN()
	if _, err := WriteFiles(dir, bad); err == nil {
		t.Fatal("what JSON cannot say was written")
	}
	if after := folder(t, dir); !slices.Equal(before, after) {
		t.Errorf("%q, was %q", after, before)
	}
	if _, err := result.ReadBenchmark(dir); err != nil {
		t.Error(err)
	}
}

// Labels that come out as the same file name, also where capitals do not count, have files of their own.
func TestFileNamesDoNotCollide(t *testing.T) {
	dir := t.TempDir()
	r := benchmarktest.Small()
	for _, label := range []string{"a:b=1", "a=b:1", "A:b=1", "../../etc", strings.Repeat("x", 300)} {
		row := r.Runs[0].Rows[0]
		row.Algorithm = label
		r.Runs[0].Rows = append(r.Runs[0].Rows, row)
	}
	if _, err := WriteFiles(dir, r); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, name := range folder(t, dir) {
		names[strings.ToLower(name)] = true
	}
	if len(names) != 2+6*4 {
		t.Errorf("%d files: %q", len(names), slices.Sorted(maps.Keys(names)))
	}
}

// The lines are those that Go's own reader of the format takes, one for each measurement, and benchstat knows the
// exact units.
func TestBenchFormatParses(t *testing.T) {
	r := benchmarktest.Fresh()
	r.Costs[6].Algorithm = "my script-2" // blanks end a name, and -2 is a GOMAXPROCS
	var out strings.Builder
	if err := writeBenchLines(&out, r); err != nil {
		t.Fatal(err)
	}
	reader := benchfmt.NewReader(strings.NewReader(out.String()), "bench.txt")
	lines := map[string]int{}
	control, changes := false, 0
	for reader.Scan() {
		switch line := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Error(line)
		case *benchfmt.Result:
			lines[string(line.Name)]++
			if line.GetConfig("cpu") != r.Machine.CPU {
				t.Errorf("%s without cpu", line.Name)
			}
			if last := strings.HasSuffix(string(line.Name), "/algorithm=none"); control != last {
				control = last // the control's lines follow those of the others, of a scenario and of the costs
				if changes++; !last && changes != 2 && changes != 4 {
					t.Errorf("%s comes after the control", line.Name)
				}
			}
			if _, ok := line.Value("admitted"); ok != strings.HasPrefix(string(line.Name), "Open/") {
				t.Errorf("%s: admitted is there: %t", line.Name, ok)
			}
		}
	}
	if err := reader.Err(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{
		"Open/scenario=ten-times-over/algorithm=gcra:burst=50": 5, "Closed/mix=half/algorithm=gcra": 5,
		"Sweep/connections=64/algorithm=none": 1, "Memory/requests=1000/algorithm=sliding-window-log": 1,
		"Closed/mix=half/algorithm=my_script-2-1": 5,
	} {
		if lines[name] != want {
			t.Errorf("%s: %d lines, want %d", name, lines[name], want)
		}
	}
	for unit, exact := range map[string]bool{"admitted": true, "redis-calls/op": true, "B/key": true, "p50-us": false} {
		if m := reader.Units().Get(unit, "assume"); (m != nil && m.Value == "exact") != exact {
			t.Errorf("unit %s: assume %v", unit, m)
		}
	}
	if reader.Units().GetBetter("server-us/op") != -1 || reader.Units().GetBetter("decisions/s") != 1 {
		t.Error("which way is better is lost")
	}
}

// A distribution has the lines that plotters of the format read: value, percentile, how many so far, 1/(1-percentile).
func TestPercentileDistribution(t *testing.T) {
	dir := t.TempDir()
	r := benchmarktest.Small()
	few := result.NewHistogram()
	for us := int64(10); us <= 40; us += 10 {
		few.RecordValue(us)
	}
	r.Runs[0].Rows[0].Open.Latency.Accepted.Lag = few
	if _, err := WriteFiles(dir, r); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "hgrm", "ten-times-over.none.accepted.lag.hgrm"))
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 4 && strings.HasSuffix(f[0], ".000") {
			values = append(values, strings.Join(f, " "))
		}
	}
	for _, want := range []string{"20.000 0.500000 2 2.00", "40.000 1.000000 4 inf"} {
		if !slices.Contains(values, want) {
			t.Errorf("no line %q in\n%s", want, text)
		}
	}
}

// Where one of the files cannot be written, no result file stands there to vouch for the others.
func TestAFailureInTheMiddleVouchesForNothing(t *testing.T) {
	dir := t.TempDir()
	if _, err := WriteFiles(dir, benchmarktest.Small()); err != nil {
		t.Fatal(err)
	}
	blocked := filepath.Join(dir, "bench.txt")
	if err := errors.Join(os.Remove(blocked), os.MkdirAll(filepath.Join(blocked, "full"), 0o755)); err != nil {
		t.Fatal(err)
	}
	if _, err := WriteFiles(dir, benchmarktest.Small()); err == nil {
		t.Fatal("no error")
	}
	if got := folder(t, dir); slices.Contains(got, "bench.json") {
		t.Errorf("the result file stands beside what is of another run: %q", got)
	}
}
