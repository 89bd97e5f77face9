package bench

import (
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ratelab/internal/load"
	"ratelab/internal/longtest"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/result"
)

// halt stops a server's process for a while when a step begins whose name has a text in it, so often.
type halt struct {
	t      *testing.T
	pid    func() int
	during string
	times  int
	ended  chan struct{} // closed after the last
}

// silent is long enough for any measurement that it falls into.
const silent = 8 * load.MostSilence

func (h *halt) step(name string, _, _ int) {
	if h.times == 0 || !strings.Contains(name, h.during) {
		return
	}
	h.times--
	pid, last := h.pid(), h.times == 0
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		h.t.Error(err)
	}
	go func() {
		time.Sleep(silent)
		if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
			h.t.Error(err)
		}
		if last {
			close(h.ended)
		}
	}()
}

// halted are the reasons of silence of a job whose server, of the test's own, stands still when a step begins.
func halted(t *testing.T, during string, j *Job) []result.Reason {
	t.Helper()
	server := redistest.Private(t)
	s := newSession(t.Context(), server, redis.KindProcess, j.Clock)
	pid := func() int { return redistest.ProcessID(t, s.server) }
	h := &halt{t: t, pid: pid, during: during, times: 1, ended: make(chan struct{})}
	j.Progress = h.step
	p, err := j.plan()
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.on(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	<-h.ended
	return silences(t, r.Measurement)
}

// silences are the reasons of that kind in a document. Shorter ones are left out: on a busy machine a server really is
// silent for a tenth of a second now and then.
func silences(t *testing.T, h *result.Measurement) []result.Reason {
	t.Helper()
	all := slices.DeleteFunc(slices.Clone(h.Validity.Reasons), func(r result.Reason) bool {
		return r.Code != "silence" || r.LastedUS < (silent/2).Microseconds()
	})
	for _, r := range all {
		if !strings.HasPrefix(r.Statement, "the server was silent for ") {
			t.Errorf("a silence of %v: %+v", silent, r)
		}
	}
	return all
}

// Whatever is measured while the server stands still, it is found out, once and by its name; nothing else is.
func TestASilentServerInvalidatesWhatItFallsInto(t *testing.T) {
	longtest.Skip(t, "waits for servers that stand still")
	const during = "gcra, round 2"
	if all := halted(t, during, tiny(t, "gcra")); len(all) == 0 || all[0].Where != during {
		t.Errorf("the silences are %+v; want one in %s", all, during)
	}
}

// A stretch of silence between two requests of a low rate, for which nobody waited, is one as well.
func TestSilenceAtALowRate(t *testing.T) {
	longtest.Skip(t, "waits for a server that stands still")
	j := tiny(t, "gcra")
	j.Scenarios[0] = written(t, strings.Replace(strings.Replace(small, "200ms", "2s", 1), "400", "2", 1))
	j.Wish.For, j.Rounds = 2*time.Second, 1
	if all := halted(t, "gcra, round 1", j); len(all) != 1 || all[0].Where != "gcra, round 1" {
		t.Errorf("the silences are %+v; want one", all)
	}
}
