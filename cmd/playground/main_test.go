package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"ratelab/internal/longtest"
)

// A module's memory gets its maximum, and what stands around it stays. A module that has one, or none, is refused.
func TestLimitMemory(t *testing.T) {
	const head, before, after = "\x00asm\x01\x00\x00\x00", "\x01\x01\x00", "\x0a\x02\x00\x00"
	got, err := limitMemory([]byte(head+before+"\x05\x04\x01\x00\x80\x02"+after), 8192)
	if want := head + before + "\x05\x06\x01\x01\x80\x02\x80\x40" + after; err != nil || string(got) != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	for _, module := range []string{head, head + before, head + "\x05\x04\x01\x01\x01\x02", head + "\x05\x7f\x01",
		head + "\x05\x03\x02\x00\x01"} {
		if got, err := limitMemory([]byte(module), 8192); err == nil {
			t.Errorf("%q became %q", module, got)
		}
	}
}

// What each example of the menu shows.
func TestExamples(t *testing.T) {
	beats := 0
	e := newEngine(func() { beats++ })
	var all []string
	some := longtest.Of(len(examples()), 2) // each is examined, which takes a second or more
	for _, x := range examples()[:some] {
		q := &question{Part: partPlay, Script: x.Script, Binding: x.Binding, Scenario: "extreme-case-1"}
		played, err := e.ask(context.Background(), q)
		if err != nil {
			t.Fatalf("%s: %v", x.Name, err)
		}
		q.Part = partExamine
		examined, err := e.ask(context.Background(), q)
		if err != nil {
			t.Fatalf("%s: %v", x.Name, err)
		}
		a := played.(*answer)
		line := x.Name + ": " + a.Tables[0].Rows[0][0].Text + ", " + a.Sentence
		for _, f := range examined.(*examination).Findings {
			if f.Fault {
				line += "; fault: " + f.Name
			}
			if drawn := f.Chart != nil; drawn != (f.Fault && f.Name != "never expires") ||
				drawn && (f.Chart.Curves[0].Label != "my" || len(f.Chart.Curves) != 2) {
				t.Errorf("%s: %s has the chart %+v", x.Name, f.Name, f.Chart)
			}
		}
		all = append(all, line)
		if len(a.Chart.Curves) < 8 || a.Chart.Curves[0].Label != "my" || !bytes.Contains([]byte(a.Document), []byte(`"my"`)) {
			t.Errorf("%s: curves %v", x.Name, a.Chart.Curves)
		}
	}
	want := strings.TrimSpace(`
A sliding log: correct: my, Your limiter holds the limit here and admits what an exact limiter admits
INCR without EXPIRE: my, Your limiter holds the limit here and rejects 2.0 % of what an exact limiter admits; fault: never expires
Off by one: my, Your limiter breaks the limit here: it admitted 1,980 in 3 s, 1.98 × the 1,000 allowed; fault: off by one
A log that counts what it rejects: my, Your limiter holds the limit here and rejects 1.9 % of what an exact limiter admits; fault: counts what it rejects
GCRA, the rule of redis_rate: my, Your limiter breaks the limit here: it admitted 1,765 in 3 s, 1.76 × the 1,000 allowed
An empty one: my, Your limiter breaks the limit here: it admitted 1,980 in 3 s, 1.98 × the 1,000 allowed; fault: no limit at one instant
`)
	want = strings.Join(strings.Split(want, "\n")[:some], "\n")
	if got := strings.Join(all, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if beats == 0 {
		t.Error("nobody hears that the engine works")
	}
}

// A script that loops is ended, and its line is named: on trial, in the run, even if it catches errors, and after a
// coroutine. The engine goes on.
func TestLoops(t *testing.T) {
	defer func(was time.Duration) { patience = was }(patience)
	patience = 500 * time.Millisecond
	e := newEngine(func() {})
	q := &question{Part: partPlay, Binding: examples()[1].Binding, Scenario: "poisson"}
	for source, line := range map[string]string{
		"local n = 1\nwhile true do n = n + 1 end":                                              ":2",
		"local n = redis.call('INCR', KEYS[1])\nwhile n > 50 do end\nreturn 1":                  ":2",
		"while true do redis.call('GET', KEYS[1]) end":                                          ":1",
		"return pcall(function() while true do end end) and 1 or 0":                             ":1",
		"coroutine.wrap(function() while true do coroutine.yield(1) end end)()\nwhile 1 do end": ":2",
	} {
		q.Script = source
		want := "my.lua" + line + ": the script gave no answer for 500ms: it loops, or is far too slow"
		if _, err := e.ask(t.Context(), q); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", source, err, want)
		}
	}
	patience = time.Hour
	q.Script = examples()[1].Script
	if _, err := e.ask(t.Context(), q); err != nil {
		t.Error(err)
	}
}
