package examine

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/engine"
	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/load"
	"ratelab/internal/longtest"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/result"
	"ratelab/internal/run"
	"ratelab/internal/script"
)

// examined examines a script on an embedded server, or on one that is made of it.
func examined(t *testing.T, s Script, made ...func(run.Engine) run.Engine) *result.Examination {
	t.Helper()
	e := engine.On(t.Context(), redistest.Embedded(t), load.Wall)
	defer e.Close()
	s.Engine = e
	for _, m := range made {
		s.Engine = m(e)
	}
	found, err := s.Examine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// builtin is a built-in limiter to be examined at a limit.
func builtin(t *testing.T, label, limits string) Script {
	t.Helper()
	side, err := limiter.SpecOf(script.OnDisk(label), "")
	if err != nil {
		t.Fatal(err)
	}
	p := policyOf(t, strings.Fields(limits))
	return Script{Asked: &p, Costs: true, At: side.At}
}

// No built-in limiter has a fault, at any limit. A window that is given a burst ignores it, which is one. The worst
// is within what the rule can admit at most, and comes close where the burst is the limit. The floor has no limit.
func TestTheBuiltInOnes(t *testing.T) {
	limits := []string{"100/1m", "1/1s", "20/7s", "150/3s", "3/10ms"}
	if longtest.All() {
		limits = append(limits, "2/1s", "5/24h", "10/1s 3", "100/1m 7", "100/100ms", "500/13m", "30/1s 10")
	}
	for _, name := range algorithms.Names() {
		t.Run(name, func(t *testing.T) {
			for _, limits := range limits {
				s := builtin(t, name, limits)
				e := examined(t, s)
				if name == "none" {
					if got := faults(e); !slices.Equal(got, []string{"no_limit"}) {
						t.Errorf("%v: %v", limits, got)
					}
					continue
				}
				p := e.Limit.Policy()
				l, err := s.At(p)
				if err != nil {
					t.Fatal(err)
				}
				ignoresBurst := l.MostAdmitted != nil && l.MostAdmitted(1, 1) > p.Capacity()
				if e.Faults() > 0 && !ignoresBurst {
					t.Errorf("%v: %v", limits, texts(e))
				}
				if l.MostAdmitted == nil {
					continue
				}
				most := l.MostLetThrough()(p.WindowUS(), 1)
				close := p.Capacity() < p.Requests || 100*e.Worst >= 95*most || e.Worst >= most-1
				if e.Worst > most || !close {
					t.Errorf("%v: worst %d of %d", limits, e.Worst, most)
				}
			}
		})
	}
}

// A script whose limit nobody can choose is examined at the one that was asked about, if that is small enough; any
// other at a smaller one, of the same window.
func TestTheLimit(t *testing.T) {
	file := func(args string) script.File {
		return script.File{Name: "my.lua", Read: func(name string) ([]byte, error) {
			if filepath.Ext(name) == ".yaml" {
				return []byte(`{keys: ["rl:{key}"], args: [` + args + `], admitted: [1]}`), nil
			}
			return []byte("local n = redis.call('INCR', KEYS[1]) redis.call('PEXPIRE', KEYS[1], 5000, 'NX') " +
				"return n <= tonumber(ARGV[1] or 31) and 1 or 0"), nil
		}}
	}
	at := func(requests int64) *limit.Policy { return &limit.Policy{Requests: requests, Window: 5 * time.Second} }
	for _, c := range []struct {
		args string
		at   *limit.Policy
		want string // the limit, or the beginning of why not
		kind string
	}{
		{"", at(30), "30/5s", "off_by_one"},
		{"", at(31), "31/5s", ""},
		{"", at(501), "the limit 501/5s is large", ""},
		{"", nil, "the binding does not pass limit and window, and no limit was given", ""},
		{`"{limit}"`, at(501), "100/5s", ""},
		{`"{limit}"`, nil, "the binding does not pass limit and window, and no limit was given", ""},
		{`"{limit}", "{window_ms}"`, at(200), "200/5s", ""},
		{`"{limit}", "{window_ms}"`, at(201), "100/5s", ""},
		{`"{limit}", "{window_ms}"`, nil, "100/1m", "expires_early"},
	} {
		e := examined(t, Script{Asked: c.at, At: limiter.OfFile(file(c.args)).At})
		got := e.NotExamined
		if got == "" {
			got = e.Limit.Policy().String()
		}
		if !strings.HasPrefix(got, c.want) || strings.Join(faults(e), " ") != c.kind {
			t.Errorf("%s at %v: %s: %v", c.args, c.at, got, texts(e))
		}
	}
}

// Every script is named as the kind of limiter that it is, unless it delays.
func TestFamilies(t *testing.T) {
	for _, f := range algorithms.ByPlace() {
		if algorithms.IsFloor(f.Label) || f.Algorithm.Family == "shaper" || f.Algorithm.InWords == "" {
			continue
		}
		for _, limits := range []string{"100/1m", "20/7s", "60/1m"} {
			if e := examined(t, builtin(t, f.Label, limits)); e.Family != f.Algorithm.InWords {
				t.Errorf("%s at %s: %q", f.Label, limits, e.Family)
			}
		}
	}
}

// A shaper is one, its delay is told, and what it admits counts when it leaves: 100 at once at 100/1m leave every
// 600 ms, and so never more than 100 in a minute.
func TestAShaperDelays(t *testing.T) {
	e := examined(t, builtin(t, "leaky-bucket", "100/1m"))
	if e.Worst != 100 || e.Family != "a shaper, which delays what it admits by up to 59.4s" || len(e.Findings) > 0 {
		t.Errorf("%s, %d: %v", e.Family, e.Worst, texts(e))
	}
}

// What the embedded server lacks is no fault of the script, and the reason says where it can be examined.
func TestWhatTheServerLacksIsNoFault(t *testing.T) {
	file := script.File{Name: "my.lua", Read: func(name string) ([]byte, error) {
		if filepath.Ext(name) == ".yaml" {
			return []byte(`{keys: ["rl:{key}"], args: ["{limit}", "{window_ms}"], admitted: [1]}`), nil
		}
		return []byte("return struct.unpack('>I', struct.pack('>I', 1))"), nil
	}}
	e := examined(t, Script{At: limiter.OfFile(file).At})
	if !strings.Contains(e.NotExamined, "because of struct.unpack; use --redis process") || len(e.Findings) > 0 {
		t.Errorf("%q: %v", e.NotExamined, texts(e))
	}
}

// No two requests are in one microsecond, however many traffics ask at one instant: a script whose entries are named
// after the client's microseconds would have no limit.
func TestRequestsAreAMicrosecondApart(t *testing.T) {
	var got []int64
	for _, q := range inOrder(every(5, 1, 2), every(5, 0, 3), every(4, 1, 1)) {
		got = append(got, q.AtUS)
	}
	if want := []int64{4, 5, 6, 7, 8, 9}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// resigned is a server of which every row decides although an error came.
type resigned struct{ run.Engine }

func (r resigned) Open(ctx context.Context, p *run.Plan, l *limiter.Limiter) (run.Script, error) {
	s, err := r.Engine.Open(ctx, p, l)
	return ignorant{s}, err
}

type ignorant struct{ run.Script }

func (ignorant) Ignored() string { return "ERR invalid expire time" }

// Who decides although the server has answered with an error falls back silently, which is said once, with the error.
func TestSilentFallback(t *testing.T) {
	e := examined(t, builtin(t, "gcra", "100/1m"), func(e run.Engine) run.Engine { return resigned{e} })
	if got := texts(e)[0]; !slices.Equal(faults(e), []string{"silent_fallback"}) ||
		!strings.HasSuffix(got, `"ERR invalid expire time", and it decides all the same`) {
		t.Errorf("%v", texts(e))
	}
}
