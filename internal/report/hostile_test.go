package report

import (
	"encoding/csv"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/perf/benchfmt"
	"pgregory.net/rapid"

	"ratelab/internal/measure"
	"ratelab/internal/message"
	"ratelab/internal/result"
	"ratelab/internal/result/resulttest"
)

// hostile are texts from outside that want to be more than text.
var hostile = []string{
	"<img src=x onerror=alert(1)>", "a|b", "`code`", "**bold** _it_ ~no~", "[a](javascript:b)", "![a](b)", "# heading",
	"- item", "1. item", "---", "+ item",
	"a\nb", "\r\n\r\n# heading", "a\x1b[2Jb", "\x1b]0;title\x07", "\x9b31m", "gcra\u202earcg", "\u2066x\u2069",
	"a\u2028b", "\xff\xfe",
	"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", "'=1", `"quoted", and more`, "@everyone",
	"https://example.com/a", "www.example.com", "&lt;b&gt;", `\`, "$x$", "    code",
}

// besieged is a document with the same hostile text wherever one can stand.
func besieged(s string) *result.Document {
	doc := resulttest.EveryMeasure()
	doc.Tool.Version = s
	run := &doc.Runs[0]
	run.Scenario, run.Question, run.Notes = s, s, []string{s}
	run.Server.Name, run.Server.Version = s, s
	run.Results[3].Algorithm, run.Results[3].Parameters = s, map[string]string{s: s}
	run.ClientGroups = []string{s, s}
	run.Results[3].Clients = &measure.Clients{Operations: 1, Attempts: 2, Groups: []measure.ClientGroup{{}, {}}}
	run.Expectations[0].Algorithm, run.Expectations[0].Measure, run.Expectations[0].Want = s, s, s
	return doc
}

func hostileText(t *rapid.T) string {
	return rapid.OneOf(rapid.SampledFrom(hostile),
		rapid.StringMatching("[-=+@'\"|`<>*_ a\\n\\t\u202e\x1b#]{1,12}")).Draw(t, "text")
}

// Whatever a name holds, no output lets it act: it neither steers a terminal nor turns the direction of writing.
func TestHostileTextDoesNotAct(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := besieged(hostileText(t))
		for _, format := range []string{"table", "markdown", "bench"} {
			out := render(func(w *strings.Builder) error {
				return documentFormats.Write(w, format, doc,
					Terminal{Width: 100})
			})
			for _, r := range out {
				if r != '\n' && (unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp)) {
					t.Fatalf("%s: %U in\n%s", format, r, out)
				}
			}
		}
	})
}

// In Markdown it marks up nothing: the page has the same lines, headings, lists and cells as with a plain name.
func TestHostileTextMarksUpNothing(t *testing.T) {
	shape := func(s string) string {
		out := render(func(w *strings.Builder) error { return writeMarkdown(w, besieged(s)) })
		var shape strings.Builder
		for line := range strings.SplitSeq(strings.ReplaceAll(out, "<!-- -->", ""), "\n") {
			// What is escaped is a character like any other, and keeps what follows it from the line's start.
			bare := strings.NewReplacer(`\\`, "x", `\|`, "x", "\\`", "x", `\*`, "x", `\_`, "x", `\[`, "x", `\]`, "x",
				`\#`, "x", `\~`, "x", `\!`, "x", `\-`, "x", `\+`, "x", `\=`, "x").Replace(line)
			start := strings.TrimRight(bare[:min(len(bare), 4)],
				" abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ()&;'\"%")
			for _, mark := range []string{"#", "- ", "+ ", "| ", "**", "---"} {
				if strings.HasPrefix(start, strings.TrimSpace(mark)) && strings.HasPrefix(bare, mark) {
					shape.WriteString(mark)
				}
			}
			for _, mark := range []string{"|", "<", "`", "[", "*"} {
				shape.WriteString(strings.Repeat(mark, strings.Count(bare, mark)))
			}
			shape.WriteByte('\n')
		}
		return shape.String()
	}
	plain := shape("plain")
	rapid.Check(t, func(t *rapid.T) {
		s := hostileText(t)
		if strings.TrimSpace(message.Visible(s)) == "" {
			return
		}
		if got := shape(s); got != plain {
			t.Fatalf("%q marks up the page:\n%s\nwant\n%s", s, got, plain)
		}
	})
}

// In CSV no cell is a formula, and every text comes back.
func TestHostileTextDoesNotRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := hostileText(t)
		out := render(func(w *strings.Builder) error { return Simulated{}.writeRows(w, besieged(s)) })
		lines, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines[1:] {
			for _, cell := range line {
				if cell != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠", []rune(cell)[0]) {
					t.Fatalf("a spreadsheet would run %q", cell)
				}
			}
			got, want := line[0], Defuse(s)
			if got != want && got != strings.ReplaceAll(want, "\r\n", "\n") { // which the reader of CSV joins
				t.Fatalf("the scenario %q came back as %q", s, got)
			}
		}
	})
}

// Benchmark lines stay lines of the format, as many as with a plain name.
func TestHostileTextKeepsBenchLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := hostileText(t)
		out := render(func(w *strings.Builder) error { return writeLines(w, besieged(s)) })
		reader, results := benchfmt.NewReader(strings.NewReader(out), "results"), 0
		for reader.Scan() {
			switch record := reader.Result().(type) {
			case *benchfmt.Result:
				results++
			case *benchfmt.SyntaxError:
				t.Fatalf("%v with %q", record, s)
			}
		}
		if results != 6 {
			t.Fatalf("%d results with %q, want 6", results, s)
		}
	})
}
