package worst

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/longtest"
	"ratelab/internal/result"
	"ratelab/internal/result/resulttest"
	"ratelab/internal/scenario"
	"ratelab/internal/traffic"
)

// problem is the search for a label at the limit, in one window with requests of cost 1.
func problem(t testing.TB, label, text string) Problem {
	t.Helper()
	policy, err := limit.ParsePolicy(text)
	if err != nil {
		t.Fatal(err)
	}
	return problemOf(t, label, policy)
}

func problemOf(t testing.TB, label string, policy limit.Policy) Problem {
	t.Helper()
	choice, err := algorithms.Parse(label)
	if err != nil {
		t.Fatal(err)
	}
	in, err := choice.Instance(policy)
	if err != nil {
		t.Fatal(err)
	}
	return Problem{Instance: in, Policy: policy, WithinUS: policy.WindowUS(), LargestCost: 1, Budget: DefaultBudget,
		Seed: DefaultSeed}
}

// promising are the algorithms with a bound.
func promising(t testing.TB) []string {
	return slices.DeleteFunc(algorithms.Names(), func(name string) bool {
		return problem(t, name, "100/1s").Instance.MostAdmitted == nil
	})
}

// The published worst cases, each found from nothing: twice the limit where windows are aligned, one less where the
// first request opens them, the whole burst and the rate of a bucket.
func TestPublishedWorstCases(t *testing.T) {
	for label, want := range map[string]int64{
		"fixed-window-aligned":   200,
		"fixed-window":           199,
		"sliding-window-counter": 199,
		"sliding-window-log":     100,
		"sliding-window-buckets": 100,
		"gcra":                   199,
		"gcra:burst=10":          109,
		"token-bucket":           199,
		"leaky-bucket":           199,
		"token-bucket-interval":  200,
		"token-bucket-interval:capacity=100:refill=1":     200,
		"token-bucket-interval:capacity=5:interval=70ms":  80,
		"fixed-window-aligned:time=client:granularity=1s": 200,
		"sliding-window-log:time=client:granularity=1ms":  200,
		"sliding-window-buckets:subwindows=7":             100,
		"gcra:burst=10:time=client:granularity=1s":        20,
	} {
		f := problem(t, label, "100/1s").Search()
		if f.Most != want || f.Broken() || !f.Complete {
			t.Errorf("%s: %d, want %d (%+v)", label, f.Most, want, f)
		}
	}
}

// A bucket that lends gives away what the costliest request does not pay.
func TestLendingIsFound(t *testing.T) {
	for label, want := range map[string]int64{"token-bucket-debt": 209, "token-bucket-debt:debt=5": 205,
		"token-bucket-debt:interval=10ms": 209} {
		p := problem(t, label, "100/1s")
		p.LargestCost = 10
		if f := p.Search(); f.Most != want {
			t.Errorf("%s: %d, want %d (%+v)", label, f.Most, want, f.Attack)
		}
	}
}

// Every algorithm there is comes within 95 % of its bound at other limits and scales, and no further than to it.
func TestEveryBoundIsNearlyReached(t *testing.T) {
	cases := []struct {
		limit  string
		within time.Duration
		cost   int64
	}{
		{"100/1s", 0, 1}, {"100/1s", 10 * time.Millisecond, 1}, {"100/1s", 2500 * time.Millisecond, 1}, {"100/1s",
			time.Microsecond, 1},
		{"333/1s", 0, 1}, {"1000/1m", 0, 1}, {"7/3s", 0, 1}, {"100/1s", 0, 10}, {"50/1s", 3 * time.Second,
			7}, {"3/10ms", 0, 1},
	}
	for _, c := range cases {
		for _, label := range promising(t) {
			p := problem(t, label, c.limit)
			p.LargestCost = c.cost
			if c.within > 0 {
				p.WithinUS = c.within.Microseconds()
			}
			f := p.Search()
			if f.Broken() || 100*f.Most < 95*f.Bound {
				t.Errorf("%s: %d of %d", p.CommandLine(), f.Most, f.Bound)
			}
		}
	}
}

// So it does at limits of every size, without a seed's luck.
func TestEveryBoundIsNearlyReachedAtAnySize(t *testing.T) {
	for _, text := range []string{"37/7s", "500/13m", "1000000/1h"} {
		t.Run(strings.ReplaceAll(text, "/", " per "), func(t *testing.T) {
			if text == "1000000/1h" {
				longtest.Skip(t, "decides a hundred floods of a million requests one by one")
			}
			for _, label := range promising(t) {
				p := problem(t, label, text)
				f := p.Search()
				if f.Broken() || 100*f.Most < 95*f.Bound {
					t.Errorf("%s: %d of %d", p.CommandLine(), f.Most, f.Bound)
				}
				if got := p.oneByOne(f.Attack); got != f.Most {
					t.Errorf("%s: one by one %d are admitted, the search found %d", p.CommandLine(), got, f.Most)
				}
			}
		})
	}
}

// drawProblem is a search at a small limit.
func drawProblem(t *rapid.T, tt testing.TB) Problem {
	p := problemOf(tt, rapid.SampledFrom(promising(tt)).Draw(t, "algorithm"), limit.Policy{
		Requests: rapid.Int64Range(1, 12).Draw(t, "requests"),
		Window:   time.Duration(rapid.Int64Range(50_000, 3_000_000).Draw(t, "window")) * time.Microsecond,
	})
	p.WithinUS = max(1, p.Policy.WindowUS()*rapid.Int64Range(1, 30).Draw(t, "tenths")/10)
	p.LargestCost = rapid.Int64Range(1, 5).Draw(t, "cost")
	p.Seed = rapid.Uint64().Draw(t, "seed")
	p.Budget = 60_000
	return p
}

// At any small limit and scale: nothing above the bound, nearly all of it, the same again, and a scenario that shows
// just that and has nothing to spare.
func TestAnySearch(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		p := drawProblem(r, t)
		f := p.Search()
		if f.Broken() {
			r.Fatalf("%s: %d of %d: %+v", p.CommandLine(), f.Most, f.Bound, f.Attack)
		}
		// Beyond one window the sub-windows admit less than their bound says: the next L waits for n + 1 of them.
		loose := strings.HasPrefix(p.Instance.Label, "sliding-window-buckets") && p.WithinUS > p.Policy.WindowUS()
		if 100*f.Most < 95*f.Bound && f.Most < f.Bound-2 && !loose {
			r.Fatalf("%s: only %d of %d: %+v", p.CommandLine(), f.Most, f.Bound, f.Attack)
		}
		if again := p.Search(); !reflect.DeepEqual(f, again) {
			r.Fatalf("%s: first %+v, then %+v", p.CommandLine(), f, again)
		}
		s := p.Scenario(&f, Name(p.Instance.Label))
		if got := p.peakOf(s); got != f.Most {
			r.Fatalf("%s: the scenario admits %d, the search found %d: %+v", p.CommandLine(), got, f.Most, f.Attack)
		}
		p.checkNothingToSpare(r, s, f.Most)
	})
}

// peakOf is the most that the model admits in the searched interval of a scenario.
func (p Problem) peakOf(s *scenario.Scenario) int64 {
	model, start := p.Instance.NewModel(), s.Start.UnixMicro()
	var admitted []admission
	for q := range s.Stream(s.Seed).Requests() {
		if model.Decide(start+q.AtUS, q.Key, q.Cost).Allowed() {
			admitted = append(admitted, admission{q.AtUS, q.Cost, 1})
		}
	}
	return slowPeak(admitted, p.WithinUS)
}

// slowPeak is the oracle of peak: every interval that ends with an admission, summed up.
func slowPeak(all []admission, widthUS int64) (most int64) {
	for _, end := range all {
		var sum int64
		for _, a := range all {
			if a.atUS > end.atUS-widthUS && a.atUS <= end.atUS {
				sum += a.cost * a.count
			}
		}
		most = max(most, sum)
	}
	return most
}

// checkNothingToSpare: without any one of its phases the scenario admits less.
func (p Problem) checkNothingToSpare(t *rapid.T, s *scenario.Scenario, most int64) {
	if len(s.Phases) == 1 {
		return
	}
	for i, left := range s.Phases {
		without := *s
		without.Phases = slices.Delete(slices.Clone(s.Phases), i, i+1)
		if got := p.peakOf(&without); got >= most {
			t.Fatalf("%s: without the phase %+v it admits %d as well\n%+v", p.CommandLine(), left, got, s.Phases)
		}
	}
}

// What is written is read as the same traffic.
func TestFilesAreReadBack(t *testing.T) {
	for _, label := range promising(t) {
		p := problem(t, label, "333/1s")
		f := p.Search()
		s := p.Scenario(&f, Name(label))
		data, err := scenario.Write(s, p.Comments(&f)...)
		if err != nil {
			t.Error(err)
			continue
		}
		back, err := scenario.Parse(s.Name+".yaml", data)
		if err != nil || p.peakOf(back) != f.Most {
			t.Errorf("%v\n%s", err, data)
		}
	}
}

// A broken promise is seen: a bound that is one too low.
func TestABrokenBoundIsSeen(t *testing.T) {
	p := problem(t, "gcra", "10/1s")
	promised := p.Instance.MostAdmitted
	p.Instance.MostAdmitted = func(spanUS, largestCost int64) int64 { return promised(spanUS, largestCost) - 1 }
	if f := p.Search(); !f.Broken() || f.Most != 19 || !f.Complete {
		t.Errorf("%+v", f)
	}
}

// unreachable is a problem whose bound no search reaches: of two floods a whole window apart, both of which the
// interval holds, the sub-windows still count the first when the second comes.
func unreachable(t testing.TB, text string) Problem {
	p := problem(t, "sliding-window-buckets", text)
	p.WithinUS = p.Policy.WindowUS() + 1
	return p
}

// A budget that is too small still finds something, and says that it is not all.
func TestBudgetRunsOut(t *testing.T) {
	for _, budget := range []int64{1, 2, 50, 150, 1000} {
		p := unreachable(t, "100/1s")
		p.Budget = budget
		f := p.Search()
		if f.Complete || f.Decisions > budget || p.Note(&f) == "" || f.Most < 1 && budget > 1 {
			t.Errorf("%d: %+v", budget, f)
		}
		if s := p.Scenario(&f, "worst-x"); f.Most > 0 && p.peakOf(s) != f.Most {
			t.Errorf("%d: the scenario admits %d, the search found %d", budget, p.peakOf(s), f.Most)
		}
	}
}

// A search that is stopped ends at once with what it has.
func TestStop(t *testing.T) {
	p := unreachable(t, "100000/1s")
	stop := make(chan struct{})
	close(stop)
	p.Stop = stop
	if f := p.Search(); !f.Stopped || f.Complete || f.Decisions > checkEvery || f.Most == 0 {
		t.Errorf("%+v", f)
	}
}

// The simplifier does without a burst in the middle that shows nothing, and says a steady stream in one phase.
func TestSuperfluousStrikesAreLeftOut(t *testing.T) {
	p := problem(t, "gcra", "10/1s")
	s := newSearch(p)
	s.budget = p.Budget
	z := &simplifier{search: s, target: 12, now: Attack{ShiftUS: 17, Strikes: []Strike{
		{Size: 9, Times: 1, Cost: 1, RestUS: 11}, {Size: 1, Times: 1, Cost: 1, RestUS: 99_989}, {Size: 1, Times: 1,
			Cost: 1, RestUS: 123_456},
		{Size: 1, Times: 1, Cost: 1, RestUS: 600_000}, {Size: 3, Times: 1, Cost: 1},
	}}}
	for z.leaveOut() || z.join() || z.snap() || z.round() {
	}
	if got, _ := s.replay(z.now.each); got < 12 || len(z.now.Strikes) > 2 || z.now.ShiftUS != 0 {
		t.Errorf("%d: %+v", got, z.now)
	}
}

// What a file cannot hold is cut off at its beginning.
func TestALongAttackIsShortened(t *testing.T) {
	p := problem(t, "sliding-window-log", "2000/1s")
	a := Attack{}
	for i := range int64(1500) {
		a.Strikes = append(a.Strikes, Strike{Size: 1 + i%2, Times: 1, Cost: 1, RestUS: 10})
	}
	a, most := p.shortened(a)
	s := p.Scenario(&Found{Attack: a, Most: most}, "worst-x")
	if len(s.Phases) != mostPhases || a.ShiftUS != 5000 || most != 1500 || p.peakOf(s) != most {
		t.Errorf("%d phases from %d us on admit %d", len(s.Phases), a.ShiftUS, most)
	}
}

// peak agrees with its oracle.
func TestPeak(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []admission
		at := int64(0)
		for range rapid.IntRange(0, 30).Draw(t, "n") {
			at += rapid.Int64Range(0, 5).Draw(t, "gap")
			all = append(all, admission{at, rapid.Int64Range(1, 3).Draw(t, "cost"),
				rapid.Int64Range(1, 3).Draw(t, "count")})
		}
		width := rapid.Int64Range(1, 30).Draw(t, "width")
		most, from, to := highest(all, width)
		var sum int64
		for _, a := range all[from:to] {
			sum += a.cost * a.count
		}
		if want := slowPeak(all, width); most != want || sum != want {
			t.Fatalf("%d, and %d in [%d:%d]; want %d", most, sum, from, to, want)
		}
	})
}

// Strikes say exactly what was admitted, however it was spread.
func TestStrikesSayTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var want []admission
		at, size := int64(0), int64(1)
		for range rapid.IntRange(1, 8).Draw(t, "stretches") {
			span, n := rapid.Int64Range(1, 50_000).Draw(t, "span"), rapid.Int64Range(1, 40).Draw(t, "n")
			size += rapid.Int64Range(0, 1).Draw(t, "more")
			for k := range n {
				if next := at + k*span/n; len(want) == 0 || next > want[len(want)-1].atUS {
					want = append(want, admission{next, 1, size})
				}
			}
			at += span + rapid.Int64Range(0, 1000).Draw(t, "rest")
		}
		p := &played{admitted: want}
		a := p.attack()
		var got []admission
		a.instants(func(atUS, cost, count int64) bool { got = append(got, admission{atUS, cost, count}); return true })
		if !slices.Equal(got, want) {
			t.Fatalf("got %v\nwant %v\n%+v", got, want, a)
		}
		for _, s := range a.Strikes {
			if s.RestUS < 0 || s.Size > 1 && s.Times > 1 && s.SpanUS%s.Times != 0 {
				t.Fatalf("no phase can say %+v", s)
			}
		}
	})
}

// A steady stream is one strike, also where its gap is no whole number of µs.
func TestASteadyStreamIsOneStrike(t *testing.T) {
	var all []admission
	for at := range (traffic.Constant(333)).Times(time.Second, nil) {
		all = append(all, admission{at, 1, 1})
	}
	p := &played{admitted: all}
	if a := p.attack(); len(a.Strikes) != 1 || a.Strikes[0].Times != 333 || a.Strikes[0].SpanUS != 1_000_000 {
		t.Errorf("%+v", a.Strikes)
	}
}

func TestName(t *testing.T) {
	for label, want := range map[string]string{
		"gcra":                        "worst-gcra",
		"gcra:burst=10":               "worst-gcra-burst-10",
		"token-bucket:application=A.": "worst-token-bucket-application-a",
	} {
		if got := Name(label); got != want {
			t.Errorf("%s: %s", label, got)
		}
	}
}

// What is written is what the schema promises, and is told from other documents.
func TestDocumentsKeepTheSchema(t *testing.T) {
	p := problem(t, "gcra:burst=5", "10/1s")
	f := p.Search()
	doc := p.Document("v1")
	doc.Server = result.Server{Kind: "model", Name: "go", Transport: "none"}
	doc.Results = append(doc.Results, p.Row(&f, p.Scenario(&f, "worst-gcra")))
	var out strings.Builder
	if err := WriteJSON(&out, &doc); err != nil {
		t.Fatal(err)
	}
	if err := resulttest.Validate(t, result.Worst, out.String()); err != nil {
		t.Error(err)
	}
	if form, bad := result.Recognize([]byte(out.String()), result.Worst); bad != nil || form != result.Worst {
		t.Errorf("%v, %v", form, bad)
	}
}
