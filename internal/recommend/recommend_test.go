package recommend

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/costs"
	"ratelab/internal/limit"
	"ratelab/internal/longtest"
	"ratelab/internal/report"
	"ratelab/internal/result"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
	"ratelab/internal/traffic"
)

func answer(t *testing.T, q *Question) *result.Document {
	t.Helper()
	doc, err := q.Answer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// under is the answer for a built-in scenario.
func under(t *testing.T, c limit.Contract, name string) *result.Document {
	t.Helper()
	s, err := scenario.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return answer(t, &Question{Scenarios: []*scenario.Scenario{s}, Instead: run.Instead{Contract: &c}})
}

func labels(rows []result.Price) (all []string) {
	for _, r := range rows {
		all = append(all, r.Limiter)
	}
	return all
}

func labelsOf(choices []algorithms.Choice) (all []string) {
	for _, c := range choices {
		all = append(all, c.Label)
	}
	return all
}

// ruleOf is a label's rule under a limit.
func ruleOf(label string, p limit.Policy) (algorithms.Rule, error) {
	c, err := algorithms.Parse(label)
	if err != nil {
		return algorithms.Rule{}, err
	}
	return c.Under(p)
}

// The shares that a program written apart from this one computes from the requests of a scenario at three paces, by the
// rules of the algorithms in words; and the rows that follow from them by hand.
func TestASecondProgramAgrees(t *testing.T) {
	for _, c := range []struct {
		scenario string
		lost     map[string]float64
		rows     string
	}{
		{"poisson", map[string]float64{
			"sliding-window-log":              0,
			"sliding-window-buckets:parts=60": 0.007829,
			"sliding-window-buckets":          0.039582,
			"gcra:limit=8:burst=2":            0.182546,
			"gcra:limit=5:burst=5":            0.378860,
			"gcra:limit=9:burst=1":            0.402459,
		}, "sliding-window-buckets:parts=60 gcra:limit=8:burst=2"},
		{"on-off", map[string]float64{
			"sliding-window-log":              0,
			"sliding-window-buckets:parts=60": 0.068333,
			"sliding-window-buckets":          0.3,
			"gcra:limit=150:burst=150":        0.491,
			"gcra:limit=225:burst=75":         0.626667,
			"gcra:limit=270:burst=30":         0.753333,
		}, "sliding-window-log sliding-window-buckets:parts=60"},
		{"extreme-case-1", map[string]float64{
			"sliding-window-log":              0,
			"sliding-window-buckets:parts=60": 0.004836,
			"sliding-window-buckets":          0.014507,
			"gcra:limit=500:burst=500":        0.082434,
			"gcra:limit=750:burst=250":        0.171737,
		}, "sliding-window-buckets sliding-window-log gcra:limit=500:burst=500"},
	} {
		t.Run(c.scenario, func(t *testing.T) {
			q := &Question{}
			s, err := scenario.Load(c.scenario)
			if err != nil {
				t.Fatal(err)
			}
			p := s.Limit
			f, err := q.play(t.Context(), p, []*scenario.Scenario{s})
			if err != nil {
				t.Fatal(err)
			}
			for _, candidate := range f.candidates {
				r := candidate.price(f)
				if want, known := c.lost[r.Limiter]; known && math.Abs(r.Lost-want) > 1e-6 {
					t.Errorf("%s loses %.6f, want %.6f", r.Limiter, r.Lost, want)
				}
			}
			if a, err := f.answer(); err != nil || strings.Join(labels(a.Rows), " ") != c.rows {
				t.Errorf("%v, want %s (%v)", labels(a.Rows), c.rows, err)
			}
		})
	}
}

// The costs of everything that is worth recommending have been counted.
func TestEveryCandidateIsPriced(t *testing.T) {
	for _, label := range Priced() {
		name, _, _ := strings.Cut(label, ":")
		for _, figure := range costs.Figures() {
			if costs.Of(costs.Table(), name, figure) == nil {
				t.Errorf("%s: %q has not been counted, and so it is never recommended; make costs counts it", label,
					figure)
			}
		}
	}
}

// A reduced gcra admits the largest cost at once.
func TestBurstsAdmitTheLargestCost(t *testing.T) {
	p := limit.Policy{Requests: 100, Window: time.Second}
	s := scenario.Scenario{Name: "one", Start: scenario.DefaultStart, Phases: []traffic.Phase{{Name: "one",
		Duration: time.Second, Arrivals: traffic.Burst{Size: 1, Every: time.Second}, Cost: traffic.FixedCost(30)}}}
	f, err := (&Question{}).play(t.Context(), p, []*scenario.Scenario{&s})
	if err != nil {
		t.Fatal(err)
	}
	var bursts []int64
	for _, c := range f.candidates {
		if c.limiter.Algorithm.Name == "gcra" {
			bursts = append(bursts, c.limiter.InRole(algorithms.Capacity))
		}
	}
	if !slices.Equal(bursts, []int64{30, 50}) {
		t.Errorf("bursts %v", bursts)
	}
}

// An aligned rule is not helped by where its window lies: one request ahead of the traffic changes no answer.
func TestTheAnswerDoesNotDependOnAPhase(t *testing.T) {
	c := limit.ByWindow
	for _, shift := range []time.Duration{37 * time.Second, 55 * time.Second}[:longtest.Of(2, 1)] {
		s, err := scenario.Load("on-off")
		if err != nil {
			t.Fatal(err)
		}
		s.Start = s.Start.Add(shift)
		doc := answer(t, &Question{Scenarios: []*scenario.Scenario{s}, Instead: run.Instead{Contract: &c}})
		if got := doc.Answers[0].Rows[0].Limiter; got != "sliding-window-log" {
			t.Errorf("after %v: %s", shift, got)
		}
	}
}

// A burst, in the file or by flag, means the bucket; where nobody names a contract both are answered for.
func TestWhichContractIsAnsweredFor(t *testing.T) {
	plain := limit.Policy{Requests: 10, Window: time.Second}
	window, burst := limit.ByWindow, plain
	burst.Burst, burst.Contract = 5, limit.ByBucket
	for name, c := range map[string]struct {
		q    Question
		want string
	}{
		"nobody named one": {Question{Instead: run.Instead{Limit: &plain}}, "[window bucket]"},
		"--burst":          {Question{Instead: run.Instead{Limit: &burst}}, "[bucket]"},
		"--contract":       {Question{Instead: run.Instead{Limit: &plain, Contract: &window}}, "[window]"},
		"a burst in the file": {Question{Scenarios: []*scenario.Scenario{
			{Limit: limit.Policy{Requests: 10, Window: time.Second, Burst: 5}}}}, "[bucket]"},
		"contract: window in the file": {Question{Scenarios: []*scenario.Scenario{
			{Limit: limit.Policy{Requests: 10, Window: time.Second, Burst: 5}, NamesContract: true}}}, "[window]"},
	} {
		policies, err := c.q.policies()
		var got []limit.Contract
		for _, p := range policies {
			got = append(got, p.Contract)
		}
		if fmt.Sprint(got) != c.want || err != nil {
			t.Errorf("%s: %v, want %s (%v)", name, got, c.want, err)
		}
	}
}

// Under the bucket contract gcra is exact, and token-bucket decides alike.
func TestTheBucketContract(t *testing.T) {
	a := under(t, limit.ByBucket, "poisson").Answers[0]
	if got := labels(a.Rows); !slices.Equal(got, []string{"gcra"}) || a.Rows[0].Lost != 0 ||
		!slices.Equal(labels(a.Alike), []string{"token-bucket"}) {
		t.Errorf("%+v", a)
	}
	if a.RedisRate != "Limit{Rate: 10, Period: time.Second, Burst: 10}" ||
		strings.Join(a.Arguments, " ") != " 1 10 1000000 10" || a.Script != "lua/gcra.lua" {
		t.Errorf("%q %q %q", a.RedisRate, a.Arguments, a.Script)
	}
}

// Every screen of every built-in scenario that is traffic fits a terminal of 80 columns and 24 lines, and so do those
// without traffic; the first row is the pick, and no row has more of everything than one before it.
func TestScreensFit(t *testing.T) {
	var questions []*Question
	for _, name := range scenario.Names() {
		s, err := scenario.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		n, known := s.Stream(s.Seed).Count()
		if s.Sequences != nil || s.RequestsEnd() || s.ClocksOff() || s.Faulty() || !known ||
			!longtest.All() && n > 2_500 {
			continue
		}
		q := &Question{Scenarios: []*scenario.Scenario{s}, Instead: run.Instead{Contract: new(limit.Contract)}}
		if name == "extreme-case-1" || name == "zipf-head" { // answers for both contracts differ in their numbers alone
			q.Contract = nil
		}
		questions = append(questions, q)
	}
	for _, text := range []string{"1/1s", "100/1m", "1000000/24h"} {
		p, err := limit.ParsePolicy(text)
		if err != nil {
			t.Fatal(err)
		}
		questions = append(questions, &Question{Instead: run.Instead{Limit: &p}},
			&Question{Instead: run.Instead{Limit: &p, Contract: new(limit.Contract)}},
			&Question{Instead: run.Instead{Limit: &limit.Policy{Requests: p.Requests, Window: p.Window,
				Contract: limit.ByBucket}}})
	}
	for _, q := range questions {
		doc := answer(t, q)
		var out bytes.Buffer
		if err := Forms.Write(&out, "table", doc, report.Terminal{Width: 80}); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		if len(lines) > 24 {
			t.Errorf("%v: %d lines\n%s", doc.Traffic.Names, len(lines), out.String())
		}
		for _, line := range lines {
			if len(line) > 80 {
				t.Errorf("%v: %d columns: %s", doc.Traffic.Names, len(line), line)
			}
		}
		for _, a := range doc.Answers {
			for i, r := range a.Rows {
				for _, before := range a.Rows[:i] {
					if !better(&r, &before) || r.Guarantee > 1 {
						t.Errorf("%v: %s beside %s", doc.Traffic.Names, r.Limiter, before.Limiter)
					}
				}
			}
		}
	}
}

// What is said not to keep a bucket does not: by the algorithm's own bound it admits more in some interval, and where
// the burst is large enough nothing is named.
func TestWhoDoesNotKeepABucket(t *testing.T) {
	for burst, want := range map[int64]string{5: "fixed-window sliding-window-log", 10: "fixed-window",
		18: "fixed-window", 19: ""} {
		p := limit.Policy{Requests: 10, Window: time.Second, Burst: burst, Contract: limit.ByBucket}
		named := labelsOf(usual(p))
		if got := strings.Join(named, " "); got != want {
			t.Errorf("burst %d: %s, want %s", burst, got, want)
		}
		for _, name := range []string{"fixed-window", "sliding-window-log", "sliding-window-counter"} {
			in, err := ruleOf(name, p)
			if err != nil {
				t.Fatal(err)
			}
			breaks := false
			for us := int64(1); us <= 5_000_000; us += 9_999 {
				breaks = breaks || in.MostAdmitted(us, 1) > burst+10*us/1_000_000
			}
			if slices.Contains(named, name) && !breaks {
				t.Errorf("burst %d: %s keeps the bucket", burst, name)
			}
		}
	}
}

// At one request per window nothing can surround an edge: what does not keep a larger limit keeps this one, by the
// algorithm's own bound, and is a candidate.
func TestALimitOfOne(t *testing.T) {
	p := limit.Policy{Requests: 1, Window: time.Minute}
	if named := usual(p); named != nil {
		t.Errorf("%v do not keep it", named)
	}
	for _, name := range []string{"fixed-window", "gcra"} {
		in, err := ruleOf(name, p)
		if err != nil || !slices.Contains(labelsOf(algorithms.Guaranteeing(p, 1)), name) ||
			in.MostAdmitted(p.WindowUS(), 1) != 1 {
			t.Errorf("%s: %v, %d admitted", name, err, in.MostAdmitted(p.WindowUS(), 1))
		}
	}
}

// A period reads as somebody would write it.
func TestPeriod(t *testing.T) {
	for d, want := range map[time.Duration]string{time.Minute: "time.Minute", 3 * time.Second: "3 * time.Second",
		90 * time.Minute: "90 * time.Minute", 24 * time.Hour: "24 * time.Hour",
		1500 * time.Millisecond: "1500000 * time.Microsecond"} {
		if got := period(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

// Scenarios of several limits are refused.
func TestOneLimit(t *testing.T) {
	_, err := (&Question{Scenarios: []*scenario.Scenario{{Name: "a", Limit: limit.Policy{Requests: 1, Window: 1e9}},
		{Name: "b", Limit: limit.Policy{Requests: 2, Window: 1e9}}}}).Answer(t.Context())
	if err == nil || !strings.Contains(err.Error(), "a has 1/1s and b has 2/1s") {
		t.Error(err)
	}
}
