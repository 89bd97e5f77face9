package change

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/load"
	"ratelab/internal/longtest"
	"ratelab/internal/redisserver"
	"ratelab/internal/replay"
	"ratelab/internal/scenario"
	"ratelab/internal/sheet"
)

// changed writes a version of a built-in script in which one text stands for another, to be called as that one is.
func changed(t *testing.T, name, old, new string) *lineup.Candidate {
	t.Helper()
	choice, err := algorithms.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	source := choice.Spec.Script()
	if !strings.Contains(source, old) {
		t.Fatalf("%s has no %q", name, old)
	}
	file := filepath.Join(t.TempDir(), name+".lua")
	if err := os.WriteFile(file, []byte(strings.Replace(source, old, new, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := lineup.ScriptCandidate(file, "")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func algorithm(t *testing.T, label string) *lineup.Candidate {
	t.Helper()
	c, err := lineup.AlgorithmCandidate(label)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func policy(t *testing.T, text string) limit.Policy {
	t.Helper()
	p, err := limit.ParsePolicy(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func scenarios(t *testing.T, names ...string) []*scenario.Scenario {
	t.Helper()
	all := []*scenario.Scenario{}
	for _, name := range names {
		s, err := scenario.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

func run(t *testing.T, j *Job) *Document {
	t.Helper()
	j.Server, j.Clock = redisserver.KindEmbedded, replay.Clock{Now: time.Now, Sleep: load.Wait}
	doc, err := j.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// A counter that lets one more in decides as one with a limit of one more does: models of the two say, in a loop of
// their own, which request is the first that they decide otherwise, how many those are, and what either admits.
func TestOneTooManyIsNamed(t *testing.T) {
	p := policy(t, "7/3s")
	doc := run(t, &Job{Base: algorithm(t, "fixed-window"),
		Head:      changed(t, "fixed-window", "tonumber(ARGV[3]),", "tonumber(ARGV[3]) + 1,"),
		Scenarios: scenarios(t), Limits: []limit.Policy{p}, Verdicts: true})
	if doc.Outcome != Different || !doc.Failed() {
		t.Fatalf("%s, failed %v", doc.Outcome, doc.Failed())
	}
	var models [2]limit.Limiter
	for i, requests := range []int64{p.Requests, p.Requests + 1} {
		choice, err := algorithms.Parse("fixed-window")
		if err != nil {
			t.Fatal(err)
		}
		in, err := choice.Instance(limit.Policy{Requests: requests, Window: p.Window})
		if err != nil {
			t.Fatal(err)
		}
		models[i] = in.NewModel()
	}
	var want Row
	for q := range (generated{policy: p, seed: 1, requests: Generated}).Requests() {
		want.Requests++
		at := scenario.DefaultStart.UnixMicro() + q.AtUS
		was, is := models[0].Decide(at, q.Key, q.Cost).Verdict, models[1].Decide(at, q.Key, q.Cost).Verdict
		want.Base.Admitted += int64(was)
		want.Head.Admitted += int64(is)
		if was == is {
			continue
		}
		if want.DecidedOtherwise++; want.First == nil {
			want.First = &Difference{Number: want.Requests, AtUS: q.AtUS, Key: q.Key, Cost: q.Cost}
		}
	}
	got := doc.Rows[0]
	if got.Requests != want.Requests || got.DecidedOtherwise != want.DecidedOtherwise || got.ToldOtherwise != 0 ||
		got.Base.Admitted != want.Base.Admitted || got.Head.Admitted != want.Head.Admitted {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if f := got.First; f == nil || f.Number != want.First.Number || f.AtUS != want.First.AtUS ||
		f.Key != want.First.Key ||
		f.Cost != want.First.Cost || f.Base.Allowed == f.Head.Allowed {
		t.Errorf("first %+v, want %+v", f, want.First)
	}
}

// A script is as itself, with every built-in one, whatever its file is called.
func TestTheSameScriptIsTheSame(t *testing.T) {
	names := []string{"gcra"}
	if longtest.All() {
		names = algorithms.Names()
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := run(t, &Job{Base: algorithm(t, name), Head: changed(t, name, "", "-- the same\n"),
				Scenarios: scenarios(t, "extreme-case-2"), Limits: []limit.Policy{policy(t, "10/1s")}, Work: true})
			if doc.Outcome != Same || doc.Failed() || len(doc.Rows) != 2 {
				t.Errorf("%s: %+v", doc.Outcome, doc.Rows)
			}
			if doc.Base.ScriptSHA1 == doc.Head.ScriptSHA1 {
				t.Error("both sides ran one source")
			}
		})
	}
}

// What changes without any other decision has its own outcome.
func TestWhatElseChanges(t *testing.T) {
	const name = "fixed-window"
	in := []limit.Policy{policy(t, "10/1s")}
	more := changed(t, name, "local count =", "redis.call('EXISTS', KEYS[1])\nlocal count =")
	for _, c := range []struct {
		name           string
		job            Job
		want           Outcome
		failed         bool
		decided, calls bool
	}{
		{"commands", Job{Head: more}, Dearer, false, false, true},
		{"commands, asked for", Job{Head: more, Work: true}, Dearer, true, false, true},
		{"fewer commands", Job{Base: more, Head: algorithm(t, name), Work: true}, Same, false, false, false},
		{"an algorithm", Job{Head: algorithm(t, "gcra")}, Different, true, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := c.job
			j.Scenarios, j.Limits = scenarios(t), in
			if j.Base == nil {
				j.Base = algorithm(t, name)
			}
			doc := run(t, &j)
			row := doc.Rows[0]
			if doc.Outcome != c.want || doc.Failed() != c.failed || row.DecidedOtherwise > 0 != c.decided ||
				c.calls != (row.Head.RedisCalls == row.Base.RedisCalls+row.Requests) {
				t.Errorf("%s, failed %v: %+v", doc.Outcome, doc.Failed(), row)
			}
		})
	}
}

// Generated requests come in order, are the same each time, and are where limiters break: at the edges of aligned
// windows and beside them, in bursts of the limit and one more.
func TestGeneratedTrafficSeeksEdges(t *testing.T) {
	for _, text := range []string{"10/1s", "100/1h", "333/1s", "1000000/24h", "1000/3s", "1/1s"} {
		g := generated{policy: policy(t, text), seed: 3, requests: Generated}
		var all []limit.Request
		for q, err := range g.Requests() {
			if err != nil || len(all) > 0 && q.AtUS < all[len(all)-1].AtUS || q.AtUS < 0 || q.Cost < 1 {
				t.Fatalf("%s: %+v after %+v: %v", text, q, all[len(all)-1], err)
			}
			all = append(all, q)
		}
		if len(all) != Generated {
			t.Fatalf("%s: %d requests", text, len(all))
		}
		again := 0
		for q := range g.Requests() {
			if q != all[again] {
				t.Fatalf("%s: the second time request %d is %+v, not %+v", text, again+1, q, all[again])
			}
			again++
		}
		near := map[int64]int{}
		window := g.policy.WindowUS()
		for _, q := range all {
			in := q.AtUS % window
			if in > window/2 {
				in -= window
			}
			near[in]++
		}
		for _, us := range []int64{-1000, -1, 0, 1, 1000} {
			if near[us] == 0 {
				t.Errorf("%s: none at %d us from a window's edge", text, us)
			}
		}
	}
}

// A comparison can be told to stop, and says so.
func TestStopped(t *testing.T) {
	stop := make(chan struct{})
	close(stop)
	doc := run(t, &Job{Base: algorithm(t, "gcra"), Head: algorithm(t, "gcra"), Stop: stop})
	if !doc.Partial || len(doc.Rows) > 0 {
		t.Errorf("partial %v, %d rows", doc.Partial, len(doc.Rows))
	}
}

// Everything that is wrong is told at once.
func TestBadJobs(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "limiter.lua")
	c, err := lineup.ScriptCandidate(missing, "")
	if err != nil {
		t.Fatal(err)
	}
	j := &Job{Base: c, Head: algorithm(t, "gcra"), Scenarios: scenarios(t, "retrying-clients"), Server: "embedded"}
	_, err = j.Run(t.Context())
	if err == nil {
		t.Fatal("no error")
	}
	if !strings.Contains(err.Error(), "retrying-clients") {
		t.Error(err)
	}
}

// Each form has each row's traffic.
func TestForms(t *testing.T) {
	doc := run(t, &Job{Base: algorithm(t, "fixed-window"), Head: algorithm(t, "gcra"), Scenarios: scenarios(t,
		"extreme-case-1")})
	for _, name := range Forms.Names() {
		var out bytes.Buffer
		err := Forms.Write(&out, name, doc, sheet.Terminal{})
		if err != nil || !strings.Contains(out.String(), "extreme-case-1") {
			t.Errorf("%s: %v\n%s", name, err, out.String())
		}
	}
}

// At 80 columns it is still seen what is told otherwise: which request was the first stands above the table.
func TestANarrowTableKeepsWhatIsToldOtherwise(t *testing.T) {
	side := Spent{Admitted: 10_000, RedisCalls: 157_195}
	d := &Document{Rows: []Row{{Traffic: "first-hit-window-worst", Requests: 100_000, ToldOtherwise: 7, Base: side,
		Head: side, First: &Difference{Number: 1000}}}}
	table := d.table()
	var out strings.Builder
	s := sheet.Sheet{{Tables: []sheet.Table{table}}}
	if err := s.WriteTerminal(&out, sheet.Terminal{Width: 80}); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); !strings.Contains(text, " told") || strings.Contains(text, "told otherwise") {
		t.Errorf("it left:\n%s", text)
	}
}
