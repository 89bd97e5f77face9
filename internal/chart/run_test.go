package chart

import (
	"bytes"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/plot/plotter"
	"pgregory.net/rapid"

	"ratelab/internal/limit"
	"ratelab/internal/longtest"
	"ratelab/internal/measure"
)

// figureOf is the chart of that name.
func figureOf(t *testing.T, figures []*Figure, name string) *Figure {
	t.Helper()
	i := slices.IndexFunc(figures, func(f *Figure) bool { return strings.HasSuffix("."+f.Name, "."+name) })
	if i < 0 {
		t.Fatalf("no chart %s", name)
	}
	return figures[i]
}

// The pictures of runs survive every situation, and one that was drawn twice has the same bytes.
func TestPicturesOfRuns(t *testing.T) {
	for _, in := range situations()[:longtest.Of(len(situations()), 7)] {
		figures := OfRun(in)
		show(t, "runs", figures)
		for _, f := range figures {
			checkPicture(t, f)
		}
	}
	for _, f := range OfRun(one()) {
		for _, format := range []string{"svg", "png"} {
			if !bytes.Equal(f.Encode(format, false, 1), f.Encode(format, false, 1)) {
				t.Errorf("%s.%s differs when drawn again", f.Name, format)
			}
		}
	}
}

// The figures that the worked cases are known for can be read off the picture of the rolling window.
func TestWindowFigureShowsTheWorkedPeaks(t *testing.T) {
	text := "\n" + words(t, OfRun(play(caseOne(), 512, thirteen...))[1]) + "\n"
	for _, want := range []string{"limit 1,000", "1,980", "1.98 × the limit", "1,412", "1,765", "865",
		"within the limit"} {
		if !strings.Contains(text, "\n"+want+"\n") {
			t.Errorf("no %q among %s", want, text)
		}
	}
	if strings.Contains(text, "1.00 × the limit") {
		t.Error("a peak at the limit is shown as an overshoot")
	}
}

// Title, limit, unit, origin and version are on each page; only the row none has no panel.
func TestPagesSayWhatTheyShow(t *testing.T) {
	in := play(caseOne(), 512, thirteen...)
	// of the horizontal axis
	last := map[string]string{"admitted": "6 s", "window": "6 s", "cumulative": "6 s", "timescale": "1 s"}
	for _, f := range OfRun(in) {
		text, name := words(t, f), strings.TrimPrefix(f.Name, "extreme-case-1.")
		for _, want := range []string{in.Run.Question, "Limit 1,000 per 3 s.", "extreme-case-1", "seed 1",
			"miniredis 2.40.0 (embedded, pipe)", "ratelab v1.0.0", "sliding-window-counter", "gcra:burst=100",
			f.strips[0].Unit, last[name]} {
			if !strings.Contains(strings.ReplaceAll(text, "\n", " "), want) {
				t.Errorf("%s: no %q", f.Name, want)
			}
		}
		if strings.Contains(text, "\nnone\n") || len(f.columns) != 12 {
			t.Errorf("%s: none has a panel, or another has not (%d panels)", f.Name, len(f.columns))
		}
	}
}

func TestPartialRunsSaySo(t *testing.T) {
	for _, f := range OfRun(withNone()) {
		if !strings.HasPrefix(f.Subtitle, "PARTIAL") {
			t.Errorf("%s does not say that its run was interrupted", f.Name)
		}
	}
}

// Costs make the axis count tokens.
func TestUnitFollowsTheCosts(t *testing.T) {
	in := one()
	in.Run.Reference = &measure.Result{Offered: 100, OfferedCost: 300}
	for _, f := range OfRun(in) {
		if !strings.HasPrefix(f.strips[0].Unit, "tokens") {
			t.Errorf("%s: unit %q, want tokens", f.Name, f.strips[0].Unit)
		}
	}
}

// Each picture in each format, and its data, once; nothing else is left in the folder.
func TestWriteNamesItsFiles(t *testing.T) {
	in := one()
	in.Algorithms = append(in.Algorithms, in.Algorithms[0])
	in.Algorithms[1].Label = "other"
	in.Algorithms[0].Series.DelayUS = make([]int64, len(in.Traffic.Offered))
	in.Algorithms[0].Series.DelayUS[0] = 1_234_567
	dir, figures := t.TempDir(), OfRun(in)
	paths, err := Write(dir, figures, Style{[]string{"svg", "png"}, Auto, 1})
	if err != nil {
		t.Fatal(err)
	}
	if text := words(t, figureOf(t, figures, "delay")); !strings.Contains(text, "\n1,235\n") {
		t.Errorf("the longest delay is not on its picture, in ms:\n%s", text)
	}
	var want []string
	for _, name := range []string{"admitted", "window", "cumulative", "delay", "timescale"} {
		for _, extension := range []string{"svg", "dark.svg", "png", "dark.png", "csv"} {
			want = append(want, filepath.Join(dir, "one-algorithm."+name+"."+extension))
		}
	}
	if !slices.Equal(paths, want) {
		t.Errorf("wrote\n%s\nwant\n%s", strings.Join(paths, "\n"), strings.Join(want, "\n"))
	}
	for extension, dark := range map[string]bool{"svg": false, "dark.svg": true} {
		have, err := os.ReadFile(filepath.Join(dir, "one-algorithm.window."+extension))
		if err != nil || !bytes.Equal(have, figureOf(t, figures, "window").Encode("svg", dark, 1)) {
			t.Errorf("the file %s is of the other theme (%v)", extension, err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != len(want) {
		t.Errorf("%d files are left (%v), want the %d that were named", len(left), err, len(want))
	}
	_, err = Write(filepath.Join(dir, "absent"), figures, Style{Formats: []string{"svg"}})
	if err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("a folder that is not there: error %v, want one line", err)
	}
}

// In a log with dates, the axis of every chart over time has the dates and times of the log, in UTC.
func TestALogsChartHasDates(t *testing.T) {
	in := day()
	in.Run.FirstUS = time.Date(2026, 3, 2, 21, 0, 0, 0, time.UTC).UnixMicro()
	for _, f := range OfRun(in) {
		text := "\n" + words(t, f) + "\n"
		if dated := strings.Contains(text, "\n3 Mar\n") && strings.Contains(text, "\n12:00\n") &&
			!strings.Contains(text, "\n12 h\n"); dated == strings.HasSuffix(f.Name, ".timescale") {
			t.Errorf("%s: dates %v on the axis, in\n%s", f.Name, dated, text)
		}
	}
}

// A scale of 2 doubles the px in both directions and moves nothing: each px of the small picture has nearly the mean
// colour of its four px in the large one.
func TestScaleKeepsTheLayout(t *testing.T) {
	var sizes [2]image.Image
	for i := range sizes {
		var err error
		if sizes[i], err = png.Decode(bytes.NewReader(OfRun(one())[1].Encode("png", true, 1+i))); err != nil {
			t.Fatal(err)
		}
	}
	small, large := sizes[0], sizes[1]
	if small.Bounds().Dx() != pageWidth || large.Bounds().Max != small.Bounds().Max.Mul(2) {
		t.Fatalf("sizes %v and %v", small.Bounds(), large.Bounds())
	}
	red := func(m image.Image, x, y int) float64 {
		r, _, _, _ := m.At(x, y).RGBA()
		return float64(r) / 0xffff
	}
	off, n := 0.0, float64(small.Bounds().Dx()*small.Bounds().Dy())
	for x := range small.Bounds().Dx() {
		for y := range small.Bounds().Dy() {
			mean := 0.0
			for _, at := range [][2]int{{0, 0}, {1, 0}, {0, 1}, {1, 1}} {
				mean += red(large, 2*x+at[0], 2*y+at[1]) / 4
			}
			off += math.Abs(red(small, x, y)-mean) / n
		}
	}
	if off > 0.01 {
		t.Errorf("px differ by %.4f on average", off)
	}
}

// The HTML is that of a picture, whatever the words hold.
func TestPictureEscapes(t *testing.T) {
	want := "<picture>\n  <source media=\"(prefers-color-scheme: dark)\" srcset=\"a/b.window.dark.png\">\n" +
		"  <img alt=\"1 &lt; 2 &#34;per&#34; s\" src=\"a/b.window.png\">\n</picture>\n"
	if got := Picture("a/b.window.png", `1 < 2 "per" s`); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// Three requests against a limit of two, by hand: two buckets of one second.
func TestDataByHand(t *testing.T) {
	tiny := traffic{"tiny", "?", limit.Policy{Requests: 2, Window: 2 * time.Second}, 2 * time.Second,
		[]int64{0, 500_000, 1_000_000}}
	figures := OfRun(play(tiny, 2, contender{"none", "none"}, contender{"=gcra", "sliding-window-log"}))
	for name, want := range map[string]string{
		"admitted":   "t_us,offered,none,'=gcra,reference\n0,2,2,2,2\n1000000,1,1,0,0\n",
		"window":     "t_us,offered,none,'=gcra,reference,limit\n0,2,2,2,2,2\n1000000,1,3,2,2,2\n",
		"cumulative": "t_us,offered,none,'=gcra,reference\n0,2,2,2,2\n1000000,3,3,2,2\n",
	} {
		if got := string(figureOf(t, figures, name).Data); got != want {
			t.Errorf("%s:\n%swant\n%s", name, got, want)
		}
	}
}

// Every line passes through every value that it stands for, also in a last bin of which only a part is left, and
// wherever the axis begins.
func TestLinesPassThroughEveryValue(t *testing.T) {
	const width = 1000
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64Range(0, 1000), 1, 270).Draw(t, "values")
		begin := rapid.Int64Range(0, 1e9).Draw(t, "start")
		end := begin + int64(len(values))*width - rapid.Int64Range(0, width-1).Draw(t, "missing")
		b := bins{begin, width, end, 1000}
		stairs, slope, totals := steps(b, values), slopes(b, values), sums(b, values)
		for i, v := range values {
			at := func(x float64) plotter.XY { return plotter.XY{X: x, Y: float64(v)} }
			from, to := float64(begin)+float64(i*width), min(float64(begin)+float64((i+1)*width), float64(end))
			middle := min(from+width/2, float64(end))
			for name, ok := range map[string]bool{
				"steps":  stairs[2*i] == at(from) && stairs[2*i+1] == at(to),
				"slopes": slope[i+1] == at(middle),
				"sums":   totals[i+1] == at(to),
			} {
				if !ok {
					t.Fatalf("%s: value %d, %d, from %v to %v is not on the line", name, i, v, from, to)
				}
			}
		}
		if math.Abs(slope[len(slope)-1].X-float64(end)) > 1e-6 {
			t.Fatalf("the slope ends at %v, want %d", slope[len(slope)-1], end)
		}
	})
}

// However many columns there are, rows are about equally full, and no more than four of several strips stand side by
// side.
func TestGrid(t *testing.T) {
	for n, want := range []int{1: 1, 2: 2, 4: 4, 5: 3, 6: 3, 7: 4, 9: 3, 10: 4, 16: 4} {
		if want == 0 {
			continue
		}
		if got, _ := gridOf(n, 3); got != want {
			t.Errorf("%d columns of strips: %d side by side, want %d", n, got, want)
		}
	}
}
