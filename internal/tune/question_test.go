package tune

import (
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ratelab/internal/limit"
)

// requests is a stream of those.
type requests []limit.Request

// Requests implements Stream.
func (all requests) Requests() iter.Seq2[limit.Request, error] {
	return func(yield func(limit.Request, error) bool) {
		for _, q := range all {
			if !yield(q, nil) {
				return
			}
		}
	}
}

func ask(streams ...Stream) *Question {
	half, some := 0.01, int64(9)
	return &Question{Traffic: &Traffic{Streams: streams, StartUS: startUS, Fit: 0.5}, Name: "some.log",
		Good: Good{Quantile: 1, Words: "p100"}, Wishes: Wishes{RefuseAtMost: &half, Of: Users, Protect: &some}}
}

// crowd is sixteen users who send a few requests each, more or less at once, over a minute.
func crowd() requests {
	var all requests
	for i := range int64(600) {
		all = append(all, limit.Request{AtUS: i * 100_000, Key: fmt.Sprintf("user%d", i*i%31), Cost: 1})
	}
	return all
}

// Every row of an answer is what a model does, request by request, and its worst second that of what is admitted. The
// row itself holds the exact curves to the models.
func TestRowsAreWhatModelsDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := drawn(t, rapid.Bool().Draw(t, "costs"))
		if all[0].AtUS == all[len(all)-1].AtUS {
			return
		}
		q := ask(requests(all))
		q.Algorithms = append(Default(), "leaky-bucket", "token-bucket")
		q.Present = &limit.Policy{Requests: 3, Window: 2 * time.Second, Burst: 2}
		if rapid.Bool().Draw(t, "of requests") {
			q.Wishes.Of = Requests
		}
		d, err := q.Answer()
		if errors.Is(err, ErrTraffic) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		splitUS := int64(0.5 * float64(all[len(all)-1].AtUS+1))
		at := slices.IndexFunc(all, func(q limit.Request) bool { return q.AtUS >= splitUS })
		r := &d.Rows[rapid.IntRange(0, len(d.Rows)-1).Draw(t, "row")]
		for part, want := range map[string][]limit.Request{"fitted": all[:at], "held out": all[at:]} {
			got := r.Fitted
			if part == "held out" {
				got = r.HeldOut
			}
			if byHand := figuresOf(t, r.Setting(), want); got != byHand {
				t.Fatalf("%s, %s: %+v, by hand %+v", r.label(), part, got, byHand)
			}
		}
	})
}

// figuresOf has a model decide, and counts.
func figuresOf(t *rapid.T, s Setting, all []limit.Request) (f Figures) {
	in, err := s.Instance()
	if err != nil {
		t.Fatal(err)
	}
	model, users := in.NewModel(), map[string]bool{}
	var left []request
	for _, q := range all {
		d := model.Decide(startUS+q.AtUS, q.Key, q.Cost)
		f.Requests++
		f.OfferedCost += q.Cost
		users[q.Key] = users[q.Key] || !d.Allowed()
		if !d.Allowed() {
			f.RequestsRefused++
			continue
		}
		f.AdmittedCost += q.Cost
		left = append(left, request{q.AtUS + d.DelayUS, q.Cost})
	}
	f.Users = int64(len(users))
	for _, refused := range users {
		if refused {
			f.UsersRefused++
		}
	}
	for _, end := range left {
		var sum int64
		for _, q := range left {
			if q.atUS > end.atUS-secondUS && q.atUS <= end.atUS {
				sum += q.cost
			}
		}
		f.WorstSecond = max(f.WorstSecond, sum)
	}
	return f
}

// What is chosen keeps the wishes on the fitted part; where nothing does, the nearest on each side keep one each.
func TestChosenKeepsTheWishes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := ask(crowd())
		some := rapid.Int64Range(1, 12).Draw(t, "protect")
		q.Wishes.Protect = &some
		q.Algorithms = []string{"gcra", "fixed-window"}
		d, err := q.Answer()
		if err != nil {
			t.Fatal(err)
		}
		if d.Chosen == nil {
			if slices.ContainsFunc(d.Rows, func(r Row) bool { return r.Keeps }) || len(d.Nearest) == 0 {
				t.Fatal("nothing is chosen")
			}
			return
		}
		f := d.Rows[*d.Chosen].Fitted
		if f.WorstSecond > some || f.UsersRefused > f.Users/100 {
			t.Fatalf("chosen: %+v", f)
		}
	})
}

// No row of the frontier is beaten by any row, and every other row is, by one of the frontier. What is chosen is not
// beaten.
func TestFrontierIsNotBeaten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := &Document{Wishes: Wishes{Of: Users}}
		if rapid.Bool().Draw(t, "refuse") {
			most := rapid.SampledFrom([]float64{0, 0.2, 0.4}).Draw(t, "most")
			d.Wishes.RefuseAtMost = &most
		}
		if rapid.Bool().Draw(t, "protect") {
			most := rapid.Int64Range(1, 6).Draw(t, "protected")
			d.Wishes.Protect = &most
		}
		for range rapid.IntRange(1, 20).Draw(t, "rows") {
			d.Rows = append(d.Rows, Row{Algorithm: "gcra", Both: Both{Fitted: Figures{Users: 10,
				UsersRefused: rapid.Int64Range(0, 5).Draw(t, "refused"),
				WorstSecond:  rapid.Int64Range(1, 6).Draw(t, "worst")}}})
		}
		d.judge()
		beats := func(a, b Figures) bool {
			return a.UsersRefused <= b.UsersRefused && a.WorstSecond <= b.WorstSecond && a != b
		}
		for i, r := range d.Rows {
			on := slices.Contains(d.Frontier, i)
			beaten := slices.ContainsFunc(d.Rows, func(o Row) bool { return beats(o.Fitted, r.Fitted) })
			if on && beaten || on != (r.BeatenBy == nil) {
				t.Fatalf("row %d: on the frontier %v, beaten %v, by %v", i, on, beaten, r.BeatenBy)
			}
			if !on && !beats(d.Rows[*r.BeatenBy].Fitted, r.Fitted) && d.Rows[*r.BeatenBy].Fitted != r.Fitted {
				t.Fatalf("row %d is not beaten by %d", i, *r.BeatenBy)
			}
			if is(d.Chosen, i) && beaten {
				t.Fatalf("row %d is chosen, and beaten", i)
			}
		}
	})
}

// Of 0 users and 10, 1 and 4, and 8 and 3 the second is the knee.
func TestKnee(t *testing.T) {
	d := &Document{Wishes: Wishes{Of: Users}}
	for _, p := range [][2]int64{{8, 3}, {0, 10}, {1, 4}} {
		d.Rows = append(d.Rows, Row{Algorithm: "gcra", Both: Both{Fitted: Figures{Users: 10, UsersRefused: p[0],
			WorstSecond: p[1]}}})
	}
	d.judge()
	if !is(d.Knee, 2) {
		t.Fatalf("%v", d.Knee)
	}
}

// Traffic in which there is nothing to tune for is refused in a line.
func TestTrafficWithNothingToTuneFor(t *testing.T) {
	at := func(us ...int64) (all requests) {
		for _, u := range us {
			all = append(all, limit.Request{AtUS: u, Key: "a", Cost: 1})
		}
		return all
	}
	for want, q := range map[string]*Question{
		"nothing to tune: some.log: there are no requests in it": ask(requests{}),
		"nothing to tune: some.log: all 3 requests come at one instant: there is no rate in them to tune a limit " +
			"for": ask(at(5, 5, 5)),
		"nothing to tune: some.log: no request of a good user is in the fitted part, the first 4.5s": ask(at(8e6, 9e6)),
		"nothing to tune: some.log: none of the 16 keys is a good user by the list": func() *Question {
			q := ask(crowd())
			q.Good = Good{Keys: map[string]bool{"nobody": true}, Words: "the list"}
			return q
		}(),
	} {
		if _, err := q.Answer(); err == nil || err.Error() != want || !errors.Is(err, ErrTraffic) {
			t.Errorf("%v; want %s", err, want)
		}
	}
	broken := &Traffic{Streams: []Stream{failing{}}, Fit: 0.5}
	var unread *TrafficError
	if _, err := (&Question{Traffic: broken}).Answer(); !errors.As(err, &unread) {
		t.Errorf("%v", err)
	}
}

// failing is a stream that cannot be read.
type failing struct{}

// Requests implements Stream.
func (failing) Requests() iter.Seq2[limit.Request, error] {
	return func(yield func(limit.Request, error) bool) { yield(limit.Request{}, errors.New("line 7")) }
}

// Of one key a share of users says nothing: the wish is held to the requests, and the answer says so.
func TestOneKeyIsAskedAboutRequests(t *testing.T) {
	var all requests
	for i := range int64(100) {
		all = append(all, limit.Request{AtUS: i * i * 1000, Key: "a", Cost: 1 + i%3})
	}
	d, err := ask(all).Answer()
	if err != nil {
		t.Fatal(err)
	}
	if d.Wishes.Of != Requests || !strings.Contains(d.Notes[0], "one good user") {
		t.Fatalf("%v %v", d.Wishes, d.Notes)
	}
}

// Several streams are fitted on some and held out on the others, and each begins with nothing remembered.
func TestSeveralStreams(t *testing.T) {
	all := crowd()
	q := ask(all, all, all, all)
	q.Algorithms = []string{"gcra"}
	d, err := q.Answer()
	if err != nil {
		t.Fatal(err)
	}
	if d.Traffic.Fitted != "the first 2 of 4 seeds" {
		t.Fatal(d.Traffic.Fitted)
	}
	for _, r := range d.Rows {
		if r.Fitted != r.HeldOut || r.Fitted.Users == 0 {
			t.Fatalf("%+v", r)
		}
	}
}

// Who the good users are can be said in three ways; the others may be refused at will.
func TestGoodUsers(t *testing.T) {
	all := requests{{AtUS: 0, Key: "a", Cost: 1}, {AtUS: 1, Key: "b", Cost: 1}, {AtUS: 2, Key: "b", Cost: 1},
		{AtUS: 3, Key: "c", Cost: 5}, {AtUS: 4, Key: "d", Cost: 1}}
	for _, c := range []struct {
		good Good
		want string
	}{
		{Good{Quantile: 0.75}, "a b d"},
		{Good{Quantile: 0.5}, "a d"},
		{Good{Quantile: 1}, "a b c d"},
		{Good{Keys: map[string]bool{"c": true, "x": true}}, "c"},
		{Good{Pattern: regexp.MustCompile("^[bc]$")}, "b c"},
	} {
		census, err := take(&Traffic{Streams: []Stream{all}, Fit: 0.5}, c.good)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, key := range []string{"a", "b", "c", "d"} {
			if census.isGood(census.keys.Add(key)) {
				got = append(got, key)
			}
		}
		if strings.Join(got, " ") != c.want || int64(len(got)) != census.people {
			t.Errorf("%+v: %v, %d of them; want %s", c.good, got, census.people, c.want)
		}
	}
}

// Whom a limit hits is what its model refuses.
func TestWho(t *testing.T) {
	all := requests{{AtUS: 0, Key: "a", Cost: 1}, {AtUS: 10, Key: "a", Cost: 1}, {AtUS: 20, Key: "b", Cost: 1},
		{AtUS: 30, Key: "a", Cost: 1}, {AtUS: 40, Key: "c", Cost: 1}, {AtUS: 50, Key: "c", Cost: 1}}
	q := ask(all)
	q.Who, q.Present, q.Algorithms = true, &limit.Policy{Requests: 1, Window: time.Second}, []string{"gcra"}
	d, err := q.Answer()
	if err != nil {
		t.Fatal(err)
	}
	want := []Hit{{"a", true, 3, 2, 10, 30}, {"c", true, 2, 1, 50, 50}}
	if got := d.Touched[0]; got.Refused != 3 || got.Keys != 2 || got.Good != 2 || !slices.Equal(got.Who, want) {
		t.Fatalf("%+v", got)
	}
}

// Of a part that lasts an instant there is a setting of every algorithm all the same.
func TestShortTraffic(t *testing.T) {
	q := ask(requests{{AtUS: 0, Key: "a", Cost: 1}, {AtUS: 0, Key: "a", Cost: 1}, {AtUS: 2, Key: "b", Cost: 9}})
	d, err := q.Answer()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Default() {
		if !slices.ContainsFunc(d.Rows, func(r Row) bool { return r.Algorithm == name }) {
			t.Errorf("%s has no setting", name)
		}
	}
}
