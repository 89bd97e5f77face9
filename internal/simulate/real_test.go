package simulate

import (
	"errors"
	"strings"
	"testing"
	"time"

	"ratelab/internal/redisserver"
	"ratelab/internal/redisserver/redisservertest"
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
	t.Parallel() // it waits for most of them
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

// Stopped in the middle, the run keeps what every row had decided until then, and says so.
func TestAStoppedRealRunIsPartial(t *testing.T) {
	t.Parallel() // it waits for most of its time
	s := redisservertest.Private(t)
	j := wall(job(twoSeconds(t)))
	stop := make(chan struct{})
	j.Server, j.Clock, j.Stop = redisserver.KindProcess, RealClock, stop
	j.Algorithms = choices(t, "none", "gcra")
	timer := time.AfterFunc(1500*time.Millisecond, func() { close(stop) })
	defer timer.Stop()
	r := runOn(t, j, s).Document.Runs[0]
	for _, line := range r.Results {
		if !r.Partial || line.Offered == 0 || line.Offered >= 80 || line.Offered != r.Results[0].Offered {
			t.Errorf("%s: partial %v, offered %d", line.Algorithm, r.Partial, line.Offered)
		}
	}
	if n := s.Client.DBSize(t.Context()).Val(); n != 0 {
		t.Errorf("%d keys are left on the server", n)
	}
}

// The notes say how far a row is from virtual time, and what may have moved it.
func TestRealNotesSayWhatDiffers(t *testing.T) {
	lanes := []*lane{{means: &paced{differs: 2}}, {means: &paced{differs: 5}}}
	notes := realNotes(&contest{late: 7 * time.Millisecond}, lanes)
	for i, want := range []string{"paced on the wall clock: no request was sent more than 7ms",
		"up to 5 decisions of a row differ from virtual time: "} {
		if len(notes) != 2 || !strings.HasPrefix(notes[i], want) {
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
