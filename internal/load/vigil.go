package load

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"ratelab/internal/caller"
	"ratelab/internal/resp"
)

// Vigil asks a server again and again whether it is there, on a connection of its own: a server that stands still is
// found out although nobody else waits for it, between measurements and at low rates.
type Vigil struct {
	clock  Stopwatch
	socket *caller.Socket
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
	// vigilBeat is coarser than beat, since this one never ends.
	vigilBeat = 10 * time.Millisecond
	// settles bounds the wait for an answer that must be about to come.
	settles = 2 * MostSilence
)

// KeepVigil begins to watch the server that open connects to, until Close.
func KeepVigil(ctx context.Context, open caller.Opener, clock Stopwatch) (*Vigil, error) {
	socket, err := caller.Dial(ctx, open, clock.Now)
	if err != nil {
		return nil, err
	}
	v := &Vigil{clock: clock, socket: socket, asking: make(chan struct{}, 1)}
	v.ctx, v.quit = context.WithCancel(context.WithoutCancel(ctx))
	socket.Heed(v.ctx)
	v.beaten.Store(int64(clock.Now()))
	v.ended.Go(v.beat)
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
func (v *Vigil) beat() {
	for at := v.clock.Now(); !v.over(); {
		v.clock.Nap(vigilBeat)
		now := v.clock.Now()
		if late := now - at - vigilBeat; late > MostStall {
			v.mu.Lock()
			v.stalls = append(v.stalls, span{now - late, now})
			v.mu.Unlock()
		}
		v.beaten.Store(int64(now))
		at = now
	}
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

// Silences are those that have ended since they were last asked for, in order. Whoever asks has just been answered, or
// the server stands still now: then it counts the next time. Those of nil are none.
func (v *Vigil) Silences() []Silence {
	if v == nil {
		return nil
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
	if len(waits) == 0 {
		return nil
	}
	for end := int64(waits[len(waits)-1].to); v.beaten.Load() < end && !v.over(); {
		v.clock.Nap(time.Millisecond) // a generator that stood still has yet to notice
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	var all []Silence
	for _, w := range waits {
		if d := w.silent(v.stalls); d > MostSilence {
			all = append(all, Silence{v.clock.Origin.Add(w.from), d})
		}
	}
	return all
}
