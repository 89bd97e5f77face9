package sequence_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"ratelab/internal/clients"
	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/resp"
	"ratelab/internal/sequence"
)

// underWay is one attempt of a crowd, and the time at which its next message arrives.
type underWay struct {
	request  limit.Request
	exchange clients.Exchange
	move     clients.Move
}

// crowd lets clients come one after the other for a few keys, some at a time, in an order that random chooses, and
// gives what the server was sent. Its clock steps back and forth at times.
func crowd(t *testing.T, label string, random *rand.Rand) []sequence.Call {
	t.Helper()
	play := newPlay(t, label, limit.Policy{Requests: 3, Window: 30 * time.Millisecond})
	var going []*underWay
	var nowUS, skewUS int64
	for step := 0; step < 400; step++ {
		nowUS += random.Int64N(3000)
		if random.IntN(50) == 0 {
			skewUS += random.Int64N(80_000) - 40_000
		}
		if len(going) < 4 {
			q := limit.Request{Key: fmt.Sprintf("k%d", random.IntN(2)), Cost: 1 + random.Int64N(2)}
			a := &underWay{request: q, exchange: play.Attempt(nil, q)}
			a.move = a.exchange.Next(nowUS, nil)
			going = append(going, a)
		}
		i := random.IntN(len(going))
		a := going[i]
		a.request.AtUS, a.request.ServerSkewUS = nowUS, skewUS
		reply, err := play.Serve(t.Context(), a.request, a.move.Message)
		if err != nil {
			t.Fatal(err)
		}
		if a.move = a.exchange.Next(nowUS, reply); a.move.Done {
			going = append(going[:i], going[i+1:]...)
		}
	}
	return play.Calls()
}

// labels are the sequences, a lock that often expires under its holder, and clients that die.
var labels = append(slices.Clone(alike), "distributed-lock:lock_ttl=4ms:tries=3", "incr-then-compare:crash=20%")

// What the model in virtual time answers a server answers as well, and nothing is left on it.
func TestServersAnswerAsTheStore(t *testing.T) {
	servers := map[string]func(testing.TB) *redis.Server{
		"embedded": redistest.Embedded,
		"process":  func(t testing.TB) *redis.Server { return redistest.Private(t) },
	}
	for kind, start := range servers {
		t.Run(kind, func(t *testing.T) {
			s := start(t)
			for i, label := range labels {
				calls := crowd(t, label, rand.New(rand.NewPCG(uint64(i), 1)))
				if err := sequence.Confirm(t.Context(), s, false, s.Prefix, calls, time.Now()); err != nil {
					t.Errorf("%s: %v", label, err)
				}
			}
			if left := s.Client.Keys(t.Context(), "*").Val(); len(left) > 0 {
				t.Errorf("the keys %q are left", left)
			}
		})
	}
}

// A reply that is not the server's is told with its command.
func TestADifferenceIsNamed(t *testing.T) {
	s := redistest.Embedded(t)
	calls := crowd(t, "read-then-increment", rand.New(rand.NewPCG(7, 7)))
	calls[5].Reply = resp.Value{Kind: resp.Int, Int: 42}
	err := sequence.Confirm(t.Context(), s, false, s.Prefix, calls, time.Now())
	var difference *sequence.DifferenceError
	if !errors.As(err, &difference) || difference.Number != 6 || difference.Call.Reply.Int != 42 {
		t.Errorf("the error is %v, want one that names command 6", err)
	}
}

// Told to stop, it stops, and what it has written is deleted.
func TestConfirmStops(t *testing.T) {
	s := redistest.Embedded(t)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	calls := crowd(t, "read-then-increment", rand.New(rand.NewPCG(7, 7)))
	if err := sequence.Confirm(ctx, s, false, s.Prefix, calls, time.Now()); !errors.Is(err,
		message.ErrInterrupted) {
		t.Errorf("the error is %v, want an interrupt", err)
	}
}
