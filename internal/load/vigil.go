package load

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"ratelab/internal/resp"
)

// Vigil PINGs a server continuously on its own connection. It detects that the server does not respond, even if no
// request is waiting: between measurements, and at low rates. If the generator itself stalls, the vigil stalls too, and
// that counts as silence.
//
// Note: the service times of the measured connections cannot replace the vigil. With a thousand connections, each one
// waits for all others. And a lost packet silences only one of the measured connections.
type Vigil struct {
	clock  Stopwatch
	socket *Socket
	ctx    context.Context // ended by quit
	quit   context.CancelFunc
	ended  sync.WaitGroup
	asking chan struct{} // full while a PING is waiting for its reply

	longest atomic.Int64 // longest wait for a reply since Silence was last called
}

const (
	// asksEvery is the pause between PINGs, and thus how much of a silence may be missed. Forty PINGs a second take a
	// thousandth of a server's time.
	asksEvery = 25 * time.Millisecond
	// settles is how long Silence waits for the reply to a pending PING.
	settles = 2 * MostSilence
)

// KeepVigil starts to watch the server that open connects to. Close ends the watch.
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

// ask sends PINGs until the vigil ends or the connection fails. The measured connections then fail too, so that the
// error is reported there. The content of a reply does not matter.
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

// Silence returns the longest time for which the server did not answer since the last call of Silence, or 0 if that was
// at most MostSilence. A silence that has not ended yet counts in the next call.
func (v *Vigil) Silence() time.Duration {
	select {
	case v.asking <- struct{}{}: // no PING is pending
		<-v.asking
	case <-time.After(settles):
	}
	if d := time.Duration(v.longest.Swap(0)); d > MostSilence {
		return d
	}
	return 0
}
