package benchchart

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ratelab/internal/benchresult"
)

var (
	preview = flag.String("preview", "", "a folder to draw every test picture into, to be looked at")
	update  = flag.Bool("update", false, "write the golden pictures anew; look at them before they are committed")
)

// A picture can only be judged by looking at it: go test -run Preview -preview /tmp/charts.
func TestPreview(t *testing.T) {
	if *preview == "" {
		t.Skip("nobody looks")
	}
	for _, s := range situations() {
		dir := filepath.Join(*preview, s.name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if _, err := Write(dir, s.in, "png"); err != nil {
			t.Fatal(err)
		}
	}
}

// The pictures of the small result, and of a scenario that is less small, are those that were looked at.
func TestGoldenPictures(t *testing.T) {
	dir := t.TempDir()
	if *update {
		dir = "testdata"
	}
	storm := only("none", "gcra", "sliding-window-counter")
	storm.Runs, storm.Costs = storm.Runs[1:], nil
	paths, err := Write(dir, []*benchresult.Document{small()}, "svg")
	if err != nil {
		t.Fatal(err)
	}
	more, err := Write(dir, []*benchresult.Document{storm}, "svg") // has answers enough for response times
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(paths, more...) {
		if filepath.Ext(path) == ".csv" {
			_ = os.Remove(path) // by hand in another test
			continue
		}
		if got, want := string(read(t, path)), string(read(t,
			filepath.Join("testdata", filepath.Base(path)))); !*update && got != want {
			t.Errorf("%s is not the picture in testdata; look at it with -preview, then accept it with -update",
				filepath.Base(path))
		}
	}
}

// Each picture in each format, and its data, once; nothing else is left in the folder.
func TestWriteNamesItsFiles(t *testing.T) {
	dir := t.TempDir()
	paths, err := Write(dir, []*benchresult.Document{small()})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, picture := range []string{"tiny.admitted-latency", "tiny.latency-percentile",
		"server-cost", "throughput", "memory"} {
		for _, extension := range []string{"svg", "png", "csv"} {
			want = append(want, filepath.Join(dir, picture+"."+extension))
		}
	}
	if !slices.Equal(paths, want) {
		t.Errorf("wrote\n%s\nwant\n%s", strings.Join(paths, "\n"), strings.Join(want, "\n"))
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != len(want) {
		t.Errorf("%d files are left (%v), want the %d that were named", len(left), err, len(want))
	}
}

// No two results write over each other's latencies.
func TestWriteNamesTheServers(t *testing.T) {
	for _, s := range situations()[1:3] {
		var names []string
		for _, p := range drawn()[s.name] {
			names = append(names, p.Name)
		}
		if sorted := slices.Sorted(slices.Values(names)); len(slices.Compact(sorted)) != len(names) {
			t.Errorf("%s: two pictures of one name among %q", s.name, names)
		}
		if s.name == "two-servers" && !slices.Contains(names, "retry-storm.admitted-latency.valkey-8.1.1") {
			t.Errorf("no latencies of valkey among %q", names)
		}
	}
}

// The same results give the same bytes, also over files that are there already.
func TestWriteTwiceGivesTheSameBytes(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	for _, s := range situations()[:2] {
		paths, err := Write(first, s.in, "svg")
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, err := Write(second, s.in, "svg"); err != nil {
				t.Fatal(err)
			}
		}
		for _, path := range paths {
			if !bytes.Equal(read(t, path), read(t, filepath.Join(second, filepath.Base(path)))) {
				t.Errorf("%s differs when drawn again", filepath.Base(path))
			}
		}
	}
	pngs := [2][]byte{}
	for i := range pngs {
		pictures, _ := draw(newScene([]*benchresult.Document{small()}))
		pngs[i] = pictures[0].Encode("png")
	}
	if !bytes.Equal(pngs[0], pngs[1]) {
		t.Error("a PNG differs when drawn again")
	}
}

// What cannot be drawn is said in one line, and no file is begun.
func TestWriteRefuses(t *testing.T) {
	upwards, twice, other, empty, holes := small(), small(), small(), &benchresult.Document{}, small()
	upwards.Runs[0].Scenario = "../escape"
	twice.Runs = append(twice.Runs, twice.Runs[0])
	other.Runs[0].Seed++
	holes.Runs[0].Rows[1].Open.Latency.Rejected.Response = nil
	dearerLimit := small()
	dearerLimit.Settings.CostLimit.Requests++
	many := []*benchresult.Document{small(), small(), small(), small(), small()}
	cases := []struct {
		in      []*benchresult.Document
		formats []string
		want    string
	}{
		{nil, nil, "chart: no result"},
		{[]*benchresult.Document{nil}, nil, "chart: no result"},
		{[]*benchresult.Document{empty}, nil, "chart: a result without scenarios and without costs: nothing to draw"},
		{[]*benchresult.Document{small()}, []string{"gif"}, `chart format "gif": want one of svg, png`},
		{[]*benchresult.Document{upwards}, nil, `chart: scenario "../escape" is not a file name`},
		{[]*benchresult.Document{twice}, nil,
			`chart: scenario "tiny" stands twice in a result: its pictures would be written over each other`},
		{[]*benchresult.Document{small(), other}, nil,
			`chart: scenario "tiny" has other traffic, another seed, limit or length in each result: draw them one by one`},
		{[]*benchresult.Document{small(), dearerLimit}, nil,
			"chart: the results measured costs under different limits: draw them one by one"},
		{[]*benchresult.Document{holes}, nil,
			`chart tiny: "gcra": a histogram of the response or the service time is missing`},
		{many, nil, "chart: 5 results: want at most 4, which is how many can be told apart"},
	}
	for _, c := range cases {
		dir := t.TempDir()
		if _, err := Write(dir, c.in, c.formats...); err == nil || err.Error() != c.want {
			t.Errorf("error %v, want %s", err, c.want)
		}
		if left, _ := os.ReadDir(dir); len(left) != 0 {
			t.Errorf("%s: %d files were written all the same", c.want, len(left))
		}
	}
}

// What was not measured is not drawn, and named with its reason.
func TestLeftOutSaysWhy(t *testing.T) {
	notes, err := LeftOut([]*benchresult.Document{shared()})
	want := []string{
		"server-cost: the server did not tell what a call cost it; others use it, or it keeps no statistics",
		"memory: no fill was measured, or the server does not tell what a key takes",
	}
	if err != nil || !slices.Equal(notes, want) {
		t.Errorf("left out (%v)\n%s\nwant\n%s", err, strings.Join(notes, "\n"), strings.Join(want, "\n"))
	}
	if notes, err := LeftOut([]*benchresult.Document{small()}); err != nil || len(notes) != 0 {
		t.Errorf("of a complete result %q is left out (%v)", notes, err)
	}
	notes, err = LeftOut([]*benchresult.Document{shared(), valkey()})
	want = []string{
		"server-cost: nothing of redis 8.0.3: the server did not tell what a call cost it",
		"memory: redis 8.0.3 has no fill",
	}
	if err != nil || !slices.Equal(notes, want) {
		t.Errorf("beside another server (%v)\n%s\nwant\n%s", err, strings.Join(notes, "\n"), strings.Join(want, "\n"))
	}
}
