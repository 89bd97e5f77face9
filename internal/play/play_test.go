package play_test

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/caller"
	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/load"
	"ratelab/internal/longtest"
	"ratelab/internal/play"
	"ratelab/internal/redisserver"
	"ratelab/internal/redisserver/redisservertest"
	"ratelab/internal/replay"
	"ratelab/internal/scenario"
)

// contest is a scenario from its file's text, and all algorithms but the one that decides nothing.
func contest(t *testing.T, text string) *lineup.Contest {
	t.Helper()
	s, err := scenario.Parse("test.yaml", []byte("name: test\nquestion: Why?\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	var choices []algorithms.Choice
	for _, name := range algorithms.Names() {
		choice, err := algorithms.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		if name != "none" {
			choices = append(choices, choice)
		}
	}
	c := lineup.NewContest(s, lineup.Instead{})
	var wrong lineup.Problems
	c.Enter(choices, nil, &wrong)
	if err := wrong.Err(); err != nil {
		t.Fatal(err)
	}
	return &c
}

// options are those of a play of the test's.
func options(s *redisserver.Server, prefix string) play.Options {
	return play.Options{Server: s, Prefix: s.Prefix + prefix, Connections: 4, Clock: load.NewClock(time.Now()),
		Sleep: load.Wait, LateAfter: time.Second}
}

// verdicts records what virtual time decides of the part, by the entry's model.
func record(t *testing.T, c *lineup.Contest, e *lineup.Entry, p *play.Part) *play.Record {
	t.Helper()
	r := play.NewRecord(p)
	lane := replay.Lane{Decider: replay.NewModel(e.NewModel(), c.Scenario.Start), Observe: r.Observe}
	if _, err := replay.Run(t.Context(), p.UpToHere(), c.Policy, []replay.Lane{lane}, replay.Options{}); err != nil {
		t.Fatal(err)
	}
	return r
}

const crowded = `limit: {requests: 12, per: 1s}
keys: {count: 3, distribution: sequential}
phases:
  - {name: first, duration: 310ms, constant: 60}
  - {name: rest, duration: 755ms, pause: true}
  - {name: more, duration: 290ms, poisson: 150/s}
`

// What virtual time decides beforehand leaves the server as a play on the wall clock does: the same keys, counts and
// deadlines, and times that differ by no more than the requests were late. A request that was late across an edge is in
// the state, and so a row has five tries.
func TestFastForwardLeavesWhatAPlayLeaves(t *testing.T) {
	s := redisservertest.Private(t)
	c := contest(t, crowded)
	compared := 0
	for i, e := range c.Entries {
		if i%longtest.Of(1, 5) != 0 { // a row takes three seconds
			continue
		}
		e.Aligned = true // some write their deadline anew where a second ends
		end, _ := c.Scenario.Stream(c.Seed).Duration()
		whole, err := play.NewPart(c.Scenario.Stream(c.Seed), play.Wish{Whole: true})
		if err != nil {
			t.Fatal(err)
		}
		empty := &play.Part{Stretch: play.Stretch{From: end, Until: end}, Traffic: c.Scenario.Stream(c.Seed)}
		virtual, forwarded := left(t, c, e, empty, s)
		if forwarded.Forwarded != int64(len(whole.Requests)) {
			t.Errorf("%s: %d of %d requests came before", e.Label, forwarded.Forwarded, len(whole.Requests))
		}
		var difference string
		for range 5 {
			wall, played := left(t, c, e, whole, s)
			again := play.DecideAgain(c, e, whole, s, clock())
			d, err := played.Compare(t.Context(), whole, record(t, c, e, whole), again)
			if err != nil {
				t.Fatal(err)
			}
			if d.Unexplained > 0 {
				t.Errorf("%s: %d decisions differ, and lag does not explain it: %+v", e.Label, d.Unexplained, *d.First)
			}
			if d.Count > 0 {
				continue // one request more or less is in the state
			}
			difference = differing(wall, virtual, late(played, whole), c.Policy.WindowUS()/c.Policy.Requests)
			if difference == "" {
				compared++
				break
			}
		}
		if difference != "" {
			t.Errorf("%s: %s", e.Label, difference)
		}
	}
	if compared < longtest.Of(4, 1) {
		t.Errorf("only %d rows were decided as in virtual time, and could be compared", compared)
	}
}

// late is the latest reply, after its request was due.
func late(played *play.Played, p *play.Part) int64 {
	var most int64
	for i, a := range played.Answers {
		most = max(most, a.RepliedUS-p.Requests[i].AtUS)
	}
	return most
}

func clock() replay.Clock { return replay.Clock{Now: time.Now, Sleep: load.Wait} }

// number is one of a key's state, counted from the play's origin where it is an instant. What is larger than any count
// can be is a length of time.
type number struct {
	value  int64
	isTime bool
}

// left is what a play leaves on the server, before it is deleted.
func left(t *testing.T, c *lineup.Contest, e *lineup.Entry, p *play.Part, s *redisserver.Server) (map[string][]number,
	*play.Played) {
	t.Helper()
	o := options(s, "left:")
	state := map[string]string{}
	o.Around = func(_ *caller.Target, play func() error) error {
		if err := play(); err != nil {
			return err
		}
		state = dump(t, s, s.Prefix+"left:*")
		return nil
	}
	played, err := play.Run(t.Context(), c, e, p, o)
	if err != nil {
		t.Fatalf("%s: %v", e.Label, err)
	}
	all := map[string][]number{}
	for key, text := range state {
		all[relative(key, c.Policy, played.Origin)] = numbers(text, c.Policy, played.Origin)
	}
	return all, played
}

// dump is the state of each key as text: its deadline, and what it holds.
func dump(t *testing.T, s *redisserver.Server, pattern string) map[string]string {
	t.Helper()
	all := map[string]string{}
	ctx := context.Background()
	for _, key := range s.Client.Keys(ctx, pattern).Val() {
		text := fmt.Sprint(s.Client.Do(ctx, "PEXPIRETIME", key).Val())
		switch s.Client.Type(ctx, key).Val() {
		case "string":
			text += " " + s.Client.Get(ctx, key).Val()
		case "hash":
			fields := s.Client.HGetAll(ctx, key).Val()
			for _, f := range slices.Sorted(maps.Keys(fields)) {
				text += " " + f + " " + fields[f]
			}
		case "zset":
			for _, z := range s.Client.ZRangeWithScores(ctx, key, 0, -1).Val() {
				text += fmt.Sprintf(" %.0f", z.Score)
			}
		case "list":
			text += fmt.Sprint(s.Client.LRange(ctx, key, 0, -1).Val())
		default:
			t.Fatalf("%s is a %s", key, s.Client.Type(ctx, key).Val())
		}
		all[key] = text
	}
	return all
}

var digits = regexp.MustCompile(`-?[0-9]+`)

// numbers are those in a text.
func numbers(text string, p limit.Policy, origin time.Time) []number {
	var all []number
	for _, d := range digits.FindAllString(text, -1) {
		all = append(all, numberOf(d, p, origin))
	}
	return all
}

// numberOf takes an integer for a time in µs or ms, or for the number of a window or of a tenth of it, by its size.
func numberOf(text string, p limit.Policy, origin time.Time) number {
	v, err := strconv.ParseInt(text, 10, 64)
	now, window := origin.UnixMicro(), p.WindowUS()
	near := func(v, now int64) bool { return v > now-now/1000 && v < now+now/1000 }
	switch {
	case err != nil:
		return number{}
	case near(v, now):
		return number{v - now, true}
	case near(v, now/1000):
		return number{(v - now/1000) * 1000, true}
	case near(v, now/window):
		return number{v - now/window, false}
	case near(v, now*10/window):
		return number{v - now*10/window, false}
	}
	return number{v, v > p.Capacity() || v < -p.Capacity()}
}

// relative is a key's name with the numbers of windows in it counted from the origin.
func relative(key string, p limit.Policy, origin time.Time) string {
	return digits.ReplaceAllStringFunc(key, func(d string) string {
		return strconv.FormatInt(numberOf(d, p, origin).value, 10)
	})
}

// differing says what is not the same: keys, counts, or times that are further apart than late and the millisecond to
// which Redis keeps deadlines. A deadline that a script leaves as it is while it will do may be that of the request
// before.
func differing(wall, virtual map[string][]number, late, interval int64) string {
	w, v := slices.Sorted(maps.Keys(wall)), slices.Sorted(maps.Keys(virtual))
	if len(w) == 0 || !slices.Equal(w, v) {
		return fmt.Sprintf("the play leaves %q, fast-forward %q", w, v)
	}
	for _, key := range w {
		w, v := wall[key], virtual[key]
		same := len(w) == len(v)
		for i := 0; same && i < len(w); i++ {
			apart, most := w[i].value-v[i].value, late+1000
			if i == 0 {
				most += interval
			}
			same = w[i].isTime == v[i].isTime && (apart == 0 || w[i].isTime && apart <= most && apart >= -most)
		}
		if !same {
			return fmt.Sprintf("%s: %v after the play, %v after fast-forward; late by %d us at most", key, w, v, late)
		}
	}
	return ""
}

// A window that nobody waits for is met by setting the clients' clocks: 20 requests before its edge, 20 after it, of
// which a window that is kept admits 10 each.
func TestALongWindowIsMetByTheClientsClock(t *testing.T) {
	s := redisservertest.Private(t)
	c := contest(t, `limit: {requests: 10, per: 1h}
phases:
  - {name: hour, duration: 3599900ms, pause: true}
  - {name: edge, duration: 200ms, constant: 40}
`)
	part, err := play.NewPart(c.Scenario.Stream(c.Seed), play.Wish{For: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range c.Entries {
		played, err := play.Run(t.Context(), c, e, part, options(s, "long:"+e.Label+":"))
		if err != nil {
			t.Fatalf("%s: %v", e.Label, err)
		}
		d, err := played.Compare(t.Context(), part, record(t, c, e, part), play.DecideAgain(c, e, part, s, clock()))
		if err != nil {
			t.Fatal(err)
		}
		if d.Unexplained > 0 {
			t.Errorf("%s: %d decisions differ, and lag does not explain it", e.Label, d.Unexplained)
		}
		if e.Label == "fixed-window-aligned" && (played.Accepted < 19 || played.Shift == 0) {
			t.Errorf("%s: admitted %d, the clients' clocks set by %v; want 20 with a shift", e.Label, played.Accepted,
				played.Shift)
		}
	}
}
