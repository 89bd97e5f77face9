package load

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"ratelab/internal/resp"
)

// Vigil asks a server again and again whether it is there, on a connection of its own: a server that stands still is
// found out although nobody else waits for it, between measurements and at low rates. Where the generator itself stood
// still, the vigil did as well, and that counts as a silence.
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

	longest atomic.Int64 // wait for an answer since it was last asked for
}

const (
	// asksEvery is how much of a silence may be missed; forty PINGs a second are a thousandth of a server's time.
	asksEvery = 25 * time.Millisecond
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
	v.ended.Go(v.ask)
	return v, nil
}

// Close ends the vigil.
func (v *Vigil) Close() {
	v.quit()
	v.ended.Wait()
	v.socket.Close()
}

var ping = resp.AppendCommand(nil, "PING")

// ask asks until the end, or until there is no answer any more: those who measure learn of that too. Whatever an answer
// says, it is one.
func (v *Vigil) ask() {
	for v.ctx.Err() == nil {
		v.asking <- struct{}{}
		var o Outcome
		_, err := v.socket.Exchange(&o, ping)
		v.longest.Store(max(v.longest.Load(), int64(o.Replied-o.Written)))
		<-v.asking
		if err != nil {
			return
		}
		v.clock.Nap(asksEvery)
	}
}

// Silence is the longest time in which the server was asked and did not answer that has ended since the last call; 0
// where it is at most MostSilence. Whoever asks has just been answered, or the server stands still now: then it counts
// the next time.
func (v *Vigil) Silence() time.Duration {
	select {
	case v.asking <- struct{}{}: // nothing is under way
		<-v.asking
	case <-time.After(settles):
	}
	if d := time.Duration(v.longest.Swap(0)); d > MostSilence {
		return d
	}
	return 0
}
