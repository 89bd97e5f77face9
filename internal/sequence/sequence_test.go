package sequence_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ratelab/internal/clients"
	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/resp"
	"ratelab/internal/sequence"
)

var midnight = time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC)

// stage is a play whose messages a test delivers by hand.
type stage struct {
	t    *testing.T
	play *sequence.Play
}

func newStage(t *testing.T, label string, requests int64) *stage {
	t.Helper()
	return &stage{t, newPlay(t, label, limit.Policy{Requests: requests, Window: time.Second})}
}

func newPlay(t interface{ Fatal(...any) }, label string, p limit.Policy) *sequence.Play {
	choice, err := sequence.Parse(label)
	if err != nil {
		t.Fatal(err)
	}
	return sequence.New(choice, p, midnight, 1)
}

// client is one attempt on a key k, and what it does next.
type client struct {
	stage    *stage
	request  limit.Request
	exchange clients.Exchange
	move     clients.Move
}

func (s *stage) client(cost int64) *client { return s.beginning(0, cost) }

// beginning is a client that begins at a time in ms.
func (s *stage) beginning(ms, cost int64) *client {
	q := limit.Request{AtUS: ms * 1000, Key: "k", Cost: cost}
	c := &client{stage: s, request: q, exchange: s.play.Attempt(nil, q)}
	c.move = c.exchange.Next(ms*1000, nil)
	return c
}

// at delivers the client's message at a time in ms, and gives the reply as text.
func (c *client) at(ms int64) string {
	c.stage.t.Helper()
	if c.move.Done {
		c.stage.t.Fatalf("at %d ms: the client is done", ms)
	}
	c.request.AtUS = ms * 1000
	reply, err := c.stage.play.Serve(c.stage.t.Context(), c.request, c.move.Message)
	if err != nil {
		c.stage.t.Fatal(err)
	}
	c.move = c.exchange.Next(ms*1000, reply)
	return reply.(resp.Value).String()
}

// ends is what the client has decided, or that it has not.
func (c *client) ends() string {
	switch {
	case !c.move.Done:
		return "under way"
	case c.move.Decision.Allowed():
		return "admitted"
	default:
		return "rejected"
	}
}

// expect compares what was seen, step by step.
func expect(t *testing.T, got, want []string) {
	t.Helper()
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("got\n%s\nwant\n%s", g, w)
	}
}

// Two clients read 0 before either counts: at a limit of 1 both are admitted.
func TestTwoThatReadBeforeTheyCount(t *testing.T) {
	s := newStage(t, "read-then-increment", 1)
	a, b := s.client(1), s.client(1)
	expect(t, []string{a.at(0), b.at(1), a.at(2), b.at(3), b.ends(), a.at(4), a.ends()}, []string{
		"(nil)",    // a: GET
		"(nil)",    // b: GET
		"1",        // a: INCRBY 1
		"2",        // b: INCRBY 1
		"admitted", // b: alone, at 3 ms, it would have read 1
		"1",        // a: PEXPIRE
		"admitted",
	})
	c := s.client(1)
	expect(t, []string{c.at(5), c.ends()}, []string{`"2"`, "rejected"})
	if got, want := s.play.Figures(), (measure.Race{Commands: 6, RaceAdmits: 1}); got != want {
		t.Errorf("the figures are %+v, want %+v", got, want)
	}
}

// The window lasts from PEXPIRE on: 1000 ms of its own, its last millisecond included.
func TestTheWindowBeginsWithItsSecondCommand(t *testing.T) {
	s := newStage(t, "incr-then-compare", 1)
	a := s.client(1)
	expect(t, []string{a.at(0), a.ends(), a.at(20), a.ends()},
		[]string{"1", "under way", "1", "admitted"})
	b := s.client(1)
	expect(t, []string{b.at(1020), b.ends()}, []string{"2", "rejected"})
	c := s.client(1)
	expect(t, []string{c.at(1021), c.at(1022), c.ends()}, []string{"1", "1", "admitted"})
	if got, want := s.play.Figures(), (measure.Race{Commands: 5}); got != want {
		t.Errorf("the figures are %+v, want %+v", got, want)
	}
}

// A lock that expires while its holder's next command is on its way guards nothing: b takes it, both read 0.
func TestALockThatExpiresUnderItsHolder(t *testing.T) {
	s := newStage(t, "distributed-lock:lock_ttl=10ms:jitter=0s", 1)
	a, b := s.client(1), s.client(1)
	got := []string{a.at(0), b.at(5)}
	if b.move.WaitUS != 5000 {
		t.Errorf("b waits %d µs for the lock, want 5000", b.move.WaitUS)
	}
	got = append(got, b.at(10), b.at(11), a.at(12), b.at(13), a.at(14), b.at(15), a.at(16), b.at(17), b.ends(),
		a.at(18), a.ends())
	expect(t, got, []string{
		`"OK"`,  // a: SET lock
		"(nil)", // b: SET lock, held by a
		"(nil)", // b: SET lock, which lives through its last millisecond
		`"OK"`,  // b: SET lock, expired
		"(nil)", // a: GET
		"(nil)", // b: GET
		"1",     // a: INCRBY
		"2",     // b: INCRBY
		"1",     // a: PEXPIRE
		"1",     // b: lets go of its lock
		"admitted",
		"0", // a: its lock is gone, and b's is not touched
		"admitted",
	})
	want := measure.Race{Commands: 11, RaceAdmits: 1, LockWaits: 2, LockLosses: 1}
	if got := s.play.Figures(); got != want {
		t.Errorf("the figures are %+v, want %+v", got, want)
	}
}

// Who never gets the lock is rejected, though there is room.
func TestALockThatIsNeverFree(t *testing.T) {
	s := newStage(t, "distributed-lock:tries=2", 5)
	a, b := s.client(1), s.client(1)
	expect(t, []string{a.at(0), b.at(1), b.ends(), b.at(8), b.ends()},
		[]string{`"OK"`, "(nil)", "under way", "(nil)", "rejected"})
	if got, want := s.play.Figures(), (measure.Race{Commands: 3, RaceRejects: 1, LockWaits: 2}); got != want {
		t.Errorf("the figures are %+v, want %+v", got, want)
	}
}

// rule is what a sequence means, on its own: whether it admits a request at a time since 1970.
type rule interface{ admit(us, cost int64) bool }

// ruleOf is the rule of a sequence with its usual parameters, and what may stand where one says otherwise.
func ruleOf(label string, p limit.Policy) rule {
	name, _, _ := strings.Cut(label, ":")
	switch name {
	case "incr-per-window":
		return &numberedWindow{limit: p.Requests, windowUS: p.WindowUS()}
	case "push-then-trim":
		return &trimmedQueue{limit: p.Requests, windowUS: p.WindowUS()}
	}
	return &plainWindow{limit: p.Requests, windowMS: p.WindowUS() / 1000, countsRejected: name == "incr-then-compare",
		strict: strings.HasSuffix(label, "at_limit"), endMS: -1}
}

// plainWindow is a counter that opens with what it counts first.
type plainWindow struct {
	limit, windowMS int64
	countsRejected  bool
	strict          bool // the last token is never given
	count, endMS    int64
}

func (w *plainWindow) admit(us, cost int64) bool {
	ms := us / 1000
	if ms > w.endMS {
		w.count = 0
	}
	admitted := w.count+cost < w.limit || !w.strict && w.count+cost == w.limit
	if admitted || w.countsRejected {
		if w.count == 0 {
			w.endMS = ms + w.windowMS
		}
		w.count += cost
	}
	return admitted
}

// numberedWindow is a counter that begins anew where time divides by the window's length.
type numberedWindow struct{ limit, windowUS, count, number int64 }

func (w *numberedWindow) admit(us, cost int64) bool {
	if n := us / w.windowUS; n != w.number {
		w.count, w.number = 0, n
	}
	w.count += cost
	return w.count <= w.limit
}

// trimmedQueue is full at the limit, and loses one at each tick since midnight.
type trimmedQueue struct{ limit, windowUS, length, ticks int64 }

func (w *trimmedQueue) admit(us, cost int64) bool {
	ticks := (us - midnight.UnixMicro()) * w.limit / w.windowUS
	w.length = max(0, w.length-(ticks-w.ticks)) + cost
	w.ticks = ticks
	if w.length > w.limit {
		w.length = w.limit
		return false
	}
	return true
}

// alike are labels that decide as the rule where nobody comes between.
var alike = append(sequence.Names(), "incr-then-compare:reject=at_limit", "incr-per-window:ttl=25ms",
	"push-then-trim:script=yes", "push-then-trim:trim=by_excess")

func nothingRaced(t *rapid.T, f measure.Race) {
	f.Commands, f.QueuePeak, f.Trimmed = 0, 0, 0
	f.QueueKept = 0 // of a request of several tokens what fits stays
	if f != (measure.Race{}) {
		t.Fatalf("the figures are %+v, want no races", f)
	}
}

func TestParse(t *testing.T) {
	for label, want := range map[string]string{
		"read-then-increment": "read-then-increment map[]",
		"distributed-lock": "distributed-lock map[jitter:5ms lock_ttl:100ms spin:5ms " +
			"tries:10]",
		"distributed-lock:tries=5:lock_ttl=20000us": "distributed-lock:lock_ttl=20ms:tries=5 map[jitter:5ms " +
			"lock_ttl:20ms spin:5ms tries:5]",
		"distributed-lok":             `no such sequence "distributed-lok"; did you mean "distributed-lock"? want one of distributed-lock, incr-per-window, incr-then-compare, push-then-trim, read-then-increment`,
		"read-then-increment:tries=5": `sequence "read-then-increment:tries=5": no such parameter "tries"; it has none`,
		"incr-then-compare":           "incr-then-compare map[crash:0% reject:over_limit]",
		"incr-then-compare:reject=at_limit:crash=0.5000%": "incr-then-compare:crash=0.5%:reject=at_limit map[" +
			"crash:0.5% reject:at_limit]",
		"incr-then-compare:crash=100.0001%": `sequence "incr-then-compare:crash=100.0001%": parameter crash: "100.0001%"; want 0% to 100%`,
		"incr-then-compare:crash=0.00001%":  `sequence "incr-then-compare:crash=0.00001%": parameter crash: "0.00001%"; want 0% to 100%`,
		"incr-then-compare:crash=.5%":       `sequence "incr-then-compare:crash=.5%": parameter crash: ".5%"; want 0% to 100%`,
		"incr-then-compare:crash=1":         `sequence "incr-then-compare:crash=1": parameter crash: "1"; want 0% to 100%`,
		"incr-then-compare:crash=-1%":       `sequence "incr-then-compare:crash=-1%": parameter crash: "-1%"; want 0% to 100%`,
		"incr-then-compare:reject=at":       `sequence "incr-then-compare:reject=at": parameter reject: unknown value "at"; want one of over_limit, at_limit`,
		"incr-per-window:ttl=2s":            "incr-per-window:ttl=2s map[ttl:2s]",
		"incr-per-window:ttl=0s":            `sequence "incr-per-window:ttl=0s": parameter ttl: duration "0s": want whole microseconds from 1ms to 24h`,
		"distributed-lock:try=5":            `sequence "distributed-lock:try=5": no such parameter "try"; want one of lock_ttl, spin, jitter, tries`,
		"distributed-lock:tries":            `sequence "distributed-lock:tries": "tries" is not a parameter; want name=value`,
		"distributed-lock:tries=0":          `sequence "distributed-lock:tries=0": parameter tries: "0" is not a whole number from 1 to 10000`,
		"distributed-lock:tries=5:tries=6":  `sequence "distributed-lock:tries=5:tries=6": parameter "tries" is set twice`,
		"distributed-lock:spin=0s":          `sequence "distributed-lock:spin=0s": parameter spin: duration "0s": want whole microseconds from 1µs to 1m`,
		"distributed-lock:spin=1.5us":       `sequence "distributed-lock:spin=1.5us": parameter spin: duration "1.5us": want whole microseconds from 1µs to 1m`,
	} {
		choice, err := sequence.Parse(label)
		var got string
		if err != nil {
			got = err.Error()
		} else {
			got = fmt.Sprint(choice.Label, " ", choice.Parameters())
		}
		if got != want {
			t.Errorf("Parse(%q) is\n%s, want\n%s", label, got, want)
		}
	}
}
