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

// No built-in limiter has a fault, at any limit, and each decides as a rule that is known. A window that is given a
// burst ignores it, which is one. The floor has no limit.
func TestTheBuiltInOnes(t *testing.T) {
	limits := []string{"5/1s", "30/1s 10", "1/10s", "20/500ms", "10/1m", "100/1m", "700/1s", "1000/3s", "2/1s 60",
		"500/13m"}
	limits = limits[:longtest.Nightly(len(limits), 4, 1)]
	for _, name := range algorithms.Names() {
		t.Run(name, func(t *testing.T) {
			for _, limits := range limits {
				s := builtin(t, name, limits)
				e := examined(t, s)
				if e.NotExamined != "" {
					continue
				}
				if name == "none" {
					if got := faults(e); !slices.Equal(got, []string{"no_limit"}) {
						t.Errorf("%v: %v", limits, got)
					}
					continue
				}
				spec := algorithms.Of(name)
				got := slices.DeleteFunc(faults(e), func(kind string) bool {
					return kind == "more_at_once" && spec.Family != "bucket" && strings.Contains(limits, " ") ||
						kind == "less_at_once" && spec.Traits.Tiers
				})
				words := spec.InWords
				ruleless := words == "decides as "+name // a rule of its own, which examine need not know
				isOther := words != "" && !ruleless && e.Family != words && !strings.HasPrefix(e.Family, "a shaper")
				if isOther && !strings.HasPrefix(limits, "1/") {
					t.Errorf("%v: %s", limits, e.Family)
				}
				noRule := e.Family == "" || slices.ContainsFunc(e.Findings, func(f result.Finding) bool {
					return f.Kind == "nearest"
				})
				if len(got) > 0 || noRule && !ruleless {
					t.Errorf("%v: %s: %v", limits, e.Family, texts(e))
				}
				l, err := s.At(e.Limit.Policy())
				if err != nil {
					t.Fatal(err)
				}
				if l.MostAdmitted != nil && e.Worst > l.MostLetThrough()(e.Limit.WindowUS, 1) {
					t.Errorf("%v: worst %d", limits, e.Worst)
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
		{`"{limit}"`, nil, "the binding does not pass limit and window, and no limit was given", ""},
		{`"{limit}", "{window_ms}"`, at(201), "201/5s", "starves@20/500ms"},
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
	p := play{volleys: []volley{{n: 2, stepUS: 3}, {n: 3}, {gapUS: 4, n: 1}}}
	for _, q := range p.expanded().asks {
		got = append(got, q.AtUS)
	}
	if want := []int64{0, 3, 4, 5, 6, 10}; !slices.Equal(got, want) {
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
	e := examined(t, builtin(t, "gcra", "5/1s"), func(e run.Engine) run.Engine { return resigned{e} })
	if got := texts(e)[0]; !slices.Contains(faults(e), "silent_fallback") ||
		!strings.HasSuffix(got, `"ERR invalid expire time", and it decides all the same`) {
		t.Errorf("%v", texts(e))
	}
}

// Of the built-in limiters for requests that end, those that are right have no fault, and the others have their own.
func TestLimitersOfRequestsThatEnd(t *testing.T) {
	for label, want := range map[string][]string{
		"log-tokens": nil, "gcra:reserve=0": nil, "fixed-window-aligned:reserve=0": nil,
		"token-bucket-debt:reserve=0": nil,
		"leases:ttl=1m:renew=20s":     nil, "leases:ttl=1m": {"slot_ends"},
		"slot-counter":        {"ends_twice", "slot_leaks"},
		"slot-counter:ttl=1m": {"ends_twice", "frees_others", "slot_ends", "slot_leaks"},
	} {
		p := limit.Policy{Requests: 10, Window: time.Minute}
		if strings.Contains(label, "lease") || strings.Contains(label, "slot") {
			p = limit.Policy{Requests: 24, Contract: limit.ByFlight}
		}
		side, err := limiter.SpecOf(script.OnDisk(label), "")
		if err != nil {
			t.Fatal(err)
		}
		e := examined(t, Script{At: side.AtEnds, Asked: &p})
		if got := faults(e); !slices.Equal(got, want) || e.NotExamined != "" {
			t.Errorf("%s: %v, want %v: %+v", label, got, want, texts(e))
		}
		// Only without renewal does a lease end before its request, so that its release comes late.
		if late := slices.Contains(e.Checked, "a late release changes nothing"); late != (label == "leases:ttl=1m") {
			t.Errorf("%s: checked %q", label, e.Checked)
		}
	}
}
