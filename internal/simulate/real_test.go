package simulate

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/redisserver"
	"ratelab/internal/redisserver/redisservertest"
	"ratelab/internal/replay"
	"ratelab/internal/scenario"
)

// twoSeconds asks for more than the limit, evenly, so that most decisions do not depend on the last millisecond.
func twoSeconds(t *testing.T) *scenario.Scenario {
	return written(t, `name: two-seconds
question: What is admitted of two steady seconds?
limit: {requests: 10, per: 1s}
keys: {count: 2}
phases:
  - {name: steady, duration: 2s, constant: 80}
expect: [{algorithm: none, admitted: 80}, {algorithm: "fixed-window-aligned:time=client", admitted: 40}]
`)
}

// On the real clock every request is sent and decided by the scripts as they are deployed; the document says that it
// was so, how late requests were, and how many decisions differ. It leaves no key behind.
func TestTheRealClockPacesTheSameScenario(t *testing.T) {
	if testing.Short() {
		t.Skip("takes three seconds")
	}
	s := redisservertest.Private(t)
	j := wall(job(twoSeconds(t)))
	j.Server, j.Clock = redisserver.KindProcess, RealClock
	j.Algorithms = choices(t, "none", "fixed-window", "gcra:time=client", "token-bucket")
	out := collect(t, j)
	began := time.Now()
	r := runOn(t, j, s).Document.Runs[0]
	if took := time.Since(began); took < 1975*time.Millisecond { // the last request is due then
		t.Errorf("took %v for the last of two seconds", took)
	}
	if r.Clock != RealClock || r.Partial {
		t.Errorf("clock %s, partial %v", r.Clock, r.Partial)
	}
	for _, row := range r.Results {
		if row.Offered != 80 || row.DiffersFromVirtual == nil || row.KeysLeft != nil {
			t.Errorf("%s: %+v", row.Algorithm, row)
		}
	}
	if all := row(t, r, "none"); all.Admitted != 80 || *all.DiffersFromVirtual != 0 {
		t.Errorf("none admits %d and differs %d times", all.Admitted, *all.DiffersFromVirtual)
	}
	if got := verdicts(r); got != "- -" {
		t.Errorf("expectations %s; want unchecked", got)
	}
	if len(r.Notes) != 3 || !strings.HasPrefix(r.Notes[0], "paced on the wall clock: ") {
		t.Errorf("notes %q", r.Notes)
	}
	if n := strings.Count(out.String(), "\n"); n != 1+4*80 {
		t.Errorf("%d lines of decisions", n)
	}
	for _, key := range s.Client.Keys(t.Context(), "*").Val() { // what a script derives from its key ends by itself
		if ttl := s.Client.PTTL(t.Context(), key).Val(); ttl < 0 || ttl > 2*time.Second {
			t.Errorf("%s is left with a TTL of %v", key, ttl)
		}
	}
}

// quick is a clock that is always where somebody wants to be: it jumps over every sleep.
type quick struct {
	now  time.Time
	stop chan struct{}
	at   time.Duration // closes stop when so much has been slept
}

func (q *quick) job(j *Job) *Job {
	q.stop = make(chan struct{})
	j.Now = func() time.Time { return q.now }
	j.Sleep = func(ctx context.Context, d time.Duration) error {
		q.now = q.now.Add(d)
		if q.at > 0 && q.now.Sub(scenario.DefaultStart) >= q.at {
			close(q.stop)
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	}
	j.Server, j.Clock, j.Stop = redisserver.KindProcess, RealClock, q.stop
	return j
}

// Where the script goes by the client's clock, and that clock is exact, no decision differs. The run begins at a
// multiple of the window, as the virtual one did.
func TestAnExactClockDecidesAsVirtualTime(t *testing.T) {
	s := redisservertest.Private(t)
	q := &quick{now: scenario.DefaultStart.Add(123456 * time.Microsecond)}
	j := q.job(job(twoSeconds(t)))
	j.Algorithms = choices(t, "fixed-window-aligned:time=client")
	r := runOn(t, j, s).Document.Runs[0]
	if line := r.Results[0]; *line.DiffersFromVirtual != 0 || line.Admitted != 40 {
		t.Errorf("admitted %d, %d of them otherwise; want 10 for each key and second", line.Admitted,
			*line.DiffersFromVirtual)
	}
	if got := verdicts(r); got != "- -" {
		t.Errorf("expectations %s; want unchecked", got)
	}
	want := []string{
		"paced on the wall clock: no request was sent more than 0s after its time; the measures count from the " +
			"intended times",
		"every decision is the one of virtual time",
	}
	if !slices.Equal(r.Notes[:2], want) {
		t.Errorf("notes %q; want %q", r.Notes, want)
	}
}

// Stopped in the middle, the run keeps what it had decided until then, and says so.
func TestAStoppedRealRunIsPartial(t *testing.T) {
	s := redisservertest.Private(t)
	q := &quick{now: scenario.DefaultStart, at: 1500 * time.Millisecond}
	j := q.job(job(twoSeconds(t)))
	j.Algorithms = choices(t, "gcra:time=client")
	r := runOn(t, j, s).Document.Runs[0]
	if line := r.Results[0]; !r.Partial || line.Offered == 0 || line.Offered >= 80 || *line.DiffersFromVirtual != 0 {
		t.Errorf("partial %v, offered %d, %d otherwise", r.Partial, line.Offered, *line.DiffersFromVirtual)
	}
	if n := s.Client.DBSize(t.Context()).Val(); n != 0 {
		t.Errorf("%d keys are left on the server", n)
	}
}

// Each decision is compared with that of virtual time, batch after batch. Virtual time may have been stopped earlier.
func TestDecisionsAreComparedOneByOne(t *testing.T) {
	decided := func(text string) []limit.Decision {
		var all []limit.Decision
		for _, c := range text {
			d := limit.Decision{Verdict: limit.Rejected, RetryAfterUS: 7}
			if c == '1' {
				d = limit.Decision{Verdict: limit.Allowed, Remaining: 3}
			}
			all = append(all, d)
		}
		return all
	}
	var virtual admissions
	for _, batch := range []string{"110", "01"} {
		if err := virtual.add(nil, decided(batch)); err != nil {
			t.Fatal(err)
		}
	}
	var l paced
	compare := l.comparison(&virtual)
	for _, step := range []struct {
		batch   string
		differs int64
	}{{"11", 0}, {"10", 1}, {"000", 2}, {"1", 2}} {
		if err := compare(nil, decided(step.batch)); err != nil || l.differs != step.differs {
			t.Errorf("after %s %d differ (%v); want %d", step.batch, l.differs, err, step.differs)
		}
	}
}

// The notes say how far a row is from virtual time, and what may have moved it.
func TestRealNotesSayWhatDiffers(t *testing.T) {
	p := &contest{Contest: lineup.NewContest(twoSeconds(t), lineup.Instead{Limit: policy(t, "10/1h")})}
	lanes := []*lane{{means: &paced{WallClock: &replay.WallClock{}, differs: 2}},
		{means: &paced{WallClock: &replay.WallClock{}, differs: 5}}}
	notes := realNotes(p, lanes)
	for i, want := range []string{"paced on the wall clock", "up to 5 decisions of a row differ from virtual time: ",
		"the run did not begin at a multiple of 1h"} {
		if len(notes) != 3 || !strings.HasPrefix(notes[i], want) {
			t.Fatalf("notes %q", notes)
		}
	}
}

// What the real clock cannot do is refused before anything is started.
func TestTheRealClockRefuses(t *testing.T) {
	long := written(t, `name: long
question: Is this too long?
limit: {requests: 10, per: 1s}
phases:
  - {name: steady, duration: 200s, constant: 80}
`)
	longer := *long
	longer.Name = "longer"
	for _, test := range []struct {
		server string
		list   []*scenario.Scenario
		long   bool
		want   string
	}{
		{ModelServer, []*scenario.Scenario{long}, false,
			"--clock real needs a real server; take --redis process, container or a URL instead of model"},
		{"embedded", []*scenario.Scenario{long}, true,
			"--clock real needs a real server; take --redis process, container or a URL instead of embedded"},
		{"process", []*scenario.Scenario{long}, false, ""},
		{"process", []*scenario.Scenario{long, &longer}, false,
			"2 scenarios: --clock real would take 6m40s, more than 5m; say --long-real if that is meant, or name " +
				"shorter scenarios"},
		{"process", []*scenario.Scenario{long, &longer}, true, ""},
	} {
		j := job(test.list...)
		j.Server, j.Clock, j.LongReal = test.server, RealClock, test.long
		err := j.Check()
		var bad *InputError
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%s: %v", test.server, err)
		case test.want != "" && (!errors.As(err, &bad) || err.Error() != test.want):
			t.Errorf("%s: error %v; want %s", test.server, err, test.want)
		}
	}
}
