package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"ratelab/internal/message"
	"ratelab/internal/redis"
	"ratelab/internal/replay"
	"ratelab/internal/result"
)

// ModelServer is the server spec with which the Go models decide.
const ModelServer = "model"

// servers are what decides: one server for all rows, an embedded one for each, or, without a server, the models.
type servers struct {
	ask     *Ask
	all     []*redis.Server
	lent    bool                     // the one server is the caller's, who ends it; users' scripts run there, too
	scripts map[string]*redis.Server // bounded ones of users' scripts, by file, or of all of them under ""

	hurry chan struct{} // closed when the run was told to stop, and had time to finish what it had begun
	done  chan struct{}
	kept  string // what could not be deleted on a given server
}

// open gets those that the plans need.
func (a *Ask) open(ctx context.Context, plans []*Plan) (*servers, error) {
	b := newServers(a)
	if a.Server == ModelServer {
		return b, nil
	}
	rows, count := 1, 1
	for _, p := range plans {
		rows = max(rows, p.rows())
	}
	if a.Server == redis.KindEmbedded {
		count = rows // each has one lock and one Lua at a time
	}
	for range count {
		s, err := redis.Start(ctx, a.Server, redis.WithPoolSize(rows+1))
		if err != nil {
			b.close()
			var bad *redis.BadSpec
			if errors.As(err, &bad) {
				return nil, &replay.InputError{Err: err}
			}
			return nil, err
		}
		b.all = append(b.all, s)
	}
	return b, nil
}

func newServers(a *Ask) *servers {
	b := &servers{ask: a, scripts: map[string]*redis.Server{}, hurry: make(chan struct{}),
		done: make(chan struct{})}
	go func() {
		select {
		case <-b.done:
		case <-a.Stop:
			a.Sleep(context.Background(), finishing)
			close(b.hurry)
		}
	}()
	return b
}

// What a run is granted that was told to stop: first to finish what it has begun, so that all rows end at the same
// request, and at the end to delete its keys.
const (
	finishing = 300 * time.Millisecond
	deleting  = 200 * time.Millisecond
)

func (b *servers) close() {
	close(b.done)
	if b.lent {
		b.all = nil
	}
	for _, s := range slices.Concat(b.all, slices.Collect(maps.Values(b.scripts))) {
		s.Close() // the figures are in; what is left of a server of ours ends with the process
	}
}

// own reports whether what decides ends with the run.
func (b *servers) own() bool { return len(b.all) == 0 || b.all[0].Own }

// describe names the server for the document.
func (b *servers) describe() result.Server {
	if len(b.all) == 0 {
		return result.Server{Kind: ModelServer, Name: "go", Version: b.ask.Version, Transport: "none"}
	}
	s := b.all[0]
	return result.Server{Kind: s.Kind, Name: s.Name, Version: s.Version, Transport: s.Transport}
}

// of is the server on which a limiter decides as row i. Where servers are ours, each user's script has one of its own:
// no other row waits for a script that loops.
func (b *servers) of(ctx context.Context, l *Limiter, i int) (*redis.Server, error) {
	s := b.all[i%len(b.all)]
	if !s.Own || b.lent || s.Bounded() || !l.Program.Foreign {
		return s, nil
	}
	spec := b.ask.Server
	if s.Kind == redis.KindEmbedded {
		spec = s.Kind
	}
	return b.bounded(ctx, l.File, spec, "")
}

// bounded is a server of ours for users' scripts.
func (b *servers) bounded(ctx context.Context, file, spec, prefix string) (s *redis.Server, err error) {
	if s = b.scripts[file]; s == nil {
		if s, err = PrivateServer(ctx, spec, prefix, ScriptMemory); err == nil {
			b.scripts[file] = s
		}
	}
	return s, err
}

// ScriptMemory is how much, in bytes, a server that runs users' scripts alone may take in a run.
const ScriptMemory = 4 << 30

// PrivateServer is of the same kind as the one to run on where that is ours, so that the same script compiles. In
// place of a given server it is a real one, if there is one.
//
// Its keys begin with prefix; "": with that of all servers of ours. It may take so many bytes of memory: the embedded
// one is a process of its own, since its Lua obeys nothing.
func PrivateServer(ctx context.Context, spec, prefix string, memory int64) (*redis.Server, error) {
	if redis.CheckKind(spec) != nil || strings.Contains(spec, "://") {
		spec = redis.KindProcess
	}
	s, err := redis.Start(ctx, spec, redis.ForTrial(memory))
	var absent *redis.Unavailable
	if errors.As(err, &absent) && spec == redis.KindProcess {
		s, err = redis.Start(ctx, redis.KindEmbedded, redis.ForTrial(memory))
	}
	if err != nil {
		return nil, err
	}
	s.Prefix = cmp.Or(prefix, s.Prefix)
	return s, nil
}

// cleanUp deletes the rows' keys. After a failure, which it returns, it is tried all the same on a given server, and
// what cannot be deleted there is counted. A server of ours ends with such a run, keys and all.
func (b *servers) cleanUp(ctx context.Context, rows []*row, failed error) error {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	go func() {
		select {
		case <-ctx.Done():
		case <-b.hurry:
			b.ask.Sleep(ctx, deleting)
			cancel()
		}
	}()
	var undone error
	for _, r := range rows {
		if b.own() && (failed != nil || message.Closed(b.hurry)) {
			r.script.abandon()
		} else if err := r.script.delete(ctx); undone == nil {
			undone = err
		}
	}
	if undone == nil || b.own() {
		return cmp.Or(failed, undone)
	}
	b.kept = b.all[0].Kept()
	if message.Closed(b.hurry) {
		return failed
	}
	if failed = cmp.Or(failed, undone); b.kept != "" {
		failed = fmt.Errorf("%w; %s", failed, b.kept)
	}
	return failed
}
