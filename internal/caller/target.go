// Package caller calls a program's scripts on a server as they are deployed: EVALSHA, the server's own clock and TTLs.
// A Target is the program on the server, and a Connection calls it for one request at a time, and tells the instants
// between which it was answered.
//
// It does not wait until a request is due, tries nothing twice, and measures nothing beside those instants.
package caller

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"ratelab/internal/limit"
	"ratelab/internal/resp"
	"ratelab/internal/script"
)

// Server is where a program is called.
type Server struct {
	Client redis.Cmdable // loads scripts, and deletes keys in the end
	Open   Opener        // of the connections on which it is called
}

// Options say how a program's keys are treated, and what time it is.
type Options struct {
	// Shared: the server is not ours. Keys that their script gives no TTL get one that outlasts the calls, so that a
	// run that is killed leaves nothing for good.
	Shared bool
	Lasts  time.Duration // how long calls go on from Origin on; 0: nobody knows

	Origin time.Time            // the wall clock's time when Now is 0: scripts are told Origin + Now
	Now    func() time.Duration // never steps back
}

// Target is a program on a server, ready to be called. It is safe for concurrent use.
type Target struct {
	server       Server
	program      *script.Program
	options      Options
	decide, init evalsha
	wanders      bool // KEYS have the cost or the time in them: they are not the same at each call for a key

	mu      sync.RWMutex
	sights  map[string]*sight // by the request's key
	named   map[string]bool   // elements of KEYS that have been sent
	sockets []*Socket

	initCalls atomic.Int64
}

// sight is a request's key that has been seen: what is to be done once for it has been, or is being done.
type sight struct {
	once    sync.Once
	err     error       // init's
	settled atomic.Bool // init was called, and nothing new is in KEYS from now on
	endless []string    // of KEYS, on a server that is not ours: whatever has yet to be given a TTL
}

// Prepare loads the program's scripts.
func Prepare(ctx context.Context, server Server, program *script.Program, o Options) (*Target, error) {
	t := &Target{server: server, program: program, options: o, sights: map[string]*sight{}, named: map[string]bool{}}
	t.wanders = slices.ContainsFunc(program.Decide.Keys, func(k script.Template) bool {
		return !k.Same(script.Vars{}, script.Vars{Cost: 1, NowUS: 1})
	})
	sha, err := server.Client.ScriptLoad(ctx, program.Source).Result()
	if err != nil {
		return nil, err
	}
	t.decide = newEvalsha(sha, program.Decide)
	if program.Init != nil {
		if sha, err = server.Client.ScriptLoad(ctx, program.InitSource).Result(); err != nil {
			return nil, fmt.Errorf("init: %w", err)
		}
		t.init = newEvalsha(sha, *program.Init)
	}
	return t, nil
}

// InitCalls is how many times the init script has been called, each an EVALSHA that a server's statistics count
// with the decisions.
func (t *Target) InitCalls() int64 { return t.initCalls.Load() }

// Introduce does for keys what else is done at their first requests, beside the measured calls: init.
func (t *Target) Introduce(ctx context.Context, keys []string) error {
	if t.program.Init == nil || len(keys) == 0 {
		return nil
	}
	socket, err := Dial(ctx, t.server.Open, t.options.Now)
	if err != nil {
		return err
	}
	defer socket.Close()
	socket.Heed(ctx)
	c := &Connection{target: t, socket: socket}
	for _, key := range keys {
		if _, err := c.meet(key, t.sight(key)); err != nil {
			return cmp.Or(ctx.Err(), err)
		}
	}
	return nil
}

// Introduced says that init has been called for keys already, by somebody else.
func (t *Target) Introduced(keys []string) {
	for _, key := range keys {
		t.sight(key).once.Do(func() {})
	}
}

// sight is what is known of a key.
func (t *Target) sight(key string) *sight {
	t.mu.RLock()
	s := t.sights[key]
	t.mu.RUnlock()
	if s != nil {
		return s
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if s = t.sights[key]; s == nil {
		s = &sight{}
		t.sights[strings.Clone(key)] = s
	}
	return s
}

// note writes down the KEYS of a call that is about to be made for a key.
func (t *Target) note(s *sight, keys []script.Template, v script.Vars) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, template := range keys {
		name := string(template.Append(nil, v))
		if t.named[name] {
			continue
		}
		t.named[name] = true
		if t.options.Shared {
			s.endless = append(s.endless, name)
		}
	}
}

// settle gives the KEYS noted for a key that are to be given a TTL now, after the first call for it.
func (t *Target) settle(s *sight) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	names := s.endless
	s.endless = nil
	s.settled.Store(!t.wanders)
	return names
}

// On a server that is not ours, keys that their script gives no TTL end so long after the last call; where nobody knows
// when that is, they have a day.
const (
	margin  = 10 * time.Minute
	longest = 24 * time.Hour
)

// TTL is that of a key that is made now and has none of its own: 0, which is none, on a server of ours.
func (t *Target) TTL() time.Duration {
	switch {
	case !t.options.Shared:
		return 0
	case t.options.Lasts == 0:
		return longest
	}
	return max(0, t.options.Lasts-t.options.Now()) + margin
}

// deleteChunk bounds one DEL to about a millisecond of the server.
const deleteChunk = 500

// Close ends the connections and deletes the keys that were named in KEYS; what a script derived from them ends with
// its TTL. It must not be called while a call is under way.
func (t *Target) Close(ctx context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.sockets {
		s.Close()
	}
	for chunk := range slices.Chunk(slices.Collect(maps.Keys(t.named)), deleteChunk) {
		if err := t.server.Client.Del(ctx, chunk...).Err(); err != nil {
			return err
		}
	}
	return nil
}

// decision is what the reply to a call means.
func (t *Target) decision(reply resp.Value) (limit.Decision, error) {
	if err := refusal(reply); errors.Is(err, errLostScripts) { // no error of the script's
		return limit.Decision{}, err
	}
	d, err := t.program.Decode(reply)
	if err != nil {
		err = cmp.Or(refusal(reply), err)
	}
	return d, err
}

// errLostScripts is what NOSCRIPT means: they were loaded before.
var errLostScripts = errors.New("the server lost its scripts in the middle of the run " +
	"(a restart, a failover or SCRIPT FLUSH); repeat the run")

// refusal is the error that an error reply means; nil: the reply is none.
func refusal(reply resp.Value) error {
	switch {
	case reply.Kind != resp.Error:
		return nil
	case strings.HasPrefix(reply.Text, "NOSCRIPT"):
		return errLostScripts
	}
	return replyError(strings.Clone(reply.Text)) // it lies where the next reply is read
}

// replyError is the server's own answer, as go-redis would give it.
type replyError string

func (e replyError) Error() string { return string(e) }

// RedisError makes it a redis.Error.
func (replyError) RedisError() {}

// initRefusal is the same of a reply to init.
func initRefusal(reply resp.Value) error {
	if err := refusal(reply); err != nil {
		return fmt.Errorf("init: %w", err)
	}
	return nil
}
