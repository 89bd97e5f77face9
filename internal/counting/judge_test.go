package counting

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/report"
	"ratelab/internal/result"
	"ratelab/internal/result/resulttest"
)

var update = flag.Bool("update", false, "write the golden files anew; read the difference")

// side returns made-up results of gcra on one scenario.
func side(name string) *Side {
	calls, trips, bytes, keys := 2.0, 1.0, 88.0, int64(0)
	decided := measure.Result{Offered: 100, Admitted: 40, Rejected: 60, DecisionsDigest: strings.Repeat("ab", 16)}
	return &Side{Name: name, Label: "gcra", Figures: measure.Figures{
		Result:   decided,
		Commands: &calls, RoundTrips: &trips, KeysLeft: &keys, KeysWithoutTTL: &keys,
		BytesPerKey: &bytes,
	}}
}

// of compares two sides, with their counts. If counted is nil, there are no counts.
func of(base, head *Side, counted *Counted) *result.Document { return ofRuns(1, base, head, counted) }

// ofRuns compares two sides over n runs of the same scenario.
func ofRuns(n int, base, head *Side, counted *Counted) *result.Document {
	rows := []result.Row{{Figures: base.Figures}, {Figures: head.Figures}}
	run := &result.Run{Scenario: "ten-times-over", Results: rows}
	return Of(base, head, slices.Repeat([]*result.Run{run}, n), counted, "redis 7.0.15 (process, unix)")
}

// bothCounted returns the counts of a burst at 10/1s on both sides.
func bothCounted(kind string, base, head Figures) *Counted {
	p := Path{State: StateBurst, Name: "burst at 10/1s", Of: []Figures{base, head},
		Limit: result.LimitOf(limit.Policy{Requests: 10, Window: time.Second})}
	return &Counted{Kind: kind, Paths: []Path{p}}
}

func ofBurst(kind string, base, head float64) *Counted {
	return bothCounted(kind, Figures{Instructions: base, Commands: 2}, Figures{Instructions: head, Commands: 2})
}

// failing returns the counts of a burst on both sides, and of a steady path that failed on head.
func failing(base, head float64) *Counted {
	d := ofBurst("process", base, head)
	steady := d.Paths[0]
	steady.State, steady.Name = StateSteady, "steady at 10/1s"
	steady.Of = []Figures{{Instructions: 1000}, {Missing: "too slow", Uncounted: true}}
	d.Paths = append(d.Paths, steady)
	return d
}

func TestInstructionsByHand(t *testing.T) {
	const failed = "not counted: steady at 10/1s of head, since too slow; --states leaves a path out, and " +
		"--within gives more time"
	both := failing(61330, 61330)
	both.Paths[1].Of[0] = both.Paths[1].Of[1]
	one, more := Figures{Instructions: 1000, Commands: 2}, Figures{Instructions: 1000, Commands: 3}
	for _, c := range []struct {
		name    string
		counted *Counted
		want    result.Outcome // of the gate
		verdict result.Outcome
		finding string // the beginning of the first finding
	}{
		{"the same", ofBurst("process", 61330, 61330), result.Same, result.OK, ""},
		{"dearer", ofBurst("process", 61330, 74800), result.Regression, result.Regression,
			"regression instructions: gcra, burst at 10/1s: 61330 -> 74800, 1.22x"},
		{"by what is tolerated", ofBurst("process", 100000, 101000), result.Same, result.OK, ""},
		{"by a little more", ofBurst("process", 100000, 101100), result.Regression, result.Regression,
			"regression instructions: gcra, burst at 10/1s: 100000 -> 101100, 1.011x"},
		{"cheaper", ofBurst("process", 101100, 100000), result.Improvement, result.OK,
			"improvement instructions: gcra, burst at 10/1s: 101100 -> 100000, 0.989x"},
		{"in a container, by what is tolerated", ofBurst("container", 100000, 103900), result.Same, result.OK, ""},
		{"in a container", ofBurst("container", 100000, 104100), result.Regression, result.Regression,
			"regression instructions: gcra, burst at 10/1s"},
		{"one more command", bothCounted("process", one, more), result.Regression, result.Regression,
			"regression instructions: gcra, burst at 10/1s: redis_commands_per_decision 2 -> 3"},
		{"no path in common", &Counted{}, result.Inconclusive, result.Inconclusive,
			"inconclusive instructions: there is no path that both sides have"},
		{"one path failed", failing(61330, 61330), result.Inconclusive, result.Inconclusive,
			"inconclusive instructions: " + failed},
		{"one path failed on both sides", both, result.Inconclusive, result.Inconclusive,
			"inconclusive instructions: " + strings.Replace(failed, " of head", "", 1)},
		{"one path failed, another is dearer", failing(61330, 74800), result.Regression, result.Regression,
			"regression instructions: gcra, burst at 10/1s: 61330 -> 74800, 1.22x\n" +
				"inconclusive instructions: " + failed},
		{"left out", nil, result.Noted, result.OK, ""},
	} {
		v := of(side("old"), side("new"), c.counted).Verdicts[0]
		found := strings.Join(append(v.Findings, ""), "\n")
		if g := v.Gates[2]; g.Outcome != c.want || v.Outcome != c.verdict ||
			!strings.HasPrefix(found, c.finding) || c.finding == "" && found != "" {
			t.Errorf("%s: %s, %s, %q; want %s, %s, %q", c.name, g.Outcome, v.Outcome, found, c.want, c.verdict,
				c.finding)
		}
	}
}

func TestDecisionsAndWorkByHand(t *testing.T) {
	const decided = "regression decisions: gcra, ten-times-over: "
	for want, change := range map[string]func(*Side){
		"": func(*Side) {},
		decided + "admitted 40 -> 41 of 100": func(s *Side) {
			s.Admitted, s.Rejected, s.DecisionsDigest = 41, 59, "cd"
		},
		decided + "admitted 40 -> 40 of 100": func(s *Side) {
			s.DecisionsDigest = "cd"
		},
		"regression work: gcra: commands 2 -> 2.50": func(s *Side) {
			more := 2.5
			s.Commands = &more
		},
		"improvement work: gcra: bytes_per_key 88 -> 80": func(s *Side) {
			less := 80.0
			s.BytesPerKey = &less
		},
	} {
		head := side("new")
		change(head)
		v := of(side("old"), head, ofBurst("process", 1000, 1000)).Verdicts[0]
		if found := strings.Join(v.Findings, "\n"); found != want ||
			(v.Outcome == result.Regression) != strings.HasPrefix(want, "regression") {
			t.Errorf("%q, %s; want %q", found, v.Outcome, want)
		}
	}
}

// A path that only one side has is named in a note, with the reason of the other side.
func TestPathsOfOneSideAreNamed(t *testing.T) {
	counted := ofBurst("process", 1000, 1000)
	counted.Paths = append(counted.Paths, Path{State: StateRejected, Name: "rejected",
		Of: []Figures{{Instructions: 2000}, {Missing: "it never rejects"}}})
	const want = "gcra, rejected: counted of base only; of head: it never rejects"
	r := of(side("old"), side("new"), counted)
	if !slices.Contains(r.Notes, want) || r.Verdicts[0].Outcome != result.OK {
		t.Errorf("%+v with the notes %q", r.Verdicts[0], r.Notes)
	}
}

// reports returns documents for the golden files, by the name of the file.
func reports() map[string]*result.Document {
	slower := side("new/gcra.lua")
	more := 3.0
	slower.Commands = &more
	full := ofBurst("process", 61330, 74800)
	return map[string]*result.Document{
		"no-change": of(side("old/gcra.lua"), side("new/gcra.lua"), nil),
		"dearer":    of(side("old/gcra.lua"), slower, full),
	}
}

func written(t testing.TB, r *result.Document, form string) string {
	t.Helper()
	var out strings.Builder
	if err := Forms.Write(&out, form, r, report.Terminal{}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestGoldens(t *testing.T) {
	for name, r := range reports() {
		for form, suffix := range map[string]string{"table": ".txt", "markdown": ".md"} {
			path, got := filepath.Join("testdata", name+suffix), written(t, r, form)
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want, _ := os.ReadFile(path); got != string(want) {
				t.Errorf("%s is not %s:\n%s", form, path, got)
			}
		}
		if err := resulttest.Validate(t, written(t, r, "json")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A side's name never becomes markup, and never contains control characters.
func TestNamesAreNoMarkup(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.StringOf(rapid.RuneFrom([]rune("ab|`*_<>[]()#@\n\r\x1b\\&~"))).Draw(rt, "name")
		head := side(name)
		head.Label = name
		head.Admitted++
		r := of(side(name), head, nil)
		if out := written(t, r, "table"); strings.ContainsAny(out, "\x1b\r") {
			rt.Fatalf("control characters reached the table: %q", out)
		}
		for l := range strings.SplitSeq(written(t, r, "markdown"), "\n") {
			cells := strings.Count(strings.ReplaceAll(l, `\|`, ""), "|") - 1
			if strings.HasPrefix(l, "#") || strings.ContainsAny(l, "\x1b\r") ||
				strings.HasPrefix(l, "|") && cells != 3 {
				rt.Fatalf("%q makes %q", name, l)
			}
		}
	})
}

// The Markdown fits into a comment on GitHub (65,536 characters), even if hundreds of rows changed.
func TestMarkdownFitsIntoAComment(t *testing.T) {
	base, head := side("old"), side("new")
	head.Admitted++
	r := ofRuns(300, base, head, nil)
	if n := len(written(t, r, "markdown")); n > 65_536 {
		t.Errorf("%d characters", n)
	}
	if n := strings.Count(written(t, r, "table"), "\nregression "); n > 20 {
		t.Errorf("%d findings in the table", n)
	}
}

// JUnit has the verdict of each gate: a regression is a failure, and what could not be judged is an error or skipped.
func TestJUnitOfAComparison(t *testing.T) {
	base, head := side("old.lua"), side("new.lua")
	head.Admitted, head.DecisionsDigest = 41, strings.Repeat("cd", 16)
	for _, c := range []struct {
		counted *Counted
		want    []string
	}{
		{nil, []string{`tests="3" failures="1" errors="0" skipped="1"`,
			`<failure type="decisions" message="admitted 40 -&gt; 41 of 100">`, `<skipped type="instructions"`}},
		{failing(1000, 1100), []string{`failures="2" errors="1" skipped="0"`,
			`<testcase name="burst at 10/1s" classname="gcra">`, `<failure type="instructions" message="1000 -&gt; 1100`,
			`<error type="instructions" message="not counted: steady at 10/1s of head, since too slow`}},
	} {
		out := written(t, of(base, head, c.counted), "junit")
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("no %s in\n%s", want, out)
			}
		}
	}
}
