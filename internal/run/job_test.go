package run_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/redis"
	"ratelab/internal/report"
	"ratelab/internal/result"
	. "ratelab/internal/run"
	"ratelab/internal/scenario"
)

// Without a choice there is a row for every algorithm, and after it one for each variant that the scenario expects
// something of.
func TestEverythingIsSimulatedByDefault(t *testing.T) {
	s := evenly(t, "steady", 20, `
expect:
  - {algorithm: "gcra:burst=3", admitted: {min: 1}}
  - {algorithm: gcra, admitted: 20}
  - {algorithm: "gcra:burst=2", admitted: {min: 1}}
`)
	var want []string
	for _, name := range algorithms.Names() {
		want = append(want, name)
		if name == "gcra" {
			want = append(want, "gcra:burst=3", "gcra:burst=2", "gcra:limit=9:burst=1") // which keeps the limit
		}
		if name == "sliding-window-buckets" {
			want = append(want, name+":parts=60")
		}
	}
	if diff := cmp.Diff(want, labelsOf(run(t, job(s)).Document.Runs[0])); diff != "" {
		t.Errorf("rows wanted (-) and found (+):\n%s", diff)
	}
}

// The same algorithm twice is two rows that share nothing, and a scenario's parameters are defaults: what a label
// says itself goes before them.
func TestLabelsAndScenariosSetParameters(t *testing.T) {
	s := evenly(t, "steady", 40, "parameters: {gcra: {burst: 5}}")
	for _, server := range []string{ModelServer, redis.KindEmbedded} {
		j := job(s)
		j.Server = server
		j.Algorithms = choices(t, "gcra", "gcra:burst=1", "gcra:time=client")
		r := run(t, j).Document.Runs[0]
		for label, want := range map[string]struct {
			burst    string
			admitted int64
		}{
			"gcra":             {"5", 14}, // 5, and one more each 100 ms until 0.975 s
			"gcra:burst=1":     {"1", 10},
			"gcra:time=client": {"5", 14},
		} {
			if got := rowOf(t, r, label); got.Parameters["burst"] != want.burst || got.Admitted != want.admitted {
				t.Errorf("%s, %s: burst %s admits %d; want %s and %d", server, label, got.Parameters["burst"],
					got.Admitted, want.burst, want.admitted)
			}
		}
	}
}

// A promise holds for the file's own seed and limit in virtual time, and only for what was run to its end.
func TestExpectationsAreCheckedWhereTheyApply(t *testing.T) {
	s := evenly(t, "steady", 20, `seed: 7
expect:
  - {algorithm: sliding-window-log, admitted: 10, rejected: {max: 10}}
  - {algorithm: fixed-window, admitted: {min: 11}}
`)
	for _, test := range []struct {
		name   string
		change func(*asked)
		want   string
	}{
		{"as written", func(*asked) {}, "met met missed"},
		{"its own seed and limit, named", func(j *asked) { j.Seed, j.Limit = ptr(uint64(7)), policy(t, "10/1s") },
			"met met missed"},
		{"another seed", func(j *asked) { j.Seed = ptr(uint64(8)) }, "- - -"},
		{"another limit", func(j *asked) { j.Limit = policy(t, "11/1s") }, "- - -"},
		{"another burst", func(j *asked) { j.Limit = &limit.Policy{Requests: 10, Window: s.Limit.Window, Burst: 9} },
			"- - -"},
		{"one of the rows", func(j *asked) { j.Algorithms = choices(t, "fixed-window") }, "- - missed"},
		{"another variant", func(j *asked) { j.Algorithms = choices(t, "sliding-window-log:time=client", "gcra") },
			"- - -"},
	} {
		j := job(s)
		test.change(j)
		doc := run(t, j).Document
		if got := verdicts(doc.Runs[0]); got != test.want {
			t.Errorf("%s: %s; want %s", test.name, got, test.want)
		}
		unchecked := slices.ContainsFunc(doc.Runs[0].Notes,
			func(n string) bool { return strings.HasPrefix(n, "expectations are not checked") })
		if changed := doc.Runs[0].Seed != 7 ||
			doc.Runs[0].Limit != (result.Limit{Requests: 10, WindowUS: 1_000_000, Burst: 10}); unchecked != changed {
			t.Errorf("%s: notes %q", test.name, doc.Runs[0].Notes)
		}
	}
}

func ptr[T any](v T) *T { return &v }

// verdicts are a run's expectations in one line.
func verdicts(r result.Run) string {
	var words []string
	for _, e := range r.Expectations {
		switch {
		case e.Met == nil:
			words = append(words, "-")
		case *e.Met:
			words = append(words, "met")
		default:
			words = append(words, "missed")
		}
	}
	return strings.Join(words, " ")
}

// A figure that a row does not have is missed, but for what only a script has where a model decides.
func TestAnAbsentFigureIsMissed(t *testing.T) {
	row := &result.Row{}
	for _, c := range []struct {
		measure, server string
		want            string
	}{
		{"fairness.worst_served", redis.KindEmbedded, "missed"},
		{"fairness.worst_served", ModelServer, "missed"},
		{"commands", redis.KindEmbedded, "missed"},
		{"commands", ModelServer, "-"},
		{"offered", ModelServer, "met"},
	} {
		e := result.Expectation{}
		e.Got, e.Met = Checked(row, scenario.Range{Measure: c.measure}, c.server)
		if got := verdicts(result.Run{Expectations: []result.Expectation{e}}); got != c.want {
			t.Errorf("%s on %s: %s; want %s", c.measure, c.server, got, c.want)
		}
	}
}

// The same job gives the same bytes, from the embedded server and from the models.
func TestTwoJobsAreByteIdentical(t *testing.T) {
	for _, server := range []string{ModelServer, redis.KindEmbedded} {
		do := func() (string, string) {
			j := job(append(builtinScenarios(t, "extreme-case-1", "backoff-crowd"), manyClients(t))...)
			j.Server, j.Algorithms = server, choices(t, "fixed-window", "gcra", "gcra:burst=2",
				"sliding-window-log", "token-bucket")
			decisions, join := collect(t, j)
			doc := asJSON(t, run(t, j))
			join()
			return doc, decisions.String()
		}
		doc1, rows1 := do()
		doc2, rows2 := do()
		if doc1 != doc2 {
			t.Errorf("%s: two documents differ:\n%s", server, cmp.Diff(doc1, doc2))
		}
		if rows1 != rows2 {
			t.Errorf("%s: the decisions of two runs differ", server)
		}
	}
}

// collect lets the job write its decisions into a buffer, and looks after the files on the way.
func collect(t *testing.T, j *asked) (out *bytes.Buffer, join func()) {
	out = &bytes.Buffer{}
	dir := t.TempDir()
	rows := report.NewDecisions(out, dir)
	j.Watch = rows.Watch
	t.Cleanup(func() {
		rows.Discard()
		if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
			t.Errorf("files left behind: %q", left)
		}
	})
	return out, func() {
		if err := rows.Join(); err != nil {
			t.Fatal(err)
		}
	}
}

// What stops a job early is marked: the document says so, nothing further is run, no promise is checked.
func TestAStoppedJobIsPartial(t *testing.T) {
	ctx, interrupt := interruptible(t)
	j := job(evenly(t, "long", 100_000, "expect: [{algorithm: none, admitted: 100000}]"), evenly(t, "never", 10, ""))
	j.Algorithms = choices(t, "none", "gcra")
	j.Progress = stopper(interrupt)
	result := runUntil(t, ctx, j)
	doc := result.Document
	if len(doc.Runs) != 1 || !doc.Runs[0].Partial || !result.Interrupted {
		t.Fatalf("%d runs, partial %v; want the first one, partial", len(doc.Runs), doc.Runs[0].Partial)
	}
	r := doc.Runs[0]
	if n := r.Reference.Offered; n == 0 || n >= 100_000 || rowOf(t, r, "gcra").Offered != n {
		t.Errorf("the reference was offered %d, gcra %d", n, rowOf(t, r, "gcra").Offered)
	}
	if got := verdicts(r); got != "-" {
		t.Errorf("expectations %s", got)
	}
	want := []string{"interrupted: the figures cover the beginning only",
		"interrupted: scenarios after this one that did not run: 1"}
	if !slices.Equal(r.Notes, want) {
		t.Errorf("notes %q; want %q", r.Notes, want)
	}
}

// stopper is told about the first batch of requests.
type stopper func()

func (stopper) Scenario(string, int, int, int64) {}
func (s stopper) Requests(int64)                 { s() }

// progress is written down.
type diary struct{ lines []string }

func (d *diary) Scenario(name string, number, of int, total int64) {
	d.lines = append(d.lines, fmt.Sprintf("%s %d/%d %d", name, number, of, total))
}

func (d *diary) Requests(done int64) { d.lines = append(d.lines, fmt.Sprint(done)) }

func TestProgressNamesEachScenarioAndItsRequests(t *testing.T) {
	d := &diary{}
	j := job(evenly(t, "first", 30, ""), evenly(t, "second", 17_000, ""))
	j.Algorithms, j.Progress = choices(t, "none"), d
	run(t, j)
	if diff := cmp.Diff([]string{"first 1/2 30", "30", "second 2/2 17000", "16384", "17000"}, d.lines); diff != "" {
		t.Error(diff)
	}
}
