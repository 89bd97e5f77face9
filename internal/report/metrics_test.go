package report

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"ratelab/internal/measure"
	"ratelab/internal/result"
	"ratelab/internal/result/benchmarktest"
)

// withMetrics returns a document of each command that has metrics, with a name that needs escapes.
func withMetrics() map[string]*result.Document {
	calls := 2.5
	row := result.Row{Algorithm: `my "script"\1`, Figures: measure.Figures{Commands: &calls}}
	decided := result.New(result.OfSimulate, "")
	decided.Runs = []result.Run{{Scenario: "edge\n", Results: []result.Row{row, {Algorithm: "gcra"}}}}
	compared := result.New(result.OfCompare, "")
	compared.Verdicts = []result.Verdict{{Gates: []result.Gate{{Name: "work", Rows: []result.Judgement{
		{Limiter: "gcra", Measure: "bytes_per_key", Base: 80.0, Head: 88.0},
		{Limiter: "gcra", Where: "steady at 10/1s", Measure: "instructions_per_decision", Base: 1.0, Head: 2.0},
		{Limiter: "gcra", Measure: "decisions_digest", Base: "ab", Head: "cd"}}}}}}
	return map[string]*result.Document{"bench run": benchmarktest.Example(), "simulate": decided,
		"bench compare": compared}
}

// sample is a line with a value in OpenMetrics.
var sample = regexp.MustCompile(`^([a-zA-Z_][a-zA-Z0-9_]*)\{scenario="([^"\\\n]|\\["\\])*",limiter="([^"\\\n]|\\["\\])*"\} -?[0-9.]+$`)

// The three formats have the same figures. OpenMetrics has each family once, and ends with # EOF. Only measures that
// are better if smaller are in the format with that name.
func TestMetricFormats(t *testing.T) {
	for command, d := range withMetrics() {
		f := Formats{Metrics: true}
		text := func(format string) string {
			var out strings.Builder
			if err := f.Write(&out, format, d, Terminal{}); err != nil {
				t.Fatal(err)
			}
			return out.String()
		}
		all := metrics(d)
		lines := strings.Split(text("openmetrics"), "\n")
		if n := len(lines); n < 3 || lines[n-2] != "# EOF" || lines[n-1] != "" {
			t.Fatalf("%s: the end is not # EOF: %q", command, lines)
		}
		family, families, samples := "", map[string]bool{}, 0
		for _, line := range lines[:len(lines)-2] {
			switch words := strings.Fields(line); {
			case strings.HasPrefix(line, "# TYPE "):
				if family = words[2]; families[family] || words[3] != "gauge" {
					t.Errorf("%s: %s", command, line)
				}
				families[family] = true
			case strings.HasPrefix(line, "# HELP "+family+" "):
			case sample.MatchString(line) && strings.HasPrefix(line, family+"{"):
				samples++
			default:
				t.Errorf("%s: %q", command, line)
			}
		}
		var figures map[string]map[string]struct {
			Value float64
			Low   *float64 `json:"lower_value"`
			High  *float64 `json:"upper_value"`
		}
		if err := json.Unmarshal([]byte(text("bmf")), &figures); err != nil {
			t.Fatal(err)
		}
		var entries []struct {
			Name, Unit, Range string
			Value             *float64
		}
		if err := json.Unmarshal([]byte(text("benchmark-action")), &entries); err != nil {
			t.Fatal(err)
		}
		smaller := 0
		for _, m := range all {
			v := figures[m.place()][m.name]
			if v.Value != m.value || m.low != nil && (*v.Low > v.Value || *v.High < v.Value) {
				t.Errorf("%s: BMF has %+v, not %+v", command, v, m)
			}
			if !m.smaller {
				continue
			}
			if e := entries[smaller]; e.Name != m.place()+" / "+m.name || *e.Value != m.value || e.Unit == "" ||
				(e.Range == "") != (m.low == nil) {
				t.Errorf("%s: %+v, not %+v", command, e, m)
			}
			smaller++
		}
		if len(all) == 0 || samples != len(all) || smaller != len(entries) || smaller == len(all) &&
			command != "bench compare" {
			t.Errorf("%s: %d metrics, %d samples, %d of %d entries", command, len(all), samples, smaller, len(entries))
		}
	}
}
