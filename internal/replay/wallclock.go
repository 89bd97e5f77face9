package replay

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"

	"ratelab/internal/caller"
	"ratelab/internal/limit"
	"ratelab/internal/script"
)

// Clock is the wall clock, as an argument. Sleep ends early with the context's error.
type Clock struct {
	Now   func() time.Time
	Sleep func(context.Context, time.Duration) error
}

// WallClock paces requests on the wall clock and has each decided by the script as it is deployed: no prelude, the
// server's own TIME and TTLs. Requests that are due together travel in one batch.
type WallClock struct {
	client     *redis.Client
	target     *caller.Target
	connection *caller.Connection
	sentinel   string
	clock      Clock
	origin     time.Time // the wall clock's time of a request with AtUS 0
	late       time.Duration
}

// mostDue bounds one batch.
const mostDue = 512

// Keys says how a WallClock treats its keys.
type Keys struct {
	Shared   bool          // the server is not ours: a run that is killed must leave nothing for good
	Lasts    time.Duration // how long the requests go on; 0: nobody knows
	Sentinel string        // a key of the run's own that Check looks for
}

// NewWallClock loads the program's scripts. A request with AtUS 0 is due at origin.
func NewWallClock(ctx context.Context, client *redis.Client, keys Keys, program *script.Program, clock Clock,
	origin time.Time) (*WallClock, error) {
	w := &WallClock{client: client, sentinel: keys.Sentinel, clock: clock, origin: origin}
	var err error
	w.target, err = caller.Prepare(ctx, client, program, caller.Options{
		Shared: keys.Shared, Lasts: keys.Lasts, Origin: origin,
		Now: func() time.Duration { return clock.Now().Sub(origin) },
	})
	if err != nil {
		return nil, err
	}
	if w.connection, err = w.target.Connect(ctx); err != nil {
		return nil, err
	}
	return w, w.plant(ctx)
}

// plant makes the sentinel.
func (w *WallClock) plant(ctx context.Context) error {
	if w.sentinel == "" {
		return nil
	}
	return w.client.Set(ctx, w.sentinel, 1, w.target.TTL()).Err()
}

// ErrGone is what Check says where somebody has deleted the run's keys.
var ErrGone = errors.New("keys of the run vanished from the server in the middle of it")

// Check fails with ErrGone where the sentinel is not there any more. Of other keys only the server knows whether they
// expired or were deleted.
func (w *WallClock) Check(ctx context.Context) error {
	if w.sentinel == "" {
		return nil
	}
	n, err := w.client.Exists(ctx, w.sentinel).Result()
	if err == nil && n == 0 {
		err = ErrGone
	}
	return err
}

// Late is the most that a request was sent after its time.
func (w *WallClock) Late() time.Duration { return w.late }

// Decide sends each request when it is due. When the clock's Sleep says so it gives up with ErrStopped.
func (w *WallClock) Decide(ctx context.Context, requests []limit.Request, decisions []limit.Decision) error {
	for len(requests) > 0 {
		now := w.clock.Now()
		if wait := w.at(requests[0]).Sub(now); wait > 0 {
			if err := w.clock.Sleep(ctx, wait); err != nil {
				return err
			}
			now = w.clock.Now()
		}
		n := 1
		for n < len(requests) && n < mostDue && !w.at(requests[n]).After(now) {
			n++
		}
		w.late = max(w.late, now.Sub(w.at(requests[0])))
		if err := w.connection.Batch(ctx, now, requests[:n], decisions[:n]); err != nil {
			return err
		}
		requests, decisions = requests[n:], decisions[n:]
	}
	return nil
}

func (w *WallClock) at(q limit.Request) time.Time {
	return w.origin.Add(time.Duration(q.AtUS) * time.Microsecond)
}

// Close deletes the sentinel and the keys that were named in KEYS; what a script derived from them ends with its TTL.
func (w *WallClock) Close(ctx context.Context) error {
	err := w.target.Close(ctx)
	if err == nil && w.sentinel != "" {
		err = w.client.Del(ctx, w.sentinel).Err()
	}
	return err
}
