package report

import (
	"strings"
	"testing"

	"golang.org/x/perf/benchfmt"

	"ratelab/internal/result/benchmarktest"
)

// The lines are those that Go's own reader of the format takes, one for each measurement, and benchstat knows the
// exact units.
func TestBenchFormatParses(t *testing.T) {
	r := benchmarktest.Example()
	// blanks end a name, and -2 is a GOMAXPROCS
	r.Runs[1].Results[6].Algorithm, r.Latency[13].Algorithm = "my script-2", "my script-2"
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
				control = last // the control's lines follow those of the others, of a scenario
				if changes++; !last && changes != 2 {
					t.Errorf("%s comes after the control", line.Name)
				}
			}
			if _, ok := line.Value("admitted"); !ok {
				t.Errorf("%s: admitted is missing", line.Name)
			}
		}
	}
	if err := reader.Err(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{
		"Open/scenario=ten-times-over/algorithm=gcra:burst=50": 5,
		"Open/scenario=retry-storm/algorithm=my_script-2-1":    5,
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
	if reader.Units().GetBetter("server-us/op") != -1 {
		t.Error("which way is better is lost")
	}
}
