package simchart

import (
	"bytes"
	"encoding/csv"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ratelab/internal/chart"
	"ratelab/internal/curves"
	"ratelab/internal/limit"
	"ratelab/internal/longtest"
)

var preview = flag.String("preview", "", "a folder to draw every test picture into, to be looked at")

// A picture can only be judged by looking at it: go test -run Preview -preview /tmp/charts.
func TestPreview(t *testing.T) {
	if *preview == "" {
		t.Skip("nobody looks")
	}
	if err := os.MkdirAll(*preview, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, in := range situations() {
		if _, err := Write(*preview, in); err != nil {
			t.Fatal(err)
		}
	}
}

// Each picture in each format, and its data, once; nothing else is left in the folder.
func TestWriteNamesItsFiles(t *testing.T) {
	dir := t.TempDir()
	in := one()
	in.Algorithms[0].Series.DelayUS = make([]int64, len(in.Traffic.Offered))
	in.Algorithms[0].Series.DelayUS[0] = 1_234_567
	in.Algorithms[0].Series.Keys = make([]int64, len(in.Traffic.Offered))
	in.Algorithms[0].Series.Keys[0] = 4_321
	paths, err := Write(dir, in)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(read(t, filepath.Join(dir, "one-algorithm.delay.svg"))), ">1,235<") {
		t.Error("the longest delay is not on its picture, in ms")
	}
	if !strings.Contains(string(read(t, filepath.Join(dir, "one-algorithm.keys.svg"))), ">4,321<") {
		t.Error("the most keys are not on their picture")
	}
	var want []string
	for _, figure := range curves.Names() {
		for _, extension := range []string{"svg", "png", "csv"} {
			want = append(want, filepath.Join(dir, "one-algorithm."+figure+"."+extension))
		}
	}
	if got := strings.Join(paths, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("wrote\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != len(want) {
		t.Errorf("%d files are left (%v), want the %d that were named", len(left), err, len(want))
	}
}

// What only grows is the point of the chart of keys: a row with hundreds of times as many as the next is not cut off.
func TestKeysAreNotCutOff(t *testing.T) {
	in := one()
	in.Algorithms = append(in.Algorithms, in.Algorithms[0])
	in.Run.Results = append(in.Run.Results, in.Run.Results[0])
	in.Algorithms[1].Label, in.Run.Results[1].Algorithm = "other", "other"
	for i, most := range []int64{4_321, 10} {
		in.Algorithms[i].Series.Keys = slices.Repeat([]int64{most}, len(in.Traffic.Offered))
	}
	dir := t.TempDir()
	if _, err := Write(dir, in, "svg"); err != nil {
		t.Fatal(err)
	}
	text := string(read(t, filepath.Join(dir, "one-algorithm.keys.svg")))
	if !strings.Contains(text, ">4,321<") || strings.Contains(text, "cut off") {
		t.Error("the most keys are cut off")
	}
}

// The same input gives the same bytes, also over files that are there already. (PNG of one input: they take long.)
func TestWriteTwiceGivesTheSameBytes(t *testing.T) {
	dir := t.TempDir()
	for i, in := range situations()[:longtest.Of(len(situations()), 3)] {
		formats := []string{"svg"}
		if i == 2 {
			formats = chart.Formats()
		}
		paths, err := Write(dir, in, formats...)
		if err != nil {
			t.Fatal(err)
		}
		var first [][]byte
		for _, path := range paths {
			first = append(first, read(t, path))
		}
		if _, err := Write(dir, in, formats...); err != nil {
			t.Fatal(err)
		}
		for i, path := range paths {
			if !bytes.Equal(first[i], read(t, path)) {
				t.Errorf("%s differs when drawn again", filepath.Base(path))
			}
		}
	}
}

// What cannot be drawn is said in one line, and no file is begun.
func TestWriteRefuses(t *testing.T) {
	shorter := one()
	shorter.Algorithms[0].Series.Rolling = shorter.Algorithms[0].Series.Rolling[1:]
	upwards := one()
	upwards.Run.Scenario = "../escape"
	empty := one()
	empty.Traffic.Offered = nil
	nobody := one()
	nobody.Algorithms = nil
	cases := []struct {
		in      curves.Input
		formats []string
		want    string
	}{
		{curves.Input{}, nil, "chart: no run"},
		{one(), []string{"gif"}, `chart format "gif": want one of svg, png`},
		{upwards, nil, `chart: scenario "../escape" is not a file name`},
		{nobody, nil, "chart one-algorithm: no algorithm to draw"},
		{empty, nil, "chart one-algorithm: 0 buckets of 11719 us: want at least one of at least 1 us"},
		{shorter, nil,
			`chart one-algorithm: the buckets of "gcra" (512 and 511 of 11719 us) are not those of the traffic (512 of 11719 us)`},
	}
	for _, c := range cases {
		dir := t.TempDir()
		_, err := Write(dir, c.in, c.formats...)
		if err == nil || err.Error() != c.want {
			t.Errorf("error %v, want %s", err, c.want)
		}
		if left, _ := os.ReadDir(dir); len(left) != 0 {
			t.Errorf("%s: %d files were written all the same", c.want, len(left))
		}
	}
	if _, err := Write(filepath.Join(t.TempDir(), "absent"), one()); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("a folder that is not there: error %v, want one line", err)
	}
}

// Three requests against a limit of two, by hand: two buckets of one second.
func TestDataByHand(t *testing.T) {
	tiny := traffic{"tiny", "?", limit.Policy{Requests: 2, Window: 2 * time.Second}, 2 * time.Second,
		[]int64{0, 500_000, 1_000_000}}
	dir := t.TempDir()
	in := play(tiny, 2, contender{"none", everything}, contender{"=gcra", slidingLog})
	if _, err := Write(dir, in, "svg"); err != nil {
		t.Fatal(err)
	}
	for figure, want := range map[string]string{
		"admitted":   "t_us,offered,none,'=gcra,reference\n0,2,2,2,2\n1000000,1,1,0,0\n",
		"window":     "t_us,offered,none,'=gcra,reference,limit\n0,2,2,2,2,2\n1000000,1,3,2,2,2\n",
		"cumulative": "t_us,offered,none,'=gcra,reference\n0,2,2,2,2\n1000000,3,3,2,2\n",
	} {
		if got := string(read(t, filepath.Join(dir, "tiny."+figure+".csv"))); got != want {
			t.Errorf("%s:\n%swant\n%s", figure, got, want)
		}
	}
	// Half a second is half open: it holds one of two requests that lie so far apart.
	for _, want := range []string{"interval_us,none,'=gcra,limit,none bound,'=gcra bound\n1000,1,1,2,,2\n",
		"\n500000,1,1,2,,2\n700000,2,2,2,,2\n",
		"\n1500000,3,2,2,,2\n2000000,3,2,2,,2\n", "\n20000000,3,2,20,,20\n"} {
		if got := string(read(t, filepath.Join(dir, "tiny.timescale.csv"))); !strings.Contains(got, want) {
			t.Errorf("timescale:\n%swant among it\n%s", got, want)
		}
	}
}

// The CSV keeps every bucket and every row, also the one that has no panel; the last total is the picture's.
func TestDataKeepsEverything(t *testing.T) {
	dir := t.TempDir()
	if _, err := Write(dir, play(caseOne(), 512, twelve(1000)...), "svg"); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(bytes.NewReader(read(t, filepath.Join(dir, "extreme-case-1.cumulative.csv")))).ReadAll()
	if err != nil || len(lines) != 1+512 {
		t.Fatalf("%d lines (%v), want a header and 512 buckets", len(lines), err)
	}
	totals := map[string]int64{}
	for i, name := range lines[0] {
		totals[name], _ = strconv.ParseInt(lines[512][i], 10, 64)
	}
	for name, want := range map[string]int64{"none": 2000, "fixed-window-aligned": 2000, "gcra": 1785,
		"gcra:burst=100": 885, "reference": 1020} {
		if totals[name] != want {
			t.Errorf("%s ends at %d, want %d", name, totals[name], want)
		}
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The worked case by its time scale: the aligned window's overshoot takes three seconds, that of a burst at one
// instant none at all.
func TestTimescalesAreTold(t *testing.T) {
	all := play(caseOne(), 512, twelve(1000)...)
	atOnce := traffic{"at-once", "?", limit.Policy{Requests: 100, Window: time.Second}, 2 * time.Second,
		make([]int64, 200)}
	for i := range atOnce.arrivals {
		atOnce.arrivals[i] = 999_990 + int64(i)/10 // a hundred on each side of a second's beginning
	}
	for _, c := range []struct {
		in    curves.Input
		label string
		want  string
	}{
		{all, "fixed-window-aligned", "1.98 × over 3 s, above 1 × in 1.5 s"},
		{all, "sliding-window-log", "within the limit"},
		{play(atOnce, 100, contender{"fixed-window-aligned", alignedWindow}), "fixed-window-aligned",
			"2.00 × the limit within 1 ms"},
	} {
		drawn := figuresOf(c.in)
		f := drawn[len(drawn)-1]
		for _, p := range f.panels() {
			if p.Label == c.label && p.Fact != c.want {
				t.Errorf("%s: %s: %q; want %q", c.in.Run.Scenario, c.label, p.Fact, c.want)
			}
		}
	}
}

// Without time scales, as on the real clock, the other pictures are drawn.
func TestNoTimescalesNoPicture(t *testing.T) {
	in := one()
	in.Run.TimeScales = nil
	if got := len(figuresOf(in)); got != len(curves.Names())-3 { // nor does anything wait, nor are keys counted
		t.Errorf("%d pictures", got)
	}
}
