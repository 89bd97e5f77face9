package report

import (
	"errors"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"
	"pgregory.net/rapid"

	"ratelab/internal/result/resulttest"
)

// example has one of everything.
func example() Sheet {
	return Sheet{
		{
			Title: "a|b", Lead: []Line{{Text: "Is it so?"}, {Text: "limit 1/1s", Style: Faint},
				{Text: "PARTIAL: interrupted", Style: Alarm}},
			Tables: []Table{
				{Columns: []Column{{Name: "algorithm", Words: true, Narrowest: 8}, {Group: "x", Name: "limit"},
					{Group: "time", Name: "p50"}, {Group: "time", Name: "p99"}},
					Rows: []TableRow{
						{Cells: []Cell{{Text: "gcra:burst=100"}, {Text: "1.10", Style: Alarm}, {Text: "3"},
							{Text: "4"}}},
						{Cells: Cells("reference", "1.00", Absent, Absent), Faint: true},
					}},
				{Title: "who got through", Columns: append([]Column{{Name: "file", Words: true}},
					Numbers("got\nthrough")...),
					Rows: []TableRow{{Cells: []Cell{{Text: "a_b.yaml", Link: "a_b.yaml"}, {Text: "1"}}}}},
				{Title: "nothing", Columns: Numbers("n")},
			},
			Notes: Items("one", "two"),
		},
		{Lead: Items("three"), Notes: Items("four")},
	}
}

func onTerminal(t testing.TB, s Sheet, terminal Terminal) string {
	t.Helper()
	var out strings.Builder
	if err := s.WriteTerminal(&out, terminal); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestWriteTerminal(t *testing.T) {
	const want = `a|b
Is it so?
limit 1/1s
PARTIAL: interrupted

                    x      time
algorithm       limit  p50  p99
---------------------------------
gcra:burst=100   1.10    3    4
reference        1.00    -    -

who got through
file          got
          through
-------------------
a_b.yaml        1

one
two

three
four
`
	if got := onTerminal(t, example(), Terminal{}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestWriteMarkdown(t *testing.T) {
	const want = `### a\|b

Is it so?

limit 1/1s

**PARTIAL: interrupted**

| algorithm | x limit | time p50 | time p99 |
|:---|---:|---:|---:|
| gcra:burst=100 | **1.10** | 3 | 4 |
| *reference* | 1.00 | - | - |

Who got through:

| file | got through |
|:---|---:|
| [a\_b.yaml](a_b.yaml) | 1 |

- one
- two

- three
- four
`
	var got strings.Builder
	if err := example().WriteMarkdown(&got); err != nil {
		t.Fatal(err)
	}
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

// Colour adds escape sequences and changes no letter; what is there to compare with steps back, what alarms stands out.
func TestColourChangesNoLetter(t *testing.T) {
	plain, painted := onTerminal(t, example(), Terminal{}), onTerminal(t, example(), Terminal{Color: true})
	if text.StripEscape(painted) != plain {
		t.Errorf("without its colours\n%s\nwant\n%s", text.StripEscape(painted), plain)
	}
	for _, want := range []string{"\x1b[1;31m1.10\x1b[0m", "\x1b[2mreference\x1b[0m", "\x1b[1ma|b\x1b[0m"} {
		if !strings.Contains(painted, want) {
			t.Errorf("no %q in %q", want, painted)
		}
	}
}

// Nothing is wider than the terminal, as long as labels may be broken, and nothing is lost for it.
func TestATerminalsWidthIsHeeded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		label := rapid.StringMatching(`[a-z]{1,12}([-:][a-z]{1,12}){0,5}`)
		labels := rapid.SliceOfN(label, 1, 5).Draw(t, "labels")
		width := rapid.IntRange(60, 120).Draw(t, "width")
		table := Table{Columns: append([]Column{{Name: "algorithm", Words: true, Narrowest: 12}},
			Numbers("offered", "admitted", "rejected", "x\nlimit")...)}
		var sentence []string
		for _, l := range labels {
			table.Rows = append(table.Rows, TableRow{Cells: Cells(l, "1000000", "100000", "900000", ">1.00")})
			sentence = append(sentence, l, "and")
		}
		var out strings.Builder
		if err := (Sheet{{Lead: []Line{{Text: strings.Join(sentence, " ")}},
			Tables: []Table{table}}}).WriteTerminal(&out, Terminal{Width: width}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(out.String(), "\n") {
			if n := text.StringWidthWithoutEscSequences(line); n > width || strings.HasSuffix(line, " ") {
				t.Fatalf("%d columns of %d, or blanks at the end: %q", n, width, line)
			}
		}
		for _, l := range labels {
			first, _, _ := strings.Cut(l, "-")
			if !strings.Contains(out.String(), first[:1]) || strings.Count(out.String(), "1000000") != len(labels) {
				t.Fatalf("%s, or a figure, is lost:\n%s", l, out.String())
			}
		}
	})
}

// A group's name may be wider than its columns, whatever those are.
func TestGroupsHaveRoom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-z]{1,15}`)
		var table Table
		var row []string
		for range rapid.IntRange(1, 4).Draw(t, "groups") {
			group := word.Draw(t, "group")
			for range rapid.IntRange(1, 4).Draw(t, "columns") {
				table.Columns = append(table.Columns, Column{Group: group, Name: word.Draw(t, "name"), Leaves: 1})
				row = append(row, word.Draw(t, "cell"))
			}
		}
		table.Rows = []TableRow{{Cells: Cells(row...)}}
		var out strings.Builder
		if err := (Sheet{{Tables: []Table{table}}}).WriteTerminal(&out, Terminal{}); err != nil {
			t.Fatal(err)
		}
		heading, _, _ := strings.Cut(out.String(), "\n")
		for _, c := range table.Columns {
			if !strings.Contains(heading, c.Group) {
				t.Fatalf("no %s in\n%s", c.Group, out.String())
			}
		}
	})
}

// The columns that matter least leave first, and the reader is told.
func TestColumnsLeave(t *testing.T) {
	table := Table{Columns: []Column{{Name: "algorithm", Words: true, Narrowest: 10}, {Name: "offered", Leaves: 2},
		{Name: "admitted"}, {Name: "used\nup", Leaves: 1}},
		Rows: []TableRow{{Cells: Cells("fixed-window-aligned", "1", "2", "3")}}}
	for width, want := range map[int]string{
		0:  "algorithm offered admitted used|",
		40: "algorithm offered admitted used|",
		30: "algorithm admitted used|columns left out: offered",
		24: "algorithm admitted|columns left out: offered, used up",
	} {
		out := onTerminal(t, Sheet{{Tables: []Table{table}}}, Terminal{Width: width})
		heading, _, _ := strings.Cut(out, "\n")
		_, note, _ := strings.Cut(out, "columns left out:")
		if note != "" {
			note = "columns left out: " + strings.Join(strings.Fields(note), " ")
		}
		if got := strings.Join(strings.Fields(heading), " ") + "|" + note; got != want ||
			!strings.Contains(out, "aligned") {
			t.Errorf("%d columns: got %s, want %s in\n%s", width, got, want, out)
		}
	}
}

// failing is a destination that is full.
type failing struct{}

var errFull = errors.New("no space left")

func (failing) Write([]byte) (int, error) { return 0, errFull }

// A write that fails is reported by every format.
func TestWriteErrorsAreReturned(t *testing.T) {
	for _, format := range documentFormats.Names() {
		if err := documentFormats.Write(failing{}, format, resulttest.ExtremeCase(), Terminal{}); !errors.Is(err,
			errFull) {
			t.Errorf("%s: error %v, want %v", format, err, errFull)
		}
	}
	decisions := NewDecisions(failing{}, t.TempDir())
	if _, err := decisions.Watch("s", "a"); err != nil {
		t.Fatal(err)
	}
	if err := decisions.Join(); !errors.Is(err, errFull) {
		t.Errorf("decisions: error %v, want %v", err, errFull)
	}
}
