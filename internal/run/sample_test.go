package run_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/longtest"
	"ratelab/internal/redis"
	. "ratelab/internal/run"
	"ratelab/internal/scenario"
	"ratelab/internal/traffic"
)

// log is recorded traffic: so many requests of so many keys, few of which ask for most.
type log struct {
	seed       uint64
	keys, asks int
	alone      int // so many requests of one key come first
}

// Play implements traffic.Recorded.
func (l log) Play(_ time.Duration, pass *traffic.Pass, yield func(limit.Request) bool) error {
	r, at := rand.New(rand.NewPCG(l.seed, 1)), int64(0)
	for i := range l.asks {
		at += r.Int64N(20_000)
		key := int(float64(l.keys) * r.Float64() * r.Float64())
		if i < l.alone {
			key = 0
		}
		pass.EndUS = at + 1
		if !yield(limit.Request{AtUS: at, Key: fmt.Sprintf("%d.%d", l.seed, key), Cost: 1}) {
			return nil
		}
	}
	return nil
}

// sampledJob plays a log, of whose decisions the script confirms a sample.
func sampledJob(t *testing.T, l log, broken func(source string) string) (*Result, error) {
	t.Helper()
	a := job(&scenario.Scenario{Name: "log", Limit: limit.Policy{Requests: 5, Window: time.Minute}, Seed: 1,
		Start: scenario.DefaultStart, Phases: []traffic.Phase{{Name: "log", Trace: l}}})
	a.Algorithms, a.Server, a.Sample = choices(t, "gcra"), redis.KindEmbedded, true
	plans, err := a.Plans()
	if err != nil {
		t.Fatal(err)
	}
	program := *plans[0].Limiters[0].Program
	program.Source = broken(program.Source)
	plans[0].Limiters[0].Program = &program
	return a.Play(t.Context(), plans)
}

func same(source string) string { return source }

// The note counts what was confirmed, and the figures are the models'.
func TestSample(t *testing.T) {
	for _, c := range []struct {
		log  log
		note string
	}{
		{log{1, 4000, 20_000, 0}, ""},
		{log{1, 4000, 70_000, 0}, "20,682 of 70,000 requests: the first 20,000, and 43 of 3,758 keys; "},
		{log{1, 2, 70_000, 0}, "30,595 of 70,000 requests: the first 20,000, and 2 of 2 keys; "},
		{log{1, 5, 70_000, 0}, "42,939 of 70,000 requests: the first 20,000, and 3 of 5 keys; "},
		{log{1, 50, 70_000, 30_000}, "21,690 of 70,000 requests: the first 20,000, and 4 of 50 keys; "},
	} {
		found, err := sampledJob(t, c.log, same)
		if err != nil {
			t.Fatal(err)
		}
		run := &found.Document.Runs[0]
		notes := strings.TrimPrefix(strings.Join(run.Notes, "\n"), "the Lua confirmed ")
		if !strings.HasPrefix(notes, c.note) || (c.note == "") != (notes == "") {
			t.Errorf("%+v: notes %q, want %q", c.log, notes, c.note)
		}
		if row := run.Results[0]; (row.KeysLeft != nil) != (c.note == "") || *row.Commands < 1.5 {
			t.Errorf("%+v: keys left %v, commands %v", c.log, row.KeysLeft, *row.Commands)
		}
	}
}

// A fault of the script that few decisions meet is found in the sample.
func TestSampleFindsFaults(t *testing.T) {
	longtest.Skip(t, "decides millions of requests")
	seeds := longtest.Nightly(20, 2, 0) // each decides two million requests
	for _, c := range []struct{ oneIn, least int }{{1000, seeds}, {10_000, seeds * 9 / 10}} {
		found := 0
		for seed := range uint64(seeds) {
			_, err := sampledJob(t, log{seed, 20_000, 2_000_000, 0}, func(source string) string {
				const line = "now = (now - 1704067200000000) * 16"
				if !strings.Contains(source, line) {
					t.Fatal("gcra.lua has another text")
				}
				return strings.Replace(source, line, fmt.Sprintf("if now %% %d == 7 then burst = burst - 1 end\n%s",
					c.oneIn, line), 1)
			})
			if differs := new(DifferenceError); errors.As(err, &differs) {
				found++
			} else if err != nil {
				t.Fatal(err)
			}
		}
		if found < c.least {
			t.Errorf("one in %d: found with %d of %d seeds, want %d", c.oneIn, found, seeds, c.least)
		}
		t.Logf("one in %d: found with %d of %d seeds", c.oneIn, found, seeds)
	}
}
