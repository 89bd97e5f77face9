package examine

import (
	"bytes"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"ratelab/internal/limit"
	"ratelab/internal/result"
	"ratelab/internal/run"
	"ratelab/internal/script"
)

// Each fault has a script with exactly it, one that has it together with another fault, and one that has neither. Each
// is named by its own cause, and nothing else is.
func TestFindings(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var p limit.Policy
		for line := range strings.Lines(string(archive.Comment)) {
			switch words := strings.Fields(line); words[0] {
			case "limit":
				p = policyOf(t, words[1:])
			case "exactly", "both", "neither":
				name := strings.TrimSuffix(filepath.Base(file), ".txtar") + ", " + words[0]
				t.Run(name, func(t *testing.T) {
					e := examined(t, archived(archive, words[0]+".lua", p))
					if got := faults(e); !slices.Equal(got, slices.Sorted(slices.Values(words[1:]))) {
						t.Errorf("%v, want %v: %+v", got, words[1:], texts(e))
					}
				})
			}
		}
	}
}

// policyOf reads a limit and its burst.
func policyOf(t *testing.T, words []string) limit.Policy {
	p, err := limit.ParsePolicy(words[0])
	if err != nil {
		t.Fatal(err)
	}
	if len(words) > 1 {
		if _, err := fmt.Sscan(words[1], &p.Burst); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// archived is a script of an archive, with its binding beside it.
func archived(a *txtar.Archive, name string, p limit.Policy) Script {
	file := script.File{Name: name, Read: func(name string) ([]byte, error) {
		for _, f := range a.Files {
			if f.Name == name {
				return bytes.Clone(f.Data), nil
			}
		}
		return nil, fs.ErrNotExist
	}}
	return Script{Asked: &p, Under: func(p limit.Policy) (*run.Limiter, error) { return run.Own(file, p) }}
}

// faults are the kinds of an examination's faults, sorted.
func faults(e *result.Examination) (kinds []string) {
	for _, f := range e.Findings[:e.Faults()] {
		kinds = append(kinds, f.Kind)
	}
	slices.Sort(kinds)
	return kinds
}

func texts(e *result.Examination) (all []string) {
	for _, f := range e.Findings {
		all = append(all, f.Kind+": "+f.Text)
	}
	return all
}
