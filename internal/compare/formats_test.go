package compare

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/perf/benchfmt"
	"pgregory.net/rapid"

	"ratelab/internal/benchresult"
	"ratelab/internal/benchresult/benchresulttest"
	"ratelab/internal/result"
	"ratelab/internal/result/resulttest"
	"ratelab/internal/sheet"
)

var update = flag.Bool("update", false, "rewrite testdata: read the difference before committing it")

// reports are one of each kind that a reader meets.
var reports = sync.OnceValue(func() map[string]*Report {
	few := benchresulttest.Paired(1.2)
	few.Rows[0].Pairs = few.Rows[0].Pairs[:6]
	few.Rows[1].Head.Exact[0].Admitted++
	few.Rows[1].Head.Work.BytesPerKey = float(96)
	few.Notes = []string{"maxmemory is set"}
	two := still(1.3)
	two.Base.Name, two.Head.Name = "redis:7.0", "redis:8.0"
	two.Base.Server.Name, two.Head.Server.Name = "redis", "redis"
	two.Base.Server.Kind, two.Head.Server.Kind = "container", "container"
	two.Base.Server.Version, two.Head.Server.Version = "7.0.15", "8.0.3"
	eachPair(two, func(_ int, q *benchresult.Pair) { q.Controls = append(q.Controls, q.Controls[0]) })
	long := withCounts(alone(1.3))
	long.Rows[0].Name = "token-bucket-interval:capacity=1000:refill=10"
	long.Base, long.Head = benchresulttest.Paired(1).Base, benchresulttest.Paired(1).Head
	long.Head.Name = "some/where/" + strings.Repeat("far/", 30) + "gcra.lua"
	return map[string]*Report{
		"no-change":   Paired(benchresulttest.Paired(1)),
		"slower":      Paired(benchresulttest.Paired(1.2)),
		"few-pairs":   Paired(few),
		"two-servers": Paired(two),
		"long-names":  Paired(long),
	}
})

func TestGolden(t *testing.T) {
	for base, r := range reports() {
		for extension, format := range map[string]string{"txt": "table", "md": "markdown"} {
			path := filepath.Join("testdata", base+"."+extension)
			got := written(t, r, format)
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatalf("%v; go test -update writes it", err)
			}
			unix := strings.ReplaceAll(string(want), "\r\n", "\n") // a checkout on Windows may have them
			if diff := cmp.Diff(unix, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
		}
	}
}

func written(t *testing.T, r *Report, format string) string {
	t.Helper()
	var out strings.Builder
	if err := Forms.Write(&out, format, r, sheet.Terminal{}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// A table for a log is plain ASCII within 100 columns; one without news is short.
func TestTableIsPlainAndFits(t *testing.T) {
	for name, r := range reports() {
		out := written(t, r, "table")
		for l := range strings.SplitSeq(out, "\n") {
			if text.StringWidthWithoutEscSequences(l) > usualWidth || strings.HasSuffix(l, " ") ||
				strings.ContainsFunc(l, func(r rune) bool { return r > '~' || r < ' ' }) {
				t.Errorf("%s: %d columns, blanks at the end or not ASCII: %q", name,
					text.StringWidthWithoutEscSequences(l), l)
			}
		}
	}
	if n := strings.Count(written(t, Paired(benchresulttest.Paired(1)), "table"), "\n"); n > 20 {
		t.Errorf("%d lines about nothing", n)
	}
}

// Names neither steer a terminal nor mark up a page.
func TestNamesAreDefused(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom([]string{
			"<img src=x>", "</details>", "a|b", "a\nb", "a\x1b[2Jb", "**bold**", "[a](javascript:b)", "`code`",
			"@everyone", "\r\n\r\n# heading",
		}).Draw(rt, "name")
		p := withCounts(still(1.3))
		p.Rows[0].Name, p.Base.Name, p.Head.Name = name, name, name
		p.Rows[0].Head.Exact[0].Admitted++
		p.Notes, p.Partial = []string{name}, true
		r := Paired(p)
		if out := written(t, r, "table"); strings.ContainsAny(out, "\x1b\r") {
			rt.Fatalf("control characters reached the table: %q", out)
		}
		out := written(t, r, "markdown")
		if strings.Contains(out, "@everyone") {
			rt.Fatalf("somebody is told of\n%s", out)
		}
		out = strings.ReplaceAll(out, "<!-- -->", "")                           // which keeps an @ and its name apart
		if strings.Count(out, "<") != 4 || strings.ContainsAny(out, "\x1b\r") { // details, summary and their ends
			rt.Fatalf("%q is markup in\n%s", name, out)
		}
		for l := range strings.SplitSeq(out, "\n") {
			if strings.HasPrefix(l, "#") {
				rt.Fatalf("%q makes a heading of %q", name, l)
			}
			cells := strings.Count(strings.ReplaceAll(l, `\|`, ""), "|") - 1
			if strings.HasPrefix(l, "|") && cells != 3 && cells != 9 {
				rt.Fatalf("%q makes %d cells of %q", name, cells, l)
			}
		}
	})
}

// GitHub takes a comment of 65,536 characters, also where hundreds of rows changed.
func TestMarkdownFitsIntoAComment(t *testing.T) {
	slowdowns := make([]float64, 300)
	for i := range slowdowns {
		slowdowns[i] = 1.5
	}
	p := simulate(noise{}, 1).paired(slowdowns...)
	for i := range p.Rows {
		p.Rows[i].Name = "token-bucket-interval:capacity=1000:refill=10"
	}
	r := Paired(p)
	if n := len(written(t, r, "markdown")); n > 65_536 {
		t.Errorf("%d characters", n)
	}
	if n := strings.Count(written(t, r, "table"), "\nregression "); n > mostLines {
		t.Errorf("%d findings in the table", n)
	}
}

func TestWriteRefuses(t *testing.T) {
	r := Paired(still(1))
	var out strings.Builder
	if err := Forms.Write(&out, "yaml", r, sheet.Terminal{}); err == nil ||
		err.Error() != `format "yaml": want one of table, json, markdown, bench` {
		t.Errorf("format: %v", err)
	}
	if err := WriteBench(&out, r, "left"); err == nil || err.Error() != `side "left": want one of base, head` ||
		out.Len() > 0 {
		t.Errorf("side: %v after %q", err, out.String())
	}
}

// What WriteJSON writes keeps the schema.
func TestJSONKeepsTheSchema(t *testing.T) {
	for name, r := range reports() {
		if err := resulttest.Validate(t, result.Comparison, written(t, r, "json")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The reader that benchstat uses finds as many measurements of each name on both sides as there were pairs.
func TestBenchIsReadByBenchfmt(t *testing.T) {
	p := benchresulttest.Paired(1.2)
	r := Paired(p)
	var counts [2]map[string]int
	for i, side := range []string{SideBase, SideHead} {
		var out strings.Builder
		if err := WriteBench(&out, r, side); err != nil {
			t.Fatal(err)
		}
		counts[i] = map[string]int{}
		for _, result := range benchmarks(t, out.String()) {
			counts[i][string(result.Name)]++
			if us, ok := result.Value("server-us/op"); ok && string(result.Name) == "Cost/algorithm=gcra" &&
				counts[i]["Cost/algorithm=gcra"] == 3 {
				if want := []benchresult.Sample{p.Rows[0].Pairs[2].Base,
					p.Rows[0].Pairs[2].Head}[i]; us != *want.ServerUSPerCall {
					t.Errorf("%s, pair 3: %v µs, want %v", side, us, *want.ServerUSPerCall)
				}
			}
		}
	}
	want := map[string]int{
		"Cost/algorithm=gcra": 80, "Cost/algorithm=fixed-window": 40, "Work/algorithm=gcra": 1,
		"Work/algorithm=fixed-window":                              1,
		"Decisions/scenario=ten-times-over/algorithm=gcra":         1,
		"Decisions/scenario=ten-times-over/algorithm=fixed-window": 1,
	}
	for i := range counts {
		if diff := cmp.Diff(want, counts[i]); diff != "" {
			t.Errorf("side %d (-want +got):\n%s", i, diff)
		}
	}
	both := benchmarks(t, written(t, r, "bench"))
	if len(both) != 248 || both[0].GetConfig("side") != "base" || both[247].GetConfig("side") != "head" {
		t.Errorf("both sides: %d results, want 248 under side", len(both))
	}
}

func benchmarks(t *testing.T, out string) []*benchfmt.Result {
	t.Helper()
	reader := benchfmt.NewReader(strings.NewReader(out), "results")
	var results []*benchfmt.Result
	for reader.Scan() {
		switch record := reader.Result().(type) {
		case *benchfmt.Result:
			results = append(results, record.Clone())
		case *benchfmt.SyntaxError:
			t.Error(record)
		}
	}
	return results
}
