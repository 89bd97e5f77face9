package tune

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/bits"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ratelab/internal/limit"
	"ratelab/internal/result"
	"ratelab/internal/result/resulttest"
	"ratelab/internal/sheet"
)

// throng is many users who send a few requests each, the first of them more, over two hours; a seed makes another.
func throng(users int, seed uint64) requests {
	var all requests
	i := int64(0)
	for q := range generated(int64(users)*5, int64(users), 0.9, seed) {
		q.AtUS = i * 7_200_000_000 / int64(users*5)
		i++
		all = append(all, q)
	}
	return all
}

// unsampled is figures without what a sample says of them.
func unsampled(f Figures) Figures {
	f.Sampled = nil
	return f
}

// A sample of all keys says what no sample does, and that it is exact.
func TestSampleOfAllIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var streams []Stream
		for range rapid.SampledFrom([]int{1, 1, 3}).Draw(t, "streams") {
			all := drawn(t, rapid.Bool().Draw(t, "costs"))
			if all[0].AtUS == all[len(all)-1].AtUS {
				return
			}
			streams = append(streams, requests(all))
		}
		sampled, plain := ask(streams...), ask(streams...)
		for _, q := range []*Question{sampled, plain} {
			q.Algorithms = []string{"gcra", "fixed-window", "sliding-window-counter"}
			q.Good.Quantile = 0.7
			if rapid.Bool().Draw(t, "of requests") {
				sampled.Wishes.Of, plain.Wishes.Of = Requests, Requests
			}
		}
		sampled.Traffic.Sample = &Sample{Share: 1, Within: 0.001}
		want, err := plain.Answer()
		got, sampledErr := sampled.Answer()
		if fmt.Sprint(err) != fmt.Sprint(sampledErr) {
			t.Fatalf("%v, and without a sample %v", sampledErr, err)
		}
		if err != nil {
			return
		}
		if len(got.Rows) != len(want.Rows) || got.Unlimited != want.Unlimited ||
			fmt.Sprint(got.Frontier) != fmt.Sprint(want.Frontier) {
			t.Fatalf("%+v\nwithout a sample %+v", got, want)
		}
		for i := range got.Rows {
			a, b := &got.Rows[i], &want.Rows[i]
			if a.Setting() != b.Setting() || unsampled(a.Fitted) != b.Fitted || unsampled(a.HeldOut) != b.HeldOut {
				t.Fatalf("%+v\nwithout a sample %+v", a, b)
			}
			for _, f := range []Figures{a.Fitted, a.HeldOut} {
				for _, e := range []Estimate{f.Sampled.Users, f.Sampled.Requests, f.Sampled.Cost} {
					if e.PlusMinus == nil || *e.PlusMinus != 0 {
						t.Fatalf("%+v is not exact", e)
					}
				}
			}
		}
		for i, w := range got.Windows {
			for k, n := range w.Needs {
				n.Sampled = nil
				if n != want.Windows[i].Needs[k] {
					t.Fatalf("%+v, without a sample %+v", n, want.Windows[i].Needs[k])
				}
			}
		}
	})
}

// Every row of a sample is what models do with each key, and the ratio estimate of that by its formula, whether one
// log is sampled or several streams; and its worst second is at most that of all keys.
func TestSampledRowsByHand(t *testing.T) {
	for _, streams := range [][]Stream{{throng(3000, 1)}, {throng(1500, 1), throng(1500, 2), throng(1500, 3),
		throng(1500, 4)}} {
		q, plain := ask(streams...), ask(streams...)
		most := 0.2
		q.Algorithms, q.Wishes = []string{"gcra", "fixed-window"}, Wishes{Of: Users, RefuseAtMost: &most}
		q.Good = Good{Quantile: 0.95, Words: "p95"}
		plain.Algorithms, plain.Wishes, plain.Good = q.Algorithms, q.Wishes, q.Good
		q.Present = &limit.Policy{Requests: 2, Window: 3600e9}
		plain.Present = q.Present
		q.Traffic.Sample = &Sample{Share: 0.3, Within: 0.02, Salt: 9}
		d, err := q.Answer()
		if err != nil {
			t.Fatal(err)
		}
		all, err := plain.Answer()
		if err != nil {
			t.Fatal(err)
		}
		if d.Unlimited != all.Unlimited {
			t.Errorf("without a limit: %+v, of all keys %+v", d.Unlimited, all.Unlimited)
		}
		intervals := 0
		for i := range d.Rows {
			r := &d.Rows[i]
			for p, f := range []Figures{r.Fitted, r.HeldOut} {
				users, reqs := byHand(t, q, d, r.Setting(), part(p))
				for k, e := range []Estimate{f.Sampled.Users, f.Sampled.Requests} {
					want := []handMade{users, reqs}[k]
					if math.Abs(e.Share-want.share) > 1e-9 || e.KeysRefused != want.refused {
						t.Fatalf("%s, part %d: %+v, by hand %+v", r.label(), p, e, want)
					}
					if e.PlusMinus != nil {
						intervals++
						if math.Abs(*e.PlusMinus-want.two) > 1e-9 {
							t.Fatalf("%s, part %d: ± %v, by hand %+v", r.label(), p, *e.PlusMinus, want)
						}
					}
				}
				same := slices.IndexFunc(all.Rows, func(o Row) bool { return o.Setting() == r.Setting() })
				if same < 0 {
					continue
				}
				exact := all.Rows[same].Fitted
				if p == int(heldOut) {
					exact = all.Rows[same].HeldOut
				}
				if f.WorstSecond > exact.WorstSecond || f.Users != exact.Users || f.Requests != exact.Requests ||
					f.OfferedCost != exact.OfferedCost {
					t.Errorf("%s, part %d: %+v, of all keys %+v", r.label(), p, f, exact)
				}
			}
		}
		if len(streams) == 1 { // the curves say it of any limit, and of a single log exactly
			for _, w := range d.Windows[:4] {
				n := w.Needs[3]
				s := Setting{Algorithm: w.Algorithm, Policy: limit.Policy{Requests: n.Least,
					Window: time.Duration(w.WindowUS) * time.Microsecond}}
				for p, e := range []Estimate{n.Sampled.Fitted, n.Sampled.HeldOut} {
					want, _ := byHand(t, q, d, s, part(p))
					if math.Abs(e.Share-want.share) > 1e-9 || e.KeysRefused != want.refused ||
						e.PlusMinus != nil && math.Abs(*e.PlusMinus-want.two) > 1e-9 {
						t.Errorf("the curve at %s %s: %+v, by hand %+v", s.Algorithm, s.Limit(), e, want)
					}
				}
			}
		}
		if intervals < 10 {
			t.Errorf("%d intervals are not enough to test with", intervals)
		}
	}
}

// handMade is an estimate.
type handMade struct {
	share, two float64
	refused    int64
}

// byHand samples what a model does with each key of one part.
func byHand(t *testing.T, q *Question, d *Document, s Setting, p part) (users, reqs handMade) {
	t.Helper()
	type figures struct{ requests, users, requests0, users0 float64 }
	uses, counts, of := map[string]int64{}, map[string]int64{}, map[string]*figures{}
	var lastUS int64
	each := func(visit func(stream int, r limit.Request)) {
		for i, stream := range q.Traffic.Streams {
			for r := range stream.Requests() {
				visit(i, r)
			}
		}
	}
	each(func(_ int, r limit.Request) {
		uses[r.Key] += r.Cost
		counts[r.Key]++
		lastUS = max(lastUS, r.AtUS)
	})
	in, err := s.Instance()
	if err != nil {
		t.Fatal(err)
	}
	streams := len(q.Traffic.Streams)
	model, begun := limit.Limiter(nil), -1
	var seen, refused map[string]bool
	each(func(i int, r limit.Request) {
		is := fitted
		if streams == 1 && r.AtUS >= (lastUS+1)/2 || streams > 1 && i >= streams/2 {
			is = heldOut
		}
		if is != p {
			return
		}
		if i != begun {
			model, begun, seen, refused = in.NewModel(), i, map[string]bool{}, map[string]bool{}
		}
		k := of[r.Key]
		if k == nil {
			k = &figures{}
			of[r.Key] = k
		}
		k.requests++
		if !seen[r.Key] {
			seen[r.Key] = true
			k.users++
		}
		if !model.Decide(q.Traffic.StartUS+r.AtUS, r.Key, r.Cost).Allowed() {
			k.requests0++
			if !refused[r.Key] {
				refused[r.Key] = true
				k.users0++
			}
		}
	})
	estimate := func(figure func(*figures) (x, n float64)) (e handMade) {
		var heavyX, heavyN, restN, x, n, squares, keys, m float64
		for _, second := range []bool{false, true} {
			for key, f := range of {
				if uses[key] > d.Good.Most {
					continue
				}
				xk, nk := figure(f)
				isDrawn := sipHash(q.Traffic.Sample.Salt, 0, key) < uint64(q.Traffic.Sample.Share*(1<<63))<<1
				switch {
				case second && counts[key] <= d.Sample.MostOfRest && isDrawn:
					squares += math.Pow(xk-x/n*nk, 2)
				case second:
				case counts[key] > d.Sample.MostOfRest:
					heavyX, heavyN = heavyX+xk, heavyN+nk
				default:
					restN, keys = restN+nk, keys+1
					if isDrawn {
						m, x, n = m+1, x+xk, n+nk
						if xk > 0 {
							e.refused++
						}
					}
				}
			}
		}
		e.share = (heavyX + restN*x/n) / (heavyN + restN)
		e.two = 2 * restN / n * math.Sqrt((1-m/keys)*m/(m-1)*squares) / (heavyN + restN)
		return e
	}
	return estimate(func(f *figures) (float64, float64) { return f.users0, f.users }),
		estimate(func(f *figures) (float64, float64) { return f.requests0, f.requests })
}

// Over all samples of four of eight users a proportion is right on average, and so is the square of its error.
func TestProportionsAreUnbiased(t *testing.T) {
	refused := []float64{1, 0, 0, 1, 1, 0, 0, 0}
	const truth, keys = 3.0, 8
	var samples, sum, squares, variances float64
	for subset := range uint(1 << keys) {
		if bits.OnesCount(subset) != 4 {
			continue
		}
		pairs := func(yield func(float64, float64) bool) {
			for i, x := range refused {
				if subset&(1<<i) != 0 && !yield(x, 1) {
					return
				}
			}
		}
		r := ratio{rest: keys, keys: keys, drawn: iter.Seq2[float64, float64](pairs), users: true}
		_, got := r.estimate()
		said := r.standardError(got/keys, 4, 4)
		samples, sum = samples+1, sum+got
		squares += (got - truth) * (got - truth)
		variances += said * said
	}
	if math.Abs(sum/samples-truth) > 1e-12 || math.Abs(squares-variances) > 1e-9 {
		t.Errorf("on average %v of %v; squared errors %v, said %v", sum/samples, truth, squares, variances)
	}
}

// An interval takes a hundred sampled keys with a refusal, and of users a hundred without one.
func TestTooFewSampledKeys(t *testing.T) {
	for _, c := range []struct {
		refused, drawn int
		users, want    bool
	}{{99, 500, true, false}, {100, 500, true, true}, {400, 500, true, true}, {401, 500, true, false},
		{401, 500, false, true}, {99, 500, false, false}, {0, 1000, false, true}} {
		r := ratio{rest: 1000, keys: 1000, users: c.users, drawn: func(yield func(float64, float64) bool) {
			for i := range c.drawn {
				x := 0.0
				if i < c.refused {
					x = 1
				}
				if !yield(x, 1) {
					return
				}
			}
		}}
		if e, _ := r.estimate(); (e.PlusMinus != nil) != c.want || e.KeysRefused != int64(c.refused) {
			t.Errorf("%+v: %+v", c, e)
		}
	}
}

// The bound is the largest with which two standard errors, by the formula, are no more than what was wished.
func TestMostOfRest(t *testing.T) {
	bound := func(s Sample, p, requests, n float64) float64 {
		return math.Sqrt((1 - s.Share) / s.Share * p * (1 - p) * n / requests)
	}
	rapid.Check(t, func(t *rapid.T) {
		s := Sample{Share: rapid.Float64Range(0.001, 0.999).Draw(t, "share"),
			Within: rapid.Float64Range(0.0001, 0.1).Draw(t, "within")}
		p, requests := rapid.Float64Range(0.0001, 0.5).Draw(t, "p"), rapid.Int64Range(1, 1e10).Draw(t, "requests")
		n := s.mostOfRest(requests, p)
		if n < 0 || n > 200 || bound(s, p, float64(requests), float64(n)) > s.Within/2+1e-9 ||
			n < 200 && bound(s, p, float64(requests), float64(n+1)) < s.Within/2-1e-9 {
			t.Fatalf("%+v, %v of %d: %d", s, p, requests, n)
		}
	})
	// 0.05 points of a hundred million requests, at 1 %: 0.0005² · 10⁸ / (99 · 0.0099) = 25.5
	if n := (&Sample{Share: 0.01, Within: 0.001}).mostOfRest(1e8, 0.01); n != 25 {
		t.Errorf("%d", n)
	}
	for _, whole := range []int64{(&Sample{Share: 1, Within: 0.001}).mostOfRest(10, 0.5),
		(&Sample{Share: 0.01, Within: 0.001}).mostOfRest(10, 0)} {
		if whole != 200 {
			t.Errorf("%d", whole)
		}
	}
}

// A larger share takes the keys of a smaller one, as many as it says; another salt takes others.
func TestDraws(t *testing.T) {
	const keys = 100_000
	var one, both, other, ten int
	for i := range keys {
		key := fmt.Sprint("10.0.", i/256, ".", i%256)
		a, b := (&Sample{Share: 0.01}).draws(key), (&Sample{Share: 0.1}).draws(key)
		if a && !b {
			t.Fatalf("%s is in the smaller sample only", key)
		}
		for n, is := range map[*int]bool{&one: a, &ten: b, &other: (&Sample{Share: 0.01, Salt: 1}).draws(key)} {
			if is {
				*n++
			}
		}
		if a && (&Sample{Share: 0.01, Salt: 1}).draws(key) {
			both++
		}
	}
	for n, want := range map[int]float64{one: keys / 100, other: keys / 100, ten: keys / 10} {
		if math.Abs(float64(n)-want) > 4*math.Sqrt(want) {
			t.Errorf("%d keys, want about %.0f", n, want)
		}
	}
	if both > 30 {
		t.Errorf("two salts have %d keys in common, want about 10", both)
	}
}

// other is a stream that is another one from the second time on.
type other struct {
	first, then requests
	asked       *int
}

// Requests implements Stream.
func (o other) Requests() iter.Seq2[limit.Request, error] {
	if *o.asked++; *o.asked == 1 {
		return o.first.Requests()
	}
	return o.then.Requests()
}

// A log that is another one when it is read again is refused by name, however little of it has changed.
func TestChangedTrafficIsRefused(t *testing.T) {
	was := throng(300, 1)
	for want, change := range map[string]func(requests) requests{
		"found 1501": func(all requests) requests {
			return append(all, limit.Request{AtUS: all[len(all)-1].AtUS, Key: "k0", Cost: 1})
		},
		"found 1502": func(all requests) requests {
			at := all[len(all)-1].AtUS
			return append(all, limit.Request{AtUS: at, Key: "new", Cost: 1},
				limit.Request{AtUS: at, Key: "newer", Cost: 1})
		},
		"found 1499": func(all requests) requests { return all[:len(all)-1] },
		"as many, but others": func(all requests) requests {
			all[700].Key, all[701].Key = all[701].Key, all[700].Key
			return all
		},
		"found as many": func(all requests) requests { all[3].AtUS++; return all },
		"but others; ":  func(all requests) requests { all[9].Cost++; return all },
	} {
		for _, sample := range []*Sample{nil, {Share: 0.5, Within: 0.05}} {
			q := ask(other{was, change(slices.Clone(was)), new(int)})
			q.Traffic.Sample = sample
			_, err := q.Answer()
			var unread *TrafficError
			if !errors.As(err, &unread) || !strings.HasPrefix(err.Error(), "some.log: has changed while it was read") ||
				!strings.Contains(err.Error(), want) {
				t.Errorf("%s, sample %v: %v", want, sample, err)
			}
		}
	}
}

// A part with users of whom none is in the sample has no estimate.
func TestPartWithoutSampledUsersIsRefused(t *testing.T) {
	s := Sample{Share: 0.5, Within: 1}
	var in, out string
	for i := 0; in == "" || out == ""; i++ {
		if key := fmt.Sprint("user", i); s.draws(key) {
			in = key
		} else {
			out = key
		}
	}
	const (
		nothing = "nothing to tune: some.log: "
		more    = "; take a larger one, or leave --sample out"
		people  = " part has good users with at most 50 requests, and none of them is in the sample"
	)
	for want, all := range map[string]requests{
		"the held-out" + people: {{AtUS: 0, Key: in, Cost: 1}, {AtUS: 1e6, Key: out, Cost: 1}},
		"the fitted" + people:   {{AtUS: 0, Key: out, Cost: 1}, {AtUS: 1e6, Key: in, Cost: 1}},
		"the sample has no key in it: of 1 key with at most 50 requests none is drawn": {
			{AtUS: 0, Key: out, Cost: 1}, {AtUS: 1e6, Key: out, Cost: 1}},
	} {
		want = nothing + want + more
		q := ask(all)
		q.Traffic.Sample = &s
		if _, err := q.Answer(); err == nil || err.Error() != want || !errors.Is(err, ErrTraffic) {
			t.Errorf("%v; want %s", err, want)
		}
	}
}

// What is kept of a log that is too large to keep is read again, with the same answer.
func TestReadingAgainIsTheSame(t *testing.T) {
	t.Run("of all keys", func(t *testing.T) { readAgain(t, nil) })
	t.Run("of a sample", func(t *testing.T) { readAgain(t, &Sample{Share: 0.5, Within: 0.05}) })
}

func readAgain(t *testing.T, s *Sample) {
	var answers []string
	for _, most := range []int64{mostKept, 100} {
		q := ask(throng(1000, 1))
		q.Traffic.Sample = s
		q.Algorithms = []string{"gcra"}
		c, err := take(q.Traffic, q.Good)
		if err != nil {
			t.Fatal(err)
		}
		c.kept.most = most
		d, err := q.answer(c)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := WriteJSON(&text, d); err != nil {
			t.Fatal(err)
		}
		answers = append(answers, text.String())
		if c.kept.complete != (most == mostKept) {
			t.Errorf("of at most %d kept: %v", most, c.kept.complete)
		}
	}
	if answers[0] != answers[1] {
		t.Error("the answers differ")
	}
}

// Of a sample each form says what is an estimate, how exact, and what is at least so much.
func TestFormsOfASample(t *testing.T) {
	q := ask(throng(3000, 1))
	most, protect := 0.4, int64(3)
	q.Wishes.RefuseAtMost, q.Wishes.Protect = &most, &protect
	q.Traffic.Sample = &Sample{Share: 0.5, Within: 0.05}
	d, err := q.Answer()
	if err != nil {
		t.Fatal(err)
	}
	d.Tool = result.Tool{Name: "simulate", Version: "devel"}
	for form, wants := range map[string][]string{
		"json":     {`"sampled_keys"`, `"n_max"`, `"plus_minus": null`, `"worst_second": "at least"`},
		"table":    {"heavy keys with more than", " ±", " too few", ">=", "worst second at least"},
		"markdown": {"heavy keys with more than", " ±", "worst second at least"},
		"csv":      {"fitted_users_refused_plus_minus", "too few sampled keys", ",at least,"},
	} {
		var text bytes.Buffer
		if err := Forms.Write(&text, form, d, sheet.Terminal{}); err != nil {
			t.Fatal(form, err)
		}
		for _, want := range wants {
			if !strings.Contains(text.String(), want) {
				t.Errorf("%s has no %q:\n%.3000s", form, want, text.String())
			}
		}
		if form == "json" {
			if err := resulttest.Validate(t, result.Tune, text.String()); err != nil {
				t.Error(err)
			}
		}
		for line := range strings.SplitSeq(text.String(), "\n") {
			if form == "table" && len([]rune(line)) > usualWidth {
				t.Errorf("%d columns: %s", len([]rune(line)), line)
			}
		}
	}
	if d.ShowsProtection(&d.Rows[0]) {
		t.Error("a sample shows that the backend is protected")
	}
}

// An interval that has the wish in it is said to straddle it.
func TestStraddling(t *testing.T) {
	two, none := 0.002, 0.0
	for _, c := range []struct {
		share     float64
		plusMinus *float64
		want      bool
	}{{0.009, &two, true}, {0.011, &two, true}, {0.0079, &two, false}, {0.0121, &two, false}, {0.01, &none, false},
		{0.01, nil, false}, {0.008, &two, false}} {
		if e := (Estimate{Share: c.share, PlusMinus: c.plusMinus}); e.covers(0.01) != c.want {
			t.Errorf("%v: %v", c, !c.want)
		}
	}
}
