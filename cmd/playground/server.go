package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"

	"ratelab/internal/embedded"
	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/replay"
	"ratelab/internal/result"
	"ratelab/internal/run"
	"ratelab/internal/virtualtime"
)

// host is a run.Engine inside the page. The visitor's script runs on the embedded server. Models decide for the other
// rows. The watch limits the script's time. The page stops a script that uses too much memory or hangs.
type host struct {
	run.Models
	beat  func() // called before each call of a script
	watch *watch
	redis *miniredis.Miniredis
	own   string // the label of the visitor's row
}

// About names the embedded server.
func (h *host) About() result.Server {
	return result.Server{Kind: "embedded", Name: "miniredis", Transport: "none"}
}

// Open prepares the visitor's script. It returns nil for a limiter with a model.
func (h *host) Open(_ context.Context, p *run.Plan, l *limiter.Limiter) (run.Script, error) {
	if !l.Foreign() {
		return nil, nil
	}
	h.own = l.Label
	if h.redis == nil {
		m, err := embedded.New(h.watch)
		if err != nil {
			return nil, err
		}
		h.redis = m
	}
	began := time.Now()
	runner, err := virtualtime.New(virtualtime.Connection{Client: newDirect(h), Embedded: true}, l.Program,
		virtualtime.Options{Start: p.Scenario.Start, Behind: p.Scenario.ServerClock.Behind(), Real: embedded.Midnight,
			Elapsed: func() time.Duration { return time.Since(began) }})
	var refused *virtualtime.RefusedError
	if errors.As(err, &refused) {
		err = replay.Invalid("%s: %w", l.File, err)
	}
	return &own{runner, l}, err
}

// Clean empties the server and returns failed. After a failure, a command may still be running, so the next run gets a
// new server.
func (h *host) Clean(_ context.Context, failed error) error {
	if failed != nil {
		h.redis = nil
	} else if h.redis != nil {
		h.redis.FlushAll()
	}
	return failed
}

// own is the visitor's script on the embedded server.
type own struct {
	*virtualtime.Runner
	limiter *limiter.Limiter
}

// Decide decides, and attributes errors of the script to the script.
func (o *own) Decide(ctx context.Context, requests []limit.Request, decisions []limit.Decision) error {
	err := o.Runner.Decide(ctx, requests, decisions)
	return cmp.Or(run.ScriptFault(o.limiter, err), err)
}

// Left counts the script's keys. It omits their memory, since the embedded server only invents it.
func (o *own) Left(ctx context.Context, atUS int64) (virtualtime.Left, error) {
	return o.Runner.Left(ctx, atUS, false)
}

// direct is a virtualtime.Client without a connection: it passes commands to the server in the same process.
type direct struct {
	mu      sync.Mutex // a runner may send a round and look at keys at the same time
	server  *server.Server
	peer    *server.Peer
	writer  *bufio.Writer
	replies bytes.Buffer
	beat    func()
	watch   *watch
}

func newDirect(h *host) *direct {
	d := &direct{server: h.redis.Server(), beat: h.beat, watch: h.watch}
	d.writer = bufio.NewWriter(&d.replies)
	d.peer = server.NewPeer(d.writer)
	return d
}

// Send passes one command after the other to the server. Its error is the watch's.
func (d *direct) Send(_ context.Context, commands ...[]any) (replies [][]byte, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, command := range commands {
		d.beat()
		d.watch.since = time.Now()
		if d.watch.ended {
			return nil, context.DeadlineExceeded
		}
		args := make([]string, len(command))
		for i, a := range command {
			args[i] = fmt.Sprint(a)
			if data, ok := a.([]byte); ok {
				args[i] = string(data)
			}
		}
		d.server.Dispatch(d.peer, args)
		d.peer.Flush()
		replies = append(replies, bytes.Clone(d.replies.Bytes()))
		d.replies.Reset()
	}
	return replies, nil
}

// patience is how long a script may take for one reply. The page waits a little longer before it stops the worker.
var patience = 4 * time.Second

// watch is a context that Lua checks in each turn of a loop and in each call. A script that takes too long fails, and
// the error has its line.
type watch struct {
	context.Context
	asked int
	since time.Time // when the script was called
	ended bool      // a script took too long
}

// Err checks the clock at intervals. The script gets its error.
func (w *watch) Err() error {
	if w.asked++; w.asked%(1<<16) != 0 || time.Since(w.since) < patience {
		return nil
	}
	w.since, w.ended = time.Now(), true
	return context.DeadlineExceeded
}

// place matches the place of an error in a script.
var place = regexp.MustCompile(`(?:user_script|my\.lua)(:\d+)`)
