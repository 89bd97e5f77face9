package clients

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/traffic"
)

// The limiter admits one request per 10 ms. Three requests arrive at once.
func TestReactionsByHand(t *testing.T) {
	three := at(100, 0, 0, 0)
	for _, c := range []struct {
		name    string
		group   Group
		journal string
		want    measure.Clients
	}{
		{"give up", Group{OnReject: GiveUp}, "0+ 0- 0-", is(3, 1, 2, 0, 3)},
		{"obey: both return at 10, and one must wait again", Group{OnReject: Obey}, "0+ 0- 0- 10+ 10- 20+",
			is(3, 3, 0, 0, 6)},
		{"obey, at most twice", Group{OnReject: Obey, Attempts: 2}, "0+ 0- 0- 10+ 10-", is(3, 2, 1, 0, 5)},
		{"ignore: every 8 ms, without regard to retry_after", Group{OnReject: Ignore, WaitUS: 8000},
			"0+ 0- 0- 8- 8- 16+ 16- 24- 32+", is(3, 3, 0, 0, 9)},
		{"at once, at most three times: 1 µs between", Group{OnReject: AtOnce, Attempts: 3},
			"0+ 0- 0- 0.001- 0.001- 0.002- 0.002-", is(3, 1, 2, 0, 7)},
		{"backoff: 3, 6, 12, 12", Group{OnReject: BackOff, Backoff: Backoff{BaseUS: 3000, MaxUS: 12_000, Factor: 2}},
			"0+ 0- 0- 3- 3- 9- 9- 21+ 21- 33+", is(3, 3, 0, 0, 10)},
		{"a delay of 2 ms each way: a reply of 2 arrives at 4", Group{OnReject: Obey, DelayUS: Range{2000, 2000}},
			"2+ 2- 2- 16+ 16- 30+", is(3, 3, 0, 0, 6)},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.group.Name, c.group.Count = "g", 1
			expect(t, play(t, 10, three, c.group), c.journal, c.want)
		})
	}
}

// The end is at 15 ms. Later messages are not sent, and messages on their way do not arrive.
func TestTheEnd(t *testing.T) {
	obey := Group{Name: "g", Count: 1, OnReject: Obey}
	expect(t, play(t, 10, at(15, 0, 0, 0), obey), "0+ 0- 0- 10+ 10-", is(3, 2, 0, 1, 5))
	late := Group{Name: "g", Count: 1, DelayUS: Range{4000, 4000}, OnReject: GiveUp}
	// the first message is sent at 8, and arrives at 12; its reply would arrive at 16, as would the second message
	expect(t, play(t, 10, at(15, 8, 12), late), "12+", is(2, 0, 0, 2, 2))
	// a burst at the last instant is sent and answered
	expect(t, play(t, 10, at(15, 15, 15), Group{Name: "g", Count: 1, OnReject: GiveUp}), "15+ 15-", is(2, 1, 1, 0, 2))
}

// The clients of all groups get operations in turn.
func TestOperationsGoRound(t *testing.T) {
	out := play(t, 1, at(100, 0, 10, 20, 30, 40, 50, 60), Group{Name: "two", Count: 2, OnReject: GiveUp},
		Group{Name: "one", Count: 1, OnReject: GiveUp})
	if g := out.Clients.Groups; g[0].Operations != 5 || g[1].Operations != 2 {
		t.Errorf("groups %+v", g)
	}
}

// The client's clock is 3 ms ahead, and gains one millisecond per ten. It is read when the message is sent. The
// server's clock steps back by 5 ms at 10 ms.
func TestSkews(t *testing.T) {
	out, err := Run(t.Context(), Setup{
		Groups: []Group{{Name: "g", Count: 1, OnReject: GiveUp, OffsetUS: Range{3000, 3000},
			DriftPPM: Range{100_000, 100_000}, DelayUS: Range{1000, 1000}}},
		ServerClock: ServerClock{{AtUS: 10_000, ByUS: -5000}}, Protocol: OneCall{}, Server: NewLimiter(&every{gapUS: 1},
			epoch),
	}, at(100, 0, 8, 9, 20))
	if err != nil {
		t.Fatal(err)
	}
	var skews [][3]int64
	for _, q := range out.Journal.Requests {
		skews = append(skews, [3]int64{q.AtUS, q.ServerSkewUS, q.ClientSkewUS})
	}
	want := [][3]int64{
		{1000, 0, 3000 - 1000}, {9000, 0, 3000 + 800 - 1000}, {10_000, -5000, 3000 + 900 - 1000}, {21_000, -5000,
			3000 + 2000 - 1000},
	}
	if !slices.Equal(skews, want) {
		t.Errorf("skews %v, want %v", skews, want)
	}
	if got := (&Client{driftPPM: -1}).SkewUS(1); got != -1 {
		t.Errorf("an error of a millionth of a microsecond is rounded to %d, want -1", got)
	}
}

// twice is an exchange of two messages. If the reply to the first message is false, it rejects. Otherwise the second
// message decides.
type twice struct{ replies int }

func (*twice) Attempt(*Client, limit.Request) Exchange { return &twice{} }

func (e *twice) Next(_ int64, reply any) Move {
	if reply != nil {
		if e.replies++; reply == false {
			return Move{Done: true, Decision: limit.Decision{Verdict: limit.Rejected}}
		}
	}
	if e.replies == 2 {
		return Move{Done: true, Decision: limit.Decision{Verdict: limit.Allowed}}
	}
	return Move{Message: e.replies, Deciding: true, WaitUS: int64(e.replies) * 500}
}

// refusing replies false to the first message of the second exchange. It records the messages and their times.
type refusing struct {
	firsts int
	order  []string
}

func (s *refusing) Serve(_ context.Context, q limit.Request, message any) (any, error) {
	s.order = append(s.order, fmt.Sprint(q.AtUS, " ", message))
	if message == 0 {
		s.firsts++
		return s.firsts != 2, nil
	}
	return true, nil
}

// Two exchanges of two messages interleave. Each way takes a millisecond, and the client waits half a millisecond
// between its messages. The journal has each request at the time when its last deciding message arrived.
func TestJournalFollowsTheDecidingMessage(t *testing.T) {
	s := &refusing{}
	out, err := Run(t.Context(), Setup{Groups: []Group{{Name: "g", Count: 1, OnReject: GiveUp,
		DelayUS: Range{1000, 1000}}}, Protocol: &twice{}, Server: s}, at(10, 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"1000 0", "2000 0", "3500 1"}; !slices.Equal(s.order, want) {
		t.Errorf("messages %q, want %q", s.order, want)
	}
	expect(t, out, "2- 3.5+", is(2, 1, 1, 0, 2))
}

// Without delays and waits, no message of another client comes between two messages of an exchange.
func TestNothingComesBetween(t *testing.T) {
	s := &orders{}
	_, err := Run(t.Context(), Setup{Protocol: immediate{}, Server: s}, at(10, 0, 0, 0))
	if err != nil {
		t.Fatal(err)
	}
	if want := []int{1, 2, 1, 2, 1, 2}; !slices.Equal(s.messages, want) {
		t.Errorf("messages %v, want %v", s.messages, want)
	}
}

type orders struct{ messages []int }

func (o *orders) Serve(_ context.Context, _ limit.Request, message any) (any, error) {
	o.messages = append(o.messages, message.(int))
	return message, nil
}

type immediate struct{}

func (immediate) Attempt(*Client, limit.Request) Exchange { return immediate{} }

func (immediate) Next(_ int64, reply any) Move {
	switch reply {
	case nil:
		return Move{Message: 1}
	case 1:
		return Move{Message: 2, Deciding: true}
	}
	return Move{Done: true, Decision: limit.Decision{Verdict: limit.Allowed}}
}

// A retry of two messages counts as one retry, at the arrival of its first message.
func TestARetryArrivesWithItsFirstMessage(t *testing.T) {
	out, err := Run(t.Context(), Setup{Groups: []Group{{Name: "g", Count: 1, OnReject: Ignore, WaitUS: 1000,
		DelayUS: Range{100, 100}}}, Protocol: &twice{}, Server: &refusing{firsts: 1}}, at(10, 0))
	if err != nil {
		t.Fatal(err)
	}
	// rejected at 0.2; the retry's messages are sent at 1.2, and at 1.9, half a millisecond after the reply
	expect(t, out, "0.1- 2+", is(1, 1, 0, 0, 2))
	if out.Clients.Lockstep != 1 {
		t.Errorf("%d retries at once", out.Clients.Lockstep)
	}
}

// Each jitter draws from the whole range of its waits. The range grows with each rejection.
func TestJitter(t *testing.T) {
	ends := map[Jitter][2]int64{NoJitter: {9, 9}, EqualJitter: {4, 9}, FullJitter: {1, 9}} // a wait is at least 1 µs
	for jitter, want := range ends {
		_, states := people(1, []Group{{Name: "g", Count: 1, OnReject: BackOff,
			Backoff: Backoff{BaseUS: 3, MaxUS: 9, Factor: 3, Jitter: jitter}}})
		least, most := int64(100), int64(0)
		for range 500 {
			o := &operation{group: states[0]}
			o.wait(limit.Decision{}) // the first wait, from BaseUS
			us, ok := o.wait(limit.Decision{})
			if least, most = min(least, us), max(most, us); !ok {
				t.Fatal("the client gave up")
			}
		}
		if got := [2]int64{least, most}; got != want {
			t.Errorf("%s: waits from %d to %d, want %v", jitter, least, most, want)
		}
	}
}

// A client that obeys never comes back before the told time, and its jitter draws from the whole range above it.
func TestJitterOfObeyOnlyAdds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		jitter := rapid.SampledFrom(append([]Jitter{""}, Jitters...)).Draw(t, "jitter")
		told := rapid.OneOf(rapid.Int64Range(1, 20), rapid.Int64Range(1, math.MaxInt64)).Draw(t, "told")
		most := told
		if told <= math.MaxInt64/2 {
			most += map[Jitter]int64{EqualJitter: told / 2, FullJitter: told}[jitter]
		}
		_, states := people(rapid.Uint64().Draw(t, "seed"), []Group{{Name: "g", Count: 1, OnReject: Obey,
			Jitter: jitter}})
		seen := map[int64]bool{}
		for range 500 {
			us, ok := (&operation{group: states[0]}).wait(limit.Decision{RetryAfterUS: told})
			if seen[us] = true; !ok || us < told || us > most {
				t.Fatalf("waits %d, told %d, at most %d, %t", us, told, most, ok)
			}
		}
		if told <= 20 && int64(len(seen)) != most-told+1 {
			t.Fatalf("%d different waits from %d to %d", len(seen), told, most)
		}
	})
}

func TestTooManyAttempts(t *testing.T) {
	_, err := Run(t.Context(), Setup{
		Groups: []Group{{Name: "g", Count: 1, OnReject: Ignore, WaitUS: 1}}, Protocol: OneCall{},
		Server: NewLimiter(&every{gapUS: 1e9}, epoch), MostAttempts: 1000,
	}, at(10, 0, 0))
	var many *TooManyError
	if !errors.As(err, &many) || many.Most != 1000 {
		t.Errorf("got %v", err)
	}
}

func TestStop(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	times := make([]int64, 5000)
	out, err := Run(ctx, Setup{Protocol: OneCall{}, Server: NewLimiter(&every{gapUS: 1}, epoch)},
		at(10, times...))
	if err != nil || !out.Stopped || len(out.Journal.Requests) >= 5000 {
		t.Errorf("%v, stopped %v after %d requests", err, out.Stopped, len(out.Journal.Requests))
	}
}

// The cases are a retry_after that is correct, 1 µs too short, and 1 µs too long.
func TestRetryAfterIsHeldToItsWord(t *testing.T) {
	for wrong, want := range map[int64]measure.RetryAfter{
		0: {Checked: 2, True: 2}, -1: {Checked: 2, TooEarly: 2}, 1: {Checked: 2, TooLate: 2},
	} {
		l := NewLimiter(&every{gapUS: 10_000, wrongUS: wrong}, epoch)
		l.TickUS = 1
		if _, err := Run(t.Context(), Setup{Protocol: OneCall{}, Server: l}, at(100, 0, 3, 4, 20)); err != nil {
			t.Fatal(err)
		}
		if got := l.RetryAfter(); *got != want {
			t.Errorf("wrong by %d: %+v, want %+v", wrong, *got, want)
		}
	}
	if l := NewLimiter(&every{}, epoch); l.RetryAfter() != nil {
		t.Error("RetryAfter returns a report, but nothing was to be checked")
	}
}

// drawnGroups returns random groups of all kinds.
func drawnGroups(t *rapid.T) []Group {
	var groups []Group
	for i := range rapid.IntRange(1, 4).Draw(t, "groups") {
		least := rapid.Int64Range(0, 3000).Draw(t, "delay")
		groups = append(groups, Group{
			Name: fmt.Sprint("g", i), Count: rapid.Int64Range(1, 3).Draw(t, "count"),
			OnReject: rapid.SampledFrom(OnRejects).Draw(t, "reaction"), Attempts: rapid.Int64Range(1, 6).Draw(t,
				"attempts"),
			WaitUS: rapid.Int64Range(1, 20_000).Draw(t, "wait"),
			Backoff: Backoff{BaseUS: 500, MaxUS: 9000, Factor: 1.7,
				Jitter: rapid.SampledFrom(Jitters).Draw(t, "jitter")},
			DelayUS:  Range{least, least + rapid.Int64Range(0, 3000).Draw(t, "spread")},
			OffsetUS: Range{-50_000, 50_000}, DriftPPM: Range{-1000, 1000},
		})
	}
	return groups
}

func drawnTraffic(t *rapid.T) *traffic.Stream {
	times := rapid.SliceOfN(rapid.Int64Range(0, 50), 1, 60).Draw(t, "times")
	slices.Sort(times)
	return at(rapid.Int64Range(50, 100).Draw(t, "end"), times...)
}

// The counts add up, the times do not decrease, and the same seed gives the same outcome.
func TestSumsAndRepeatability(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		groups, traffic := drawnGroups(rt), drawnTraffic(rt)
		once, again := play(t, 3, traffic, groups...), play(t, 3, traffic, groups...)
		if transcript(once.Journal) != transcript(again.Journal) ||
			!reflect.DeepEqual(once.Clients, again.Clients) {
			rt.Fatalf("two runs differ:\n%s\n%s", transcript(once.Journal), transcript(again.Journal))
		}
		c, j := once.Clients, once.Journal
		if count, _ := traffic.Count(); c.Operations != count || c.Unfinished < 0 ||
			c.Operations != c.Succeeded+c.GaveUp+c.Unfinished {
			rt.Fatalf("operations do not add up: %+v", c)
		}
		var groupsSum measure.ClientGroup
		for _, g := range c.Groups {
			groupsSum.Operations += g.Operations
			groupsSum.Attempts += g.Attempts
		}
		if groupsSum.Operations != c.Operations || groupsSum.Attempts != c.Attempts {
			rt.Fatalf("the groups do not add up: %+v", c)
		}
		duration, _ := traffic.Duration()
		admitted, end := int64(0), duration.Microseconds()
		for i, q := range j.Requests {
			if i > 0 && q.AtUS < j.Requests[i-1].AtUS || q.AtUS > end {
				rt.Fatalf("times out of order or beyond the end: %s", transcript(j))
			}
			if j.Decisions[i].Allowed() {
				admitted++
			}
		}
		if admitted < c.Succeeded || int64(len(j.Requests)) > c.Attempts || c.Attempts < c.Operations {
			rt.Fatalf("%d admitted of %d requests, %+v", admitted, len(j.Requests), c)
		}
	})
}

// The random numbers of a group depend only on its name and the seed. They do not depend on the names, or the order, of
// the other groups.
func TestStreamsBelongToGroups(t *testing.T) {
	lone := func(name string) Group {
		return Group{Name: name, Count: 2, OnReject: GiveUp, OffsetUS: Range{-1e6, 1e6}, DriftPPM: Range{-100, 100},
			DelayUS: Range{0, 5000}}
	}
	draws := func(seed uint64, names ...string) map[string]string {
		var groups []Group
		for _, n := range names {
			groups = append(groups, lone(n))
		}
		clients, states := people(seed, groups)
		all := map[string]string{}
		for i, p := range states {
			c := clients[2*i]
			all[p.Name] = fmt.Sprint(c.offsetUS, c.driftPPM, p.DelayUS.draw(p.there), p.DelayUS.draw(p.back),
				p.jitter.Int64())
		}
		return all
	}
	one, other := draws(1, "a", "b"), draws(1, "b", "c", "a")
	if one["a"] != other["a"] || one["b"] != other["b"] {
		t.Errorf("the random numbers changed: %v, %v", one, other)
	}
	if one["a"] == one["b"] || one["a"] == draws(2, "a")["a"] {
		t.Errorf("draws of two groups, or of two seeds, are the same: %v", one)
	}
}

func TestLockstep(t *testing.T) {
	crowd := make([]int64, 0, 30)
	for i := range int64(10) {
		crowd = append(crowd, 5000+i*100) // ten within 900 µs
	}
	for _, c := range []struct {
		times        []int64
		most, inStep int64
	}{
		{nil, 0, 0},
		{[]int64{7}, 1, 0},
		{[]int64{0, 999, 1000}, 2, 0}, // (t−1ms, t] is half open
		{crowd, 10, 10},
		{append([]int64{4000}, crowd...), 10, 10},   // 4000 has no other time within less than 1 ms
		{append([]int64{4001}, crowd...), 10, 10},   // 4001 has one other time; nine are needed
		{append(slices.Clone(crowd), 6000), 10, 11}, // nine are within less than 1 ms of 6000
		{append(slices.Clone(crowd), 5999), 11, 11}, // within 1 ms of 5000
	} {
		if most, inStep := lockstep(c.times); most != c.most || inStep != c.inStep {
			t.Errorf("%v: %d, %d; want %d, %d", c.times, most, inStep, c.most, c.inStep)
		}
	}
}

func TestPercentiles(t *testing.T) {
	for n, want := range map[int64]measure.Percentiles{1: {P50: 1, P99: 1, Max: 1},
		4: {P50: 2, P99: 4, Max: 4}, 101: {P50: 51, P99: 100, Max: 101}} {
		var values []int64
		for i := range n {
			values = append(values, n-i)
		}
		if got := percentiles(values); *got != want {
			t.Errorf("of 1 to %d: %+v, want %+v", n, *got, want)
		}
	}
}
