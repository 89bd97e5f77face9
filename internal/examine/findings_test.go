package examine

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/result"
	"ratelab/internal/scenario"
	"ratelab/internal/script"
)

// Each fault has a script with exactly it, one that has it together with another fault, and one that has neither. Each
// is named by its own cause, and nothing else is. The comment of an archive has a line for each script with its faults.
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
			words := strings.Fields(line)
			is := func(f txtar.File) bool { return f.Name == words[0]+".lua" }
			switch {
			case words[0] == "limit":
				p = policyOf(t, words[1:])
			case slices.ContainsFunc(archive.Files, is):
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
		p.Contract = limit.ByBucket
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
	return Script{Asked: &p, At: limiter.OfFile(file).At}
}

// faults are the kinds of an examination's faults, sorted, with the limits where those are others.
func faults(e *result.Examination) (kinds []string) {
	for _, f := range e.Findings[:e.Faults()] {
		kind := f.Kind
		if f.Limit != e.Limit && !strings.Contains(f.Text, fewer) {
			kind += "@" + strings.NewReplacer(" by bucket", "", " burst ", ":").Replace(f.Limit.Policy().String())
		}
		kinds = append(kinds, kind)
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

// The scenario of a finding has the traffic that shows it.
func TestScenariosHoldTheTraffic(t *testing.T) {
	for file, words := range map[string]string{"counts_rejected": "20/7s", "shares_keys": "20/7s",
		"ignores_cost": "20/7s", "no_limit": "30/1s 10", "loses_fraction": "20/7s", "client_clock": "20/7s",
		"sweep": "100/1m"} {
		archive, err := txtar.ParseFile("testdata/" + file + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		script := "both.lua"
		if file == "sweep" {
			script = "zero.lua"
		}
		e := examined(t, archived(archive, script, policyOf(t, strings.Fields(words))))
		for i := range e.Findings {
			f := &e.Findings[i]
			path := filepath.Join(t.TempDir(), FileName(e, f))
			if err := os.WriteFile(path, Scenario(e, f), 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := scenario.Load(path)
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			var got []limit.Request
			for q, err := range s.Stream(1).Requests() {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, q)
			}
			var want []limit.Request
			for _, v := range f.Traffic {
				for n := range v.Requests / v.AtOnce {
					for range v.AtOnce {
						want = append(want, limit.Request{AtUS: v.AtUS + n*v.EveryUS, Key: v.Key, Cost: v.Cost})
					}
				}
			}
			if int64(len(want)) != f.Requests || result.LimitOf(s.Limit) != f.Limit {
				t.Errorf("%s: %d requests, want %d", f.Kind, len(want), f.Requests)
			}
			if f.Kind == "shares_keys" { // the file asks for the first key beside the second
				got = slices.Delete(got, len(got)-2, len(got)-1)
				got[len(got)-1].AtUS = want[len(want)-1].AtUS
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %v, want %v", f.Kind, got, want)
			}
		}
	}
}
