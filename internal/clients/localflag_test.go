package clients_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ratelab/internal/clients"
	"ratelab/internal/limit"
	"ratelab/internal/traffic"
)

// bucket is a server with a bucket of ten tokens for each key. One token comes back per 100 ms.
type bucket struct{ emptyUS map[string]int64 } // by key: when the bucket is full again

const (
	tokenUS  = 100_000
	capacity = 10
)

func (b *bucket) decide(q limit.Request, keep bool) limit.Decision {
	full := max(b.emptyUS[q.Key], q.AtUS) + q.Cost*tokenUS
	if wait := full - capacity*tokenUS - q.AtUS; wait > 0 {
		return limit.Decision{Verdict: limit.Rejected, RetryAfterUS: wait}
	}
	if keep {
		b.emptyUS[q.Key] = full
	}
	return limit.Decision{Verdict: limit.Allowed}
}

func (b *bucket) WouldAdmit(q limit.Request) bool { return b.decide(q, false).Allowed() }

// office has clients of one group that call a bucket without delay.
type office struct {
	bucket *bucket
	flag   *clients.LocalFlag
	group  *clients.Group
}

func newOffice(remember bool) *office {
	b := &bucket{map[string]int64{}}
	return &office{b, clients.NewLocalFlag(clients.OneCall{}, b, nil), &clients.Group{LocalFlag: remember}}
}

// ask makes one request of a client. It returns the decision, and whether the server or the client decided.
func (o *office) ask(client, ms, cost int64, key string) string {
	q := limit.Request{AtUS: ms * 1000, Key: key, Cost: cost}
	e := o.flag.Attempt(&clients.Client{Number: client, Group: o.group}, q)
	move, by := e.Next(q.AtUS, nil), "client"
	if !move.Done {
		by = "server"
		move = e.Next(q.AtUS, o.bucket.decide(q, true))
	}
	if move.Decision.Allowed() {
		return by + " admits"
	}
	return fmt.Sprintf("%s rejects for %d ms", by, move.Decision.RetryAfterUS/1000)
}

// Client 1 of two clients exceeds the limit of the key k with a request of cost 5.
func TestATrace(t *testing.T) {
	o := newOffice(true)
	for i, step := range []struct {
		client, ms, cost int64
		key, want        string
	}{
		{1, 0, 8, "k", "server admits"},
		{1, 0, 5, "k", "server rejects for 300 ms"},
		{1, 50, 5, "k", "client rejects for 250 ms"},
		{1, 60, 1, "k", "client rejects for 240 ms"}, // wrong: two tokens are left
		{1, 60, 1, "other", "server admits"},         // each key has its own flag
		{2, 60, 1, "k", "server admits"},             // and each client has its own flags
		{1, 299, 5, "k", "client rejects for 1 ms"},
		{1, 300, 5, "k", "server rejects for 100 ms"}, // because of the other client's token
		{1, 350, 11, "k", "client rejects for 50 ms"},
		{1, 400, 5, "k", "server admits"},
	} {
		if got := o.ask(step.client, step.ms, step.cost, step.key); got != step.want {
			t.Errorf("step %d, at %d ms: %s, want %s", i, step.ms, got, step.want)
		}
	}
	if o.flag.LocalRejects != 4 || o.flag.WrongRejects != 1 {
		t.Errorf("%d local rejects, %d of them wrong; want 4 and 1", o.flag.LocalRejects, o.flag.WrongRejects)
	}
}

// A request that is never admitted says nothing about other requests. So its rejection is not remembered.
type never struct{}

func (never) Next(int64, any) clients.Move {
	return clients.Move{Done: true, Decision: limit.Decision{Verdict: limit.Rejected, RetryAfterUS: limit.Never}}
}

func (never) Attempt(*clients.Client, limit.Request) clients.Exchange { return never{} }

func TestNeverIsNotRemembered(t *testing.T) {
	flag := clients.NewLocalFlag(never{}, nil, nil)
	for range 2 {
		flag.Attempt(&clients.Client{Group: &clients.Group{LocalFlag: true}}, limit.Request{Key: "k", Cost: 9}).Next(0,
			nil)
	}
	if flag.LocalRejects != 0 {
		t.Errorf("%d local rejects, want none", flag.LocalRejects)
	}
}

// If there is one client, and all its requests have the same cost, its rejections are never wrong: the flag only saves
// round trips.
func TestAloneTheFlagIsRight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		with, without := newOffice(true), newOffice(false)
		cost := rapid.Int64Range(1, 4).Draw(t, "cost")
		var ms int64
		for range rapid.IntRange(1, 80).Draw(t, "requests") {
			ms += rapid.Int64Range(0, 150).Draw(t, "gap")
			got, want := with.ask(1, ms, cost, "k"), without.ask(1, ms, cost, "k")
			if got[len("server"):] != want[len("server"):] {
				t.Fatalf("at %d ms: %s, without a flag: %s", ms, got, want)
			}
		}
		if wrong := with.flag.WrongRejects; wrong != 0 {
			t.Fatalf("%d wrong rejects", wrong)
		}
	})
}

// server is a bucket that replies to messages, and counts them.
type server struct {
	*bucket
	requests int64
}

func (s *server) Serve(_ context.Context, q limit.Request, _ any) (any, error) {
	s.requests++
	return s.decide(q, true), nil
}

// In the journal, Unasked marks the requests that the clients decided without the server.
func TestTheJournalKnowsWhoWasNotAsked(t *testing.T) {
	s := &server{bucket: &bucket{map[string]int64{}}}
	flag := clients.NewLocalFlag(clients.OneCall{}, s, nil)
	group := clients.Group{Name: "g", Count: 3, OnReject: clients.GiveUp, LocalFlag: true}
	var all []limit.Request
	for i := range int64(100) {
		all = append(all, limit.Request{AtUS: i * 10_000, Key: "k", Cost: 1})
	}
	out, err := clients.Run(t.Context(), clients.Setup{Groups: []clients.Group{group}, Protocol: flag, Server: s},
		traffic.List(all, time.Second, true))
	if err != nil {
		t.Fatal(err)
	}
	var unasked int64
	for i, local := range out.Journal.Unasked {
		if local {
			unasked++
		}
		if local && out.Journal.Decisions[i].Allowed() {
			t.Error("a client admitted a request by itself")
		}
	}
	if rejects := flag.LocalRejects; unasked == 0 || unasked != rejects || unasked+s.requests != 100 {
		t.Errorf("%d unasked, %d local rejects, %d asked; want the first two equal, and 100 in all", unasked, rejects,
			s.requests)
	}
}
