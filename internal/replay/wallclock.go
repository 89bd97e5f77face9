package replay

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/resp"
	"ratelab/internal/script"
)

// Clock is the wall clock, as an argument. Sleep ends early with the context's error.
type Clock struct {
	Now   func() time.Time
	Sleep func(context.Context, time.Duration) error
}

// WallClock paces requests on the wall clock and sends each as one EVALSHA of the script as it is deployed: no
// prelude, the server's own TIME and TTLs. Requests that are due together travel in one pipeline.
type WallClock struct {
	client  *redis.Client
	keys    Keys
	program *script.Program
	clock   Clock
	origin  time.Time // the wall clock's time of a request with AtUS 0
	sha     string
	initSHA string
	ready   map[string]bool // keys whose init has been called
	used    map[string]bool // elements of KEYS that have been sent
	late    time.Duration
}

// mostDue bounds one pipeline.
const mostDue = 512

// Keys says how a WallClock treats its keys.
type Keys struct {
	Shared   bool          // the server is not ours: a run that is killed must leave nothing for good
	Lasts    time.Duration // how long the requests go on; 0: nobody knows
	Sentinel string        // a key of the run's own that Check looks for
}

// On a server that is not ours, keys that their script gives no TTL end so long after the last request; where nobody
// knows when that is, they have a day.
const (
	margin  = 10 * time.Minute
	longest = 24 * time.Hour
)

// ttl is that of a key that its script gives none.
func (w *WallClock) ttl() time.Duration {
	if w.keys.Lasts == 0 {
		return longest
	}
	return max(0, w.origin.Add(w.keys.Lasts).Sub(w.clock.Now())) + margin
}

// NewWallClock loads the program's scripts. A request with AtUS 0 is due at origin.
func NewWallClock(ctx context.Context, client *redis.Client, keys Keys, program *script.Program, clock Clock, origin time.Time) (*WallClock, error) {
	w := &WallClock{client: client, keys: keys, program: program, clock: clock, origin: origin, ready: map[string]bool{}, used: map[string]bool{}}
	var err error
	if w.sha, err = client.ScriptLoad(ctx, program.Source).Result(); err != nil {
		return nil, err
	}
	if program.Init != nil {
		if w.initSHA, err = client.ScriptLoad(ctx, program.InitSource).Result(); err != nil {
			return nil, err
		}
	}
	return w, w.plant(ctx)
}

// plant makes the sentinel.
func (w *WallClock) plant(ctx context.Context) error {
	if w.keys.Sentinel == "" {
		return nil
	}
	w.used[w.keys.Sentinel] = true
	ttl := time.Duration(0)
	if w.keys.Shared {
		ttl = w.ttl()
	}
	return w.client.Set(ctx, w.keys.Sentinel, 1, ttl).Err()
}

// ErrGone is what Check says where somebody has deleted the run's keys.
var ErrGone = errors.New("keys of the run vanished from the server in the middle of it")

// Check fails with ErrGone where the sentinel is not there any more. Of other keys only the server knows whether they
// expired or were deleted.
func (w *WallClock) Check(ctx context.Context) error {
	if w.keys.Sentinel == "" {
		return nil
	}
	n, err := w.client.Exists(ctx, w.keys.Sentinel).Result()
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
		if err := w.send(ctx, now, requests[:n], decisions[:n]); err != nil {
			return err
		}
		requests, decisions = requests[n:], decisions[n:]
	}
	return nil
}

func (w *WallClock) at(q limit.Request) time.Time {
	return w.origin.Add(time.Duration(q.AtUS) * time.Microsecond)
}

// send decides requests that are due now.
func (w *WallClock) send(ctx context.Context, now time.Time, requests []limit.Request, decisions []limit.Decision) error {
	pipe := w.client.Pipeline()
	cmds := make([]*redis.Cmd, len(requests))
	inits := make([]*redis.Cmd, len(requests))
	for i, q := range requests {
		v := script.Vars{Key: q.Key, Cost: q.Cost, NowUS: now.UnixMicro()}
		if w.program.Init != nil && !w.ready[q.Key] {
			w.ready[q.Key] = true
			inits[i] = w.call(ctx, pipe, w.initSHA, *w.program.Init, v)
		}
		cmds[i] = w.call(ctx, pipe, w.sha, w.program.Decide, v)
	}
	if _, err := pipe.Exec(ctx); err != nil && !isReply(err) {
		return err
	}
	for i, q := range requests {
		var err error
		if decisions[i], err = w.read(inits[i], cmds[i]); err != nil {
			return fmt.Errorf("request at %dµs, key %s, cost %d: %w", q.AtUS, message.Quote(q.Key), q.Cost, err)
		}
	}
	return nil
}

// read decodes the answer to a request; init, where it is not nil, was called before and must not have failed.
func (w *WallClock) read(init, cmd *redis.Cmd) (limit.Decision, error) {
	if init != nil && init.Err() != nil && !errors.Is(init.Err(), redis.Nil) {
		return limit.Decision{}, fmt.Errorf("init: %w", init.Err())
	}
	err := cmd.Err()
	switch {
	case err == nil:
		return w.program.Decode(reply(cmd.Val()))
	case errors.Is(err, redis.Nil):
		return w.program.Decode(resp.Value{Kind: resp.Nil})
	case strings.HasPrefix(err.Error(), "NOSCRIPT"):
		return limit.Decision{}, errors.New("the server lost its scripts in the middle of the run (a restart, a failover or SCRIPT FLUSH); repeat the run")
	}
	return w.program.Decode(resp.Value{Kind: resp.Error, Text: err.Error()})
}

// isReply reports whether err is the server's own answer to a call, nil included, rather than a broken connection.
func isReply(err error) bool {
	var answer redis.Error
	return errors.As(err, &answer)
}

// call adds one EVALSHA to the pipeline.
func (w *WallClock) call(ctx context.Context, pipe redis.Pipeliner, sha string, c script.Call, v script.Vars) *redis.Cmd {
	keys := make([]string, len(c.Keys))
	for i, t := range c.Keys {
		keys[i] = string(t.Append(nil, v))
	}
	args := make([]any, len(c.Args))
	for i, t := range c.Args {
		args[i] = string(t.Append(nil, v))
	}
	cmd := pipe.EvalSha(ctx, sha, keys, args...)
	for _, key := range keys {
		if !w.used[key] && w.keys.Shared {
			pipe.Do(ctx, "PEXPIRE", key, w.ttl().Milliseconds(), "NX")
		}
		w.used[key] = true
	}
	return cmd
}

// deleteChunk bounds one DEL to about a millisecond of the server.
const deleteChunk = 500

// Close deletes the sentinel and the keys that were named in KEYS; what a script derived from them ends with its TTL.
func (w *WallClock) Close(ctx context.Context) error {
	for chunk := range slices.Chunk(slices.Collect(maps.Keys(w.used)), deleteChunk) {
		if err := w.client.Del(ctx, chunk...).Err(); err != nil {
			return err
		}
	}
	return nil
}

// reply turns what go-redis read into the form that programs decode.
func reply(v any) resp.Value {
	switch v := v.(type) {
	case int64:
		return resp.Value{Kind: resp.Int, Int: v}
	case string:
		return resp.Value{Kind: resp.String, Text: v}
	case float64:
		return resp.Value{Kind: resp.Double, Float: v}
	case error:
		return resp.Value{Kind: resp.Error, Text: v.Error()}
	case []any:
		items := make([]resp.Value, len(v))
		for i := range v {
			items[i] = reply(v[i])
		}
		return resp.Value{Kind: resp.Array, Items: items}
	}
	return resp.Value{Kind: resp.Nil}
}
