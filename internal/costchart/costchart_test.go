package costchart_test

import (
	"os"
	"strings"
	"testing"

	"ratelab/internal/costchart"
	"ratelab/internal/costresult"
	"ratelab/internal/result"
)

func document() *costresult.Document {
	d := &costresult.Document{Server: result.Server{Kind: "process", Name: "redis", Version: "7.0.15"},
		Valgrind: "3.19.0", Architecture: "amd64"}
	none := []costresult.Path{{State: costresult.Any, Instructions: 22000}}
	d.Rows = []costresult.Row{{Algorithm: "none", Paths: none},
		{Algorithm: "dear"}, {Algorithm: "a-script-with-a-name-that-is-longer-than-there-is-room"}}
	for i := range d.Rows[1:] {
		for k, state := range costresult.States() {
			d.Rows[i+1].Paths = append(d.Rows[i+1].Paths,
				costresult.Path{State: state, Instructions: float64(90000 - 30000*i + 1000*k)})
		}
	}
	return d
}

// The picture has the rows, cheapest first, what made it, and a CSV beside it; the same document gives the same bytes.
func TestThePicture(t *testing.T) {
	dir := t.TempDir()
	var texts []string
	for range 2 {
		files, err := costchart.Write(dir, document(), "svg")
		if err != nil || len(files) != 2 {
			t.Fatal(files, err)
		}
		text, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	if texts[0] != texts[1] {
		t.Error("two pictures of one document differ")
	}
	at := 0
	for _, want := range []string{"How many instructions", "full log", ">none<", "a-script-wit", ">dear<",
		"redis 7.0.15", "valgrind 3.19.0"} {
		next := strings.Index(texts[0][at:], want)
		if next < 0 {
			t.Fatalf("%q is not there, or not in its place", want)
		}
		at += next
	}
}
