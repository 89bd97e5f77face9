package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"

	"ratelab/internal/embedded"
	"ratelab/internal/limit"
	"ratelab/internal/replay"
	"ratelab/internal/result"
	"ratelab/internal/run"
	"ratelab/internal/sequence"
	"ratelab/internal/virtualtime"
)

// host is a run.Server inside the page: the visitor's script runs on the embedded server, and models decide for the
// other rows. Nothing bounds a script here: the page ends a worker that stands still or has taken too much memory.
type host struct {
	beat  func() // called before each call of a script
	redis *miniredis.Miniredis
	tried bool
}

var _ run.Server = (*host)(nil)

// Start does nothing: Open starts the server.
func (h *host) Start(context.Context, int) error { return nil }

// Close does nothing: Clean has emptied the server, and the next run uses it.
func (h *host) Close() {}

// Describe names the embedded server.
func (h *host) Describe() (about result.Server, given bool) {
	return result.Server{Kind: "embedded", Name: "miniredis", Transport: "none"}, false
}

// Private is a server with other keys.
func (h *host) Private(context.Context) (run.Server, error) { return &host{beat: h.beat}, nil }

// Try runs the visitor's script with the first requests of the first plan.
func (h *host) Try(ctx context.Context, p *run.Plan) error {
	for _, l := range p.Foreign() {
		if h.tried {
			continue
		}
		first, err := p.Trial()
		if err != nil {
			return err
		}
		s, err := h.open(l, virtualtime.Options{Start: p.Scenario.Start, Trial: true, BatchSize: 1})
		if err != nil {
			return err
		}
		err = h.Clean(ctx, s.Decide(ctx, first, make([]limit.Decision, len(first))))
		if fault := l.TrialFault(err); fault != nil {
			return fault
		}
		if err != nil {
			return err
		}
		h.tried = true
	}
	return nil
}

// Open prepares the visitor's script; nil for a limiter with a model.
func (h *host) Open(_ context.Context, l *run.Limiter, start time.Time, behind time.Duration, _ int) (run.Script,
	error) {
	if !l.Program.Foreign {
		return nil, nil
	}
	began := time.Now()
	return h.open(l, virtualtime.Options{Start: start, Behind: behind,
		Elapsed: func() time.Duration { return time.Since(began) }})
}

func (h *host) open(l *run.Limiter, o virtualtime.Options) (*own, error) {
	if h.redis == nil {
		m, err := embedded.New()
		if err != nil {
			return nil, err
		}
		h.redis = m
	}
	o.Real = embedded.Midnight
	runner, err := virtualtime.New(virtualtime.Server{Client: newDirect(h.redis, h.beat), Embedded: true}, l.Program, o)
	var refused *virtualtime.RefusedError
	if errors.As(err, &refused) {
		err = replay.Invalid("%s: %w", l.File, err)
	}
	return &own{runner}, err
}

// Confirm does nothing: only models decide for sequences.
func (h *host) Confirm(context.Context, []sequence.Call, int) error { return nil }

// Clean empties the server. After a failure, which it returns, the next run has a new one: a command may be under way.
func (h *host) Clean(_ context.Context, failed error) error {
	if failed != nil {
		h.redis = nil
	} else if h.redis != nil {
		h.redis.FlushAll()
	}
	return failed
}

// Kept is empty: no server outlives the page.
func (h *host) Kept() string { return "" }

// own is the visitor's script on the embedded server.
type own struct{ *virtualtime.Runner }

// Left counts the script's keys. The embedded server invents their memory.
func (o *own) Left(ctx context.Context, atUS int64) (virtualtime.Left, error) {
	return o.Runner.Left(ctx, atUS, false)
}

// direct is a virtualtime.Client without a connection: commands are handed to the server in the process.
type direct struct {
	server  *server.Server
	peer    *server.Peer
	writer  *bufio.Writer
	replies bytes.Buffer
	beat    func()
}

func newDirect(m *miniredis.Miniredis, beat func()) *direct {
	d := &direct{server: m.Server(), beat: beat}
	d.writer = bufio.NewWriter(&d.replies)
	d.peer = server.NewPeer(d.writer)
	return d
}

// Send hands over one command after the other. It returns no error.
func (d *direct) Send(_ context.Context, commands ...[]any) (replies [][]byte, err error) {
	for _, command := range commands {
		d.beat()
		args := make([]string, len(command))
		for i, a := range command {
			args[i] = text(a)
		}
		d.server.Dispatch(d.peer, args)
		d.peer.Flush()
		replies = append(replies, bytes.Clone(d.replies.Bytes()))
		d.replies.Reset()
	}
	return replies, nil
}

// text is an argument as a client would write it.
func text(argument any) string {
	switch a := argument.(type) {
	case string:
		return a
	case []byte:
		return string(a)
	}
	return fmt.Sprint(argument)
}
