package localflag_test

import (
	"context"
	"iter"
	"testing"
	"time"

	"ratelab/internal/clients"
	"ratelab/internal/limit"
	"ratelab/internal/localflag"
)

// steady is a request every 10 ms for a second.
type steady struct{}

func (steady) Requests() iter.Seq2[limit.Request, error] {
	return func(yield func(limit.Request, error) bool) {
		for i := range int64(100) {
			if !yield(limit.Request{AtUS: i * 10_000, Key: "k", Cost: 1}, nil) {
				return
			}
		}
	}
}

func (steady) Duration() (time.Duration, bool) { return time.Second, true }

// server is a bucket that answers messages.
type server struct {
	*bucket
	requests int64
}

func (s *server) Serve(_ context.Context, q limit.Request, _ any) (any, error) {
	s.requests++
	return s.decide(q, true), nil
}

// The journal says which requests the clients decided themselves: all that the server was not asked.
func TestTheJournalKnowsWhoWasNotAsked(t *testing.T) {
	s := &server{bucket: &bucket{map[string]int64{}}}
	flag := localflag.New(clients.OneCall{}, s, nil)
	group := clients.Group{Name: "g", Count: 3, OnReject: clients.GiveUp, LocalFlag: true}
	out, err := clients.Run(t.Context(), clients.Setup{Groups: []clients.Group{group}, Protocol: flag, Server: s},
		steady{})
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
	if rejects := flag.Figures().LocalRejects; unasked == 0 || unasked != rejects || unasked+s.requests != 100 {
		t.Errorf("%d unasked, %d local rejects, %d asked; want the first two equal, and 100 in all", unasked, rejects,
			s.requests)
	}
}
