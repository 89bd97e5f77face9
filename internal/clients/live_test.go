package clients_test

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"ratelab/internal/clients"
	"ratelab/internal/limit"
	"ratelab/internal/traffic"
)

// scattered returns operations of three keys at random times.
func scattered(seed uint64) (all []limit.Request) {
	random := rand.New(rand.NewPCG(seed, 0))
	at := int64(0)
	for range 300 {
		at += random.Int64N(20_000)
		all = append(all, limit.Request{AtUS: at, Key: string(rune('a' + random.IntN(3))), Cost: 1 + random.Int64N(2)})
	}
	return all
}

// fixedWindows admits five tokens of a key in each tenth of a second. retry_after is the start of the next window.
type fixedWindows map[string]int64

func (f fixedWindows) Serve(_ context.Context, q limit.Request, _ any) (any, error) {
	const width = 100_000
	window := q.AtUS / width
	key := q.Key + time.Duration(window).String()
	if f[key]+q.Cost > 5 {
		return limit.Decision{RetryAfterUS: (window+1)*width - q.AtUS}, nil
	}
	f[key] += q.Cost
	return limit.Decision{Verdict: limit.Allowed}, nil
}

// If each message is answered at once, Live and Run have the same journal.
func TestLiveIsTheSamePlay(t *testing.T) {
	groups := []clients.Group{
		{Name: "obey", Count: 3, OnReject: clients.Obey, DelayUS: clients.Range{Min: 300, Max: 5000}},
		{Name: "ignore", Count: 2, OnReject: clients.Ignore, WaitUS: 30_011, Attempts: 5,
			DelayUS: clients.Range{Min: 1, Max: 900}, OffsetUS: clients.Range{Min: -50, Max: 50}},
		{Name: "backoff", Count: 2, OnReject: clients.BackOff, DelayUS: clients.Range{Min: 10, Max: 20},
			Backoff: clients.Backoff{BaseUS: 9_000, MaxUS: 200_000, Factor: 2, Jitter: clients.FullJitter}},
		{Name: "give up", Count: 1, OnReject: clients.GiveUp, DelayUS: clients.Range{Min: 70, Max: 80}},
	}
	retried := false
	for seed := range uint64(50) {
		operations := scattered(seed)
		setup := func() clients.Setup {
			return clients.Setup{Seed: seed, Groups: groups, Protocol: clients.OneCall{}, Server: fixedWindows{}}
		}
		want, err := clients.Run(t.Context(), setup(), traffic.List(operations, 2*time.Second, true))
		if err != nil {
			t.Fatal(err)
		}
		s, number := setup(), int64(0)
		l := clients.NewLive(s, operations, 2_000_000_000)
		for !l.Over() {
			due, err := l.Advance(l.Next())
			if err != nil {
				t.Fatal(err)
			}
			for _, q := range due {
				reply, _ := s.Server.Serve(t.Context(), q, nil)
				l.Answered(number, q.AtUS, reply.(limit.Decision))
				number++
			}
		}
		// Run ends with the traffic, and Live when no event is left
		got := l.Outcome().Journal
		n := len(want.Journal.Requests)
		if len(got.Requests) < n || !reflect.DeepEqual(got.Requests[:n], want.Journal.Requests) ||
			!reflect.DeepEqual(got.Decisions[:n], want.Journal.Decisions) {
			t.Fatalf("seed %d: %d decisions, or the first %d differ", seed, len(got.Requests), n)
		}
		retried = retried || n > 320
	}
	if !retried {
		t.Error("no client retried")
	}
}
