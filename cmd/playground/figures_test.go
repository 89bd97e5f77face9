package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"ratelab/algorithms"
	"ratelab/internal/clients"
	servers "ratelab/internal/engine"
	"ratelab/internal/load"
	"ratelab/internal/longtest"
	"ratelab/internal/redis"
	"ratelab/internal/result"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
	"ratelab/internal/script"
)

// The page's rows are those of simulate to the byte, in the 20 scenarios with the fewest requests: the visitor's as by
// simulate NAME --script my.lua --format json, the others as by simulate NAME --redis model --format json.
func TestFigures(t *testing.T) {
	all, err := scenario.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	requests := func(s *scenario.Scenario) int64 { n, _ := s.Stream(s.Seed).Count(); return n }
	slices.SortFunc(all, func(a, b *scenario.Scenario) int { return cmp.Compare(requests(a), requests(b)) })
	own := examples()[4]
	q := question{Script: own.Script, Binding: own.Binding}
	all = slices.DeleteFunc(all, func(s *scenario.Scenario) bool { // half a minute each
		obeys := func(g clients.Group) bool { return g.OnReject == clients.Obey }
		return s.RequestsEnd() || slices.ContainsFunc(s.Clients, obeys)
	})
	for _, s := range all[:longtest.Of(20, 5)] {
		models := run.Ask{}
		scripts := run.Ask{Algorithms: []algorithms.Choice{}, Scripts: []script.File{q.file()}}
		want := append(rows(t, played(t, &models, s.Name)), rows(t, played(t, &scripts, s.Name))[0])
		got := rows(t, documentOf(t, own, s.Name))
		i := slices.IndexFunc(got, func(row string) bool { return strings.Contains(row, `"algorithm": "my"`) })
		got = slices.Concat(got[:i], got[i+1:], got[i:i+1])
		if d := diff.Diff(want, got); d != "" {
			t.Errorf("%s (-simulate +page):\n%s", s.Name, d)
		}
	}
}

// played is the document of simulate.
func played(t *testing.T, ask *run.Ask, name string) string {
	t.Helper()
	s, err := scenario.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	var on run.Engine
	if len(ask.Scripts) > 0 {
		s.Sequences, s.Expect = nil, nil // of other rows
		e, err := servers.Start(t.Context(), servers.Spec{Redis: redis.KindEmbedded, Clock: load.Wall})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		on = e
	}
	ask.Scenarios = []*scenario.Scenario{s}
	found, err := ask.Run(t.Context(), on)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var text bytes.Buffer
	if err := result.Write(&text, &found.Document); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// rows are the rows of a document's one run, as they are written.
func rows(t *testing.T, document string) (all []string) {
	t.Helper()
	var d struct {
		Runs []struct{ Results []json.RawMessage }
	}
	if err := json.Unmarshal([]byte(document), &d); err != nil {
		t.Fatal(err)
	}
	for _, row := range d.Runs[0].Results {
		all = append(all, string(row))
	}
	return all
}

// documentOf is the page's document.
func documentOf(t *testing.T, own example, name string) string {
	t.Helper()
	a, err := newEngine(func() {}).ask(t.Context(), &question{Part: partPlay, Script: own.Script, Binding: own.Binding,
		Scenario: name})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	found := a.(*answer)
	if label := found.Tables[0].Rows[0][0].Text; label != "my" || found.Chart.Curves[0].Label != "my" {
		t.Errorf("%s: the answer is about %s, and its first curve is of %s", name, label, found.Chart.Curves[0].Label)
	}
	return found.Document
}
