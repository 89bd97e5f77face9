package load

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"ratelab/internal/resp"
)

// Vigil asks a server again and again whether it is there, on a connection of its own: a server that stands still is
// found out although nobody else waits for it, between measurements and at low rates.
//
// Note: the service times of the measured connections say nothing of the server: of a thousand connections each waits
// for all others, and a lost packet silences one of them.
type Vigil struct {
	clock  Stopwatch
	socket *Socket
	ctx    context.Context // done by quit
	quit   context.CancelFunc
	ended  sync.WaitGroup
	asking chan struct{} // full while an answer is awaited
	beaten atomic.Int64  // the last beat's time

	mu     sync.Mutex
	stalls []span // of the generator
	waits  []span // for answers that took longer than MostSilence
}

const (
	// asksEvery is how much of a silence may be missed; forty PINGs a second are a thousandth of a server's time.
	asksEvery = 25 * time.Millisecond
	// vigilBeat is coarser than heartbeat, since this one never ends.
	vigilBeat = 10 * time.Millisecond
	// settles bounds the wait for an answer that must be about to come.
	settles = 2 * MostSilence
)

// KeepVigil begins to watch the server that open connects to, until Close.
func KeepVigil(ctx context.Context, open Opener, clock Stopwatch) (*Vigil, error) {
	v := &Vigil{clock: clock, asking: make(chan struct{}, 1)}
	v.ctx, v.quit = context.WithCancel(context.WithoutCancel(ctx))
	var err error
	if v.socket, err = Dial(v.ctx, open, clock.Now); err != nil {
		v.quit()
		return nil, err
	}
	v.beaten.Store(int64(clock.Now()))
	v.ended.Go(func() { clock.beat(vigilBeat, v.over, v.beat) })
	v.ended.Go(v.ask)
	return v, nil
}

// Close ends the vigil. That of nil does nothing.
func (v *Vigil) Close() {
	if v == nil {
		return
	}
	v.quit()
	v.ended.Wait()
	v.socket.Close()
}

func (v *Vigil) over() bool { return v.ctx.Err() != nil }

// beat notes when the generator itself stood still.
func (v *Vigil) beat(s span) {
	if s.to-s.from > MostStall {
		v.mu.Lock()
		v.stalls = append(v.stalls, s)
		v.mu.Unlock()
	}
	v.beaten.Store(int64(s.to))
}

var ping = resp.AppendCommand(nil, "PING")

// ask asks until the end, or until there is no answer any more: those who measure learn of that too. Whatever an answer
// says, it is one.
func (v *Vigil) ask() {
	for !v.over() {
		v.asking <- struct{}{}
		var o Outcome
		_, err := v.socket.Exchange(&o, ping)
		if err == nil && o.Replied-o.Written > MostSilence {
			v.mu.Lock()
			v.waits = append(v.waits, span{o.Written, o.Replied})
			v.mu.Unlock()
		}
		<-v.asking
		if err != nil {
			return
		}
		v.clock.Nap(asksEvery)
	}
}

// Silence is the longest time in which the server was asked and did not answer that has ended since the last call,
// without the time in which the generator itself stood still; 0: none. Whoever asks has just been answered, or the
// server stands still now: then it counts the next time.
func (v *Vigil) Silence() (longest time.Duration) {
	if v == nil {
		return 0
	}
	select {
	case v.asking <- struct{}{}: // nothing is under way
		<-v.asking
	case <-time.After(settles):
	}
	v.mu.Lock()
	waits := v.waits
	v.waits = nil
	v.mu.Unlock()
	for _, w := range waits {
		for v.beaten.Load() < int64(w.to) && !v.over() {
			v.clock.Nap(time.Millisecond) // a generator that stood still has yet to notice
		}
		v.mu.Lock()
		d := w.without(v.stalls)
		v.mu.Unlock()
		if d > MostSilence {
			longest = max(longest, d)
		}
	}
	return longest
}
