package recommend

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"ratelab/internal/result"
	"ratelab/internal/result/resulttest"
	"ratelab/internal/scenario"
	"ratelab/internal/sheet"

	"github.com/google/go-cmp/cmp"
	"github.com/jedib0t/go-pretty/v6/text"
)

var update = flag.Bool("update", false, "rewrite the goldens in testdata: read the difference before committing it")

func written(t *testing.T, format string, d *Document) string {
	t.Helper()
	var out strings.Builder
	if err := Forms.Write(&out, format, d, sheet.Terminal{}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// full is the worked answer with everything that can be in one.
func full(t *testing.T) *Document {
	q := workedQuestion(t)
	us, admits, calls := 20.0, 0.5, 4.6
	q.Tolerance.MaxServerUS, q.Tolerance.MaxExcess, q.Tolerance.MaxCalls = &us, admits, &calls
	q.Scenarios[0].NamesContract = false
	q.Costs = &Costs{us: map[string]float64{"gcra": 10.5, "leaky-bucket": 12, "sliding-window-log": 20.25},
		Source: CostSource{Server: "redis 8.0 (process, unix)", Machine: "Example CPU",
			Traffic: "closed loop, half of the requests accepted, limit 100/1h"}}
	doc := answer(t, q, worked())
	doc.LeftOut = append(doc.LeftOut, LeftOut{"gcra:burst=7", "gcra:burst=7: a product reaches 2^53"})
	few := int64(8)
	doc.Traffic[0].ToldApart = &few
	doc.Traffic[0].Notes = append(doc.Traffic[0].Notes, "12 lines were sorted")
	return doc
}

// seeds is an answer about random traffic.
func seeds(t *testing.T) *Document {
	q, w := workedQuestion(t), worked()
	q.Scenarios, w.seeded = []*scenario.Scenario{random("edge")}, map[string]map[string][]figuresOf{"edge": {}}
	for i, label := range []string{"gcra", "leaky-bucket", "gcra:burst=10", "sliding-window-counter"} {
		var all []figuresOf
		for k := range int64(20) {
			f := w.scenarios["edge"][label]
			f.peak, f.shortfall = f.peak-k/3, f.shortfall+int64(i/2)*k
			all = append(all, f)
		}
		w.seeded["edge"][label] = all
	}
	return answer(t, q, w)
}

// nobody is an answer without a recommendation.
func nobody(t *testing.T) *Document {
	q := workedQuestion(t)
	q.Tolerance.MaxOvershoot = 0.5 // no flag allows that
	return answer(t, q, worked())
}

func TestGolden(t *testing.T) {
	for name, doc := range map[string]*Document{"worked": answer(t, workedQuestion(t), worked()), "full": full(t),
		"nobody": nobody(t), "seeds": seeds(t)} {
		for format, extension := range map[string]string{"table": "txt", "json": "json", "csv": "csv",
			"markdown": "md"} {
			file := filepath.Join("testdata", name+"."+extension)
			got := written(t, format, doc)
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s (-golden +written; -update writes it again):\n%s", file, diff)
			}
		}
	}
}

// What is written is what the schema promises.
func TestDocumentsKeepTheSchema(t *testing.T) {
	for name, doc := range map[string]*Document{"worked": answer(t, workedQuestion(t), worked()), "full": full(t),
		"nobody": nobody(t), "seeds": seeds(t)} {
		text := written(t, "json", doc)
		if err := resulttest.Validate(t, result.Recommendation, text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var back Document
		if err := json.Unmarshal([]byte(text), &back); err != nil || cmp.Diff(doc, &back) != "" {
			t.Errorf("%s does not read back (%v):\n%s", name, err, cmp.Diff(doc, &back))
		}
	}
}

// The table is plain ASCII and keeps within its columns, whatever the labels and however many there are.
func TestTableIsPlainAndFits(t *testing.T) {
	crowd := full(t)
	for i := range 12 {
		c := crowd.Candidates[0]
		c.RankOnThisTraffic, c.Algorithm = i+2, fmt.Sprintf("token-bucket-interval:capacity=%d:refill=100", i)
		crowd.Candidates = append([]Candidate{c}, crowd.Candidates...)
	}
	for _, doc := range []*Document{full(t), nobody(t), seeds(t), crowd} {
		for line := range strings.SplitSeq(written(t, "table", doc), "\n") {
			if n := text.StringWidthWithoutEscSequences(line); n > usualWidth || strings.HasSuffix(line, " ") ||
				strings.ContainsFunc(line, func(r rune) bool { return r > '~' || r < ' ' }) {
				t.Errorf("%d columns, blanks at the end or not ASCII: %q", n, line)
			}
		}
	}
}

// Names stay text in every output.
func TestHostileNamesStayText(t *testing.T) {
	const hostile = "=<b>|`x`\x1b[2J\u202e@everyone\n# a"
	doc := full(t)
	doc.Traffic[0].Scenario, doc.Traffic[0].Notes = hostile, []string{hostile}
	for i := range doc.Candidates {
		doc.Candidates[i].Algorithm, doc.Candidates[i].Overshoot.Scenario = hostile, hostile
	}
	for _, format := range []string{"table", "markdown"} {
		out := written(t, format, doc)
		for _, r := range out {
			if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
				t.Fatalf("%s: %U in\n%s", format, r, out)
			}
		}
		if format == "markdown" && (strings.Contains(out, "<b>") || strings.Contains(out, "@everyone") ||
			strings.Contains(out, "\n# a")) {
			t.Errorf("markup in\n%s", out)
		}
	}
	lines, err := csv.NewReader(strings.NewReader(written(t, "csv", doc))).ReadAll()
	if err != nil || lines[1][2] != "'"+hostile || lines[1][9] != "'"+hostile {
		t.Errorf("%v, %q", err, lines[1])
	}
	for _, fault := range doc.picture().Faults() {
		t.Error(fault)
	}
}

type failing struct{}

var errFull = errors.New("no space left")

func (failing) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrorsAreReturned(t *testing.T) {
	for _, format := range Forms.Names() {
		if err := Forms.Write(failing{}, format, full(t), sheet.Terminal{}); !errors.Is(err, errFull) {
			t.Errorf("%s: %v", format, err)
		}
	}
	if err := Forms.Write(failing{}, "yaml", full(t), sheet.Terminal{}); err == nil ||
		!strings.Contains(err.Error(), "want one of table, json, csv, markdown") {
		t.Errorf("error %v", err)
	}
}

// What decides between two shares can be seen in how they are written.
func TestSharesAreToldApart(t *testing.T) {
	for _, c := range []struct {
		a, b          float64
		first, second string
	}{
		{0.01, 0.02, "1.0%", "2.0%"}, {0.0101, 0.0102, "1.01%", "1.02%"}, {0.0100001, 0.0100002, "1.00001%",
			"1.00002%"}, {0.3, 0.3, "30.0%", "30.0%"},
	} {
		if first, second := apart(c.a, c.b); first != c.first || second != c.second {
			t.Errorf("%v and %v: %s and %s", c.a, c.b, first, second)
		}
	}
}
