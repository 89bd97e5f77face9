package examine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"ratelab/internal/engine"
	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/load"
	"ratelab/internal/longtest"
	"ratelab/internal/message"
	"ratelab/internal/redis"
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
	number := 0
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
				if number++; number%5 > 0 && !longtest.All() {
					continue // each takes about a second
				}
				name := strings.TrimSuffix(filepath.Base(file), ".txtar") + ", " + words[0]
				t.Run(name, func(t *testing.T) {
					e := examined(t, archived(archive, words[0]+".lua", p))
					if got := faults(e); !slices.Equal(got, slices.Sorted(slices.Values(words[1:]))) {
						t.Errorf("%v, want %v: %+v", got, words[1:], texts(e))
					}
					// The plays with two releases were not made, so nothing is said of them.
					if words[0] == "add-first" && strings.Contains(strings.Join(e.Checked, ", "), "second release") {
						t.Errorf("checked %q", e.Checked)
					}
				})
			}
		}
	}
}

// policyOf reads a limit and its burst.
func policyOf(t *testing.T, words []string) limit.Policy {
	p, other, err := limit.ParseFlight(words[0])
	if other {
		p, err = limit.ParsePolicy(words[0])
	}
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
	return Script{Asked: &p, At: limiter.OfFile(fileIn(a, name)).At}
}

// fileIn is a file of an archive, which has its binding too.
func fileIn(a *txtar.Archive, name string) script.File {
	return script.File{Name: name, Read: func(name string) ([]byte, error) {
		for _, f := range a.Files {
			if f.Name == name {
				return bytes.Clone(f.Data), nil
			}
		}
		return nil, fs.ErrNotExist
	}}
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
	charted := 0
	for script, words := range map[string]string{"counts_rejected/both": "20/7s", "shares_keys/both": "20/7s",
		"ignores_cost/both": "20/7s", "no_limit/both": "30/1s 10", "loses_fraction/both": "20/7s",
		"client_clock/both": "20/7s", "sweep/zero": "100/1m", "ends/slot-leaks": "2/in_flight",
		"ends/slot-ends": "2/in_flight", "ends/settles-late": "100/1m"} {
		file, script, _ := strings.Cut(script, "/")
		archive, err := txtar.ParseFile("testdata/" + file + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		e := examined(t, archived(archive, script+".lua", policyOf(t, strings.Fields(words))))
		for i := range e.Findings {
			f := &e.Findings[i]
			if f.Requests == 0 { // no scenario can show it
				continue
			}
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
						want = append(want, limit.Request{AtUS: v.AtUS + n*v.EveryUS, Key: v.Key, Cost: v.Cost,
							TakesUS: v.TakesUS, Actual: v.Actual, Dies: v.Dies})
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
			if c := f.Counterexample; c != nil {
				charted++
				for k := range c.Requests {
					c.Requests[k].ClientSkewUS = 0 // the scenario has clients with offsets
				}
				if !reflect.DeepEqual(c.Requests, want) || slices.EqualFunc(c.Script, c.Right,
					func(a, b limit.Decision) bool { return a.Verdict == b.Verdict }) {
					t.Errorf("%s: the chart has %v, want %v with other decisions", f.Kind, c.Requests, want)
				}
			}
		}
	}
	if charted < 6 {
		t.Errorf("%d faults have the decisions for a chart", charted)
	}
}

// No rule departs from itself: its own decisions on a play are those that it explains.
func TestRulesDecideAsTheyExplain(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 0))
	s := builtin(t, "gcra", "10/1s")
	x, err := s.under(t.Context(), *s.Asked)
	if err != nil {
		t.Fatal(err)
	}
	x.admits = x.burst
	for n, p := range x.corpus(true) {
		for _, r := range rules() {
			o := &outcome{play: p, startUS: random.Int64N(second)}
			o.got = r.decide(o, x.sizes())
			if over, under, first := x.departures(&r, o, 0); over+under > 0 {
				t.Errorf("play %d, %s: %d and %d from request %d on", n, r.name(), over, under, first)
			}
		}
	}
}

// A key that outlives what it holds by far is a property. What a run shows is examined: the worst play is at least that
// of the table. A search makes the same plays again, and a script that no rule explains has a note of the nearest.
func TestWhatIsNoFault(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/changed.txtar")
	if err != nil {
		t.Fatal(err)
	}
	s := archived(archive, "long.lua", policyOf(t, []string{"10/1m"}))
	for i := range 40 {
		s.Shown = append(s.Shown, limit.Request{AtUS: 59*second + int64(i)*100*millisecond, Key: "client", Cost: 1})
	}
	e := examined(t, s)
	if e.Findings[0].Kind != "expires_in_long" || !strings.Contains(e.Checked[0], "6 plays at 10/1m") {
		t.Errorf("%v, checked %v", texts(e), e.Checked)
	}
	reported, err := txtar.ParseFile("testdata/reported.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var found [2]*result.Examination
	for i := range found {
		left := 3
		s = archived(reported, "stale-window.lua", policyOf(t, []string{"10/1s"}))
		s.Search = &Search{Seed: 7, More: func() bool { left--; return left >= 0 }}
		found[i] = examined(t, s)
	}
	if !reflect.DeepEqual(found[0], found[1]) || !strings.Contains(found[0].Checked[0], "(searched with seed 7)") {
		t.Errorf("%+v and %+v", found[0], found[1])
	}
	notes := 0
	for kind := range found[0].Without(&result.Examination{}) {
		if strings.Contains(kind, result.Nearest) {
			t.Errorf("%s is more than a note", kind)
		}
	}
	for _, f := range found[0].Findings {
		if f.Kind == result.Nearest {
			notes++
		}
	}
	if notes != 1 {
		t.Errorf("%d notes: %v", notes, texts(found[0]))
	}
}

// Who interrupts an examination gets what it has found.
func TestInterrupted(t *testing.T) {
	reported, err := txtar.ParseFile("testdata/reported.txtar")
	if err != nil {
		t.Fatal(err)
	}
	ctx, interrupt := context.WithCancelCause(t.Context())
	s := archived(reported, "f19-reject-refills.lua", policyOf(t, []string{"10/1m"}))
	s.Search = &Search{More: func() bool { interrupt(message.ErrInterrupted); return true }}
	e, err := engine.Start(ctx, engine.Spec{Redis: redis.KindEmbedded, Clock: load.Wall})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	s.Engine = e
	found, err := s.Examine(ctx)
	if !errors.Is(err, message.ErrInterrupted) || found == nil || !found.Partial || found.Faults() != 1 {
		t.Errorf("%v, %+v", err, found)
	}
}
