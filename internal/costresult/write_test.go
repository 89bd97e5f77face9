package costresult_test

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ratelab/internal/costresult"
	"ratelab/internal/limit"
	"ratelab/internal/result"
	"ratelab/internal/result/resulttest"
	"ratelab/internal/sheet"
)

var update = flag.Bool("update", false, "write the files of testdata anew; read the difference")

func pointer[T any](v T) *T { return &v }

var (
	slow = result.LimitOf(limit.Policy{Requests: 100, Window: time.Hour})
	fast = result.LimitOf(limit.Policy{Requests: 10, Window: time.Second})
)

func path(state string, under result.Limit, instructions, calls float64) costresult.Path {
	return costresult.Path{State: state, Limit: under, Decisions: 100, Instructions: instructions,
		RatioToControl: instructions / 22000, Allocations: pointer(44.2), Commands: calls, ReplicatedBytes: 112,
		BytesPerKey: pointer(int64(120))}
}

// example has paths that are joined, over states and over limits, and such that are not: 0.6 % apart, or of other
// calls.
func example() *costresult.Document {
	const sha = "448cae75579a4b31d33ae8ac263552b204ebaaf1"
	control := path(costresult.Any, slow, 22000, 0)
	control.Allocations, control.BytesPerKey = nil, nil
	return &costresult.Document{
		SchemaVersion: result.Cost.Version, Kind: result.Cost.Kind, Tool: result.Tool{Name: "bench", Version: "v1"},
		Server: result.Server{Kind: "container", Name: "redis", Version: "8.0.2", Transport: "unix"},
		Image:  "redis:8.0", Valgrind: "3.19.0", Architecture: "amd64", Partial: true,
		Rows: []costresult.Row{
			{Algorithm: "none", ScriptSHA1: sha, Paths: []costresult.Path{control}},
			{Algorithm: "gcra", ScriptSHA1: sha, Parameters: map[string]string{"burst": "10"},
				Paths: []costresult.Path{
					path(costresult.First, slow, 65000, 3), path(costresult.First, fast, 65300, 3),
					path(costresult.Steady, slow, 65390, 3), path(costresult.Steady, fast, 71000, 3),
					path(costresult.Burst, slow, 71010, 2), path(costresult.Burst, fast, 61000, 3),
				},
				Missing: []costresult.Missing{{State: costresult.FullLog, Reason: "it keeps no log"},
					{State: costresult.Cost2, Limit: &fast, Reason: "the capacity is less"}}},
		},
	}
}

func TestForms(t *testing.T) {
	wide := func(columns int) func(io.Writer, *costresult.Document) error {
		return func(w io.Writer, d *costresult.Document) error {
			return costresult.WriteTable(w, d, sheet.Terminal{Width: columns})
		}
	}
	for name, write := range map[string]func(io.Writer, *costresult.Document) error{
		"table.txt": wide(0), "narrow.txt": wide(80), "table.md": costresult.WriteMarkdown,
		"table.csv": costresult.WriteCSV,
	} {
		var got bytes.Buffer
		if err := write(&got, example()); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got.String()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// What is written keeps the schema, and is read back as it was.
func TestDocumentsAreReadBack(t *testing.T) {
	var text bytes.Buffer
	if err := costresult.WriteJSON(&text, example()); err != nil {
		t.Fatal(err)
	}
	if err := resulttest.Validate(t, result.Cost, text.String()); err != nil {
		t.Error(err)
	}
	file := filepath.Join(t.TempDir(), result.Cost.File)
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := costresult.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	want := result.WithoutNulls(*example()).(costresult.Document)
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Error(diff)
	}
	other := strings.Replace(text.String(), `"cost"`, `"tea"`, 1)
	if err := os.WriteFile(file, []byte(other), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := costresult.Read(file); err == nil || !strings.Contains(err.Error(), `of kind "tea"`) {
		t.Errorf("%v", err)
	}
}

// The mean of 65000, 65300, 65390, 71000, 71010 and 61000 is 66450.
func TestMeansAndRanges(t *testing.T) {
	row := example().Of("gcra")
	if least, most := row.Range(); row.Mean() != 66450 || least != 61000 || most != 71010 {
		t.Errorf("%v, %v to %v", row.Mean(), least, most)
	}
	if example().Of("other") != nil || (&costresult.Row{}).Mean() != 0 {
		t.Error("figures of what is not there")
	}
}
