package page

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ratelab/internal/chart"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// The page and the pictures show the same values of the same run: the figures that stand in a picture are those of the
// page's key, and each place of the page has what the data beside the picture says of its time.
func TestThePageShowsWhatThePicturesShow(t *testing.T) {
	in := large()
	dir := t.TempDir()
	if _, err := chart.Write(dir, chart.OfRun(in.Charts[0]), chart.Style{Formats: []string{"svg"}}); err != nil {
		t.Fatal(err)
	}
	drawn := plots(in, 0, newLabels(in.Document.Runs, nil))
	if len(drawn) < 2 {
		t.Fatalf("%d charts, want at least 2", len(drawn))
	}
	for _, p := range drawn {
		name := p.Kind
		base := filepath.Join(dir, in.Document.Runs[0].Scenario+"."+name)
		picture, err := os.ReadFile(base + ".svg")
		if err != nil {
			t.Fatal(err)
		}
		columns := columnsOf(t, base+".csv")
		for _, c := range p.Curves {
			if !strings.Contains(string(picture), ">"+c.Most+"<") && c.Shown.Text != result.ReferenceLabel {
				t.Errorf("%s: the page says %s of %s, and the picture does not", name, c.Most, c.Shown.Text)
			}
			checkPlaces(t, p, c, columns)
		}
	}
}

// checkPlaces compares a curve over time with the buckets.
func checkPlaces(t *testing.T, p plot, c curve, columns map[string][]int64) {
	t.Helper()
	step, err := strconv.ParseFloat(p.Step, 64)
	if err != nil || p.UnitName != "s" {
		t.Fatalf("a step of %s %s", p.Step, p.UnitName)
	}
	name := strings.Replace(c.Shown.Text, result.ReferenceLabel, "reference", 1)
	want := make([]int64, p.Last+1)
	for bucket, startUS := range columns["t_us"] {
		place := int(float64(startUS) / (step * 1e6))
		want[place] = max(want[place], columns[name][bucket]) // of sums so far the highest is the last
	}
	got := placed(t, c.Path)
	if len(got) != len(want) || len(want) == len(columns["t_us"]) {
		t.Fatalf("%s: %d places of %s for %d buckets", p.Kind, len(got), name, len(columns["t_us"]))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%s: place %d of %s is %d on the page and %d in the data", p.Kind, i, name, got[i], want[i])
		}
	}
}

// columnsOf reads a file of whole numbers under a head.
func columnsOf(t *testing.T, path string) map[string][]int64 {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	columns := map[string][]int64{}
	for _, line := range lines[1:] {
		for i, text := range line {
			v, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			columns[lines[0][i]] = append(columns[lines[0][i]], v)
		}
	}
	return columns
}

// The page ends where the scenario does, also within its last bucket.
func TestTheLastPlaceMayBeNarrower(t *testing.T) {
	in := halved()
	p := plots(in, 0, newLabels(in.Document.Runs, nil))[0]
	if p.Width != "3.5" || p.Last != 3 || p.End != "3.5" || p.Limit != "M0 4H3.5" {
		t.Errorf("%+v", p)
	}
	last := p.XTicks[len(p.XTicks)-1]
	if last.At != "100%" || last.Label != report.Natural(3_500_000) {
		t.Errorf("the axis ends at %+v", last)
	}
}
