package load

import (
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

	"ratelab/internal/script"
)

// TargetOptions say how a script's keys are treated.
type TargetOptions struct {
	Prefix string    // goes before each of the program's keys
	Shared bool      // the server is not ours: keys that their script gives no TTL get one that outlasts the run
	Clock  Stopwatch // the run's: scripts that take the caller's clock get its Origin + Now

	Lasts time.Duration // on a server that is not ours: how long calls go on from now
}

// Target is a script on a server, ready to be called. It is safe for concurrent use.
type Target struct {
	client      *redis.Client
	program     *script.Program
	shared      bool
	clock       Stopwatch
	until       time.Duration // by the clock: when calls end
	decide      evalsha
	init        evalsha // empty where the program has none
	mu          sync.RWMutex
	keys        map[string]*sight
	connections []*connection

	initCalls, expireCalls atomic.Int64
}

// sight is a key that has been seen: what is to be done once for it has been, or is being done.
type sight struct {
	once sync.Once
	done atomic.Bool
	err  error
}

// Prepare loads the program's scripts. The client is used for this and for Close, and its options for connections.
func Prepare(ctx context.Context, client *redis.Client, program *script.Program, o TargetOptions) (*Target, error) {
	program = program.InKeyspace(o.Prefix)
	t := &Target{client: client, program: program, shared: o.Shared, clock: o.Clock, keys: map[string]*sight{}}
	if o.Shared {
		t.until = o.Clock.Now() + o.Lasts
	}
	sha, err := client.ScriptLoad(ctx, program.Source).Result()
	if err != nil {
		return nil, err
	}
	t.decide = newEvalsha(sha, program.Decide)
	if program.Init != nil {
		if sha, err = client.ScriptLoad(ctx, program.InitSource).Result(); err != nil {
			return nil, fmt.Errorf("init: %w", err)
		}
		t.init = newEvalsha(sha, *program.Init)
	}
	return t, nil
}

// InitCalls is how many times the init script has been called, each an EVALSHA that a server's statistics count
// with the decisions.
func (t *Target) InitCalls() int64 { return t.initCalls.Load() }

// ExpireCalls is how many times a key was given a TTL, on a server that is not ours.
func (t *Target) ExpireCalls() int64 { return t.expireCalls.Load() }

// Introduce does for keys what else is done at their first requests, beside the measured calls: init.
func (t *Target) Introduce(ctx context.Context, keys []string) error {
	if t.program.Init == nil || len(keys) == 0 {
		return nil
	}
	c, err := t.connect(ctx)
	if err != nil {
		return err
	}
	defer c.close()
	c.heed(ctx)
	for _, key := range keys {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := c.meet(key); err != nil {
			return err
		}
	}
	return nil
}

// sight is what is known of a key.
func (t *Target) sight(key string) *sight {
	t.mu.RLock()
	s := t.keys[key]
	t.mu.RUnlock()
	if s != nil {
		return s
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if s = t.keys[key]; s == nil {
		s = &sight{}
		t.keys[strings.Clone(key)] = s
	}
	return s
}

// deleteChunk bounds one DEL to about a millisecond of the server.
const deleteChunk = 500

// Close ends the connections and deletes the keys that were named in KEYS; what a script derived from them ends with
// its TTL. It must not be called while a run lasts.
func (t *Target) Close(ctx context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.connections {
		c.close()
	}
	t.connections = nil
	named := map[string]bool{}
	for key := range t.keys {
		for _, c := range []*script.Call{&t.program.Decide, t.program.Init} {
			if c == nil {
				continue
			}
			for _, template := range c.Keys {
				named[string(template.Append(nil, script.Vars{Key: key, Cost: 1}))] = true
			}
		}
	}
	t.keys = map[string]*sight{}
	for chunk := range slices.Chunk(slices.Collect(maps.Keys(named)), deleteChunk) {
		if err := t.client.Del(ctx, chunk...).Err(); err != nil {
			return err
		}
	}
	return nil
}

// errLostScripts is what NOSCRIPT means: they were loaded before.
var errLostScripts = errors.New("the server lost its scripts in the middle of the run (a restart, a failover or SCRIPT FLUSH); repeat the run")

// replyError is the server's own answer, as go-redis would give it.
type replyError string

func (e replyError) Error() string { return string(e) }

// RedisError makes it a redis.Error.
func (replyError) RedisError() {}
