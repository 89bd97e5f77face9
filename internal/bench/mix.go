package bench

import (
	"context"
	"fmt"
	"strconv"

	"ratelab/internal/limit"
	"ratelab/internal/load"
	"ratelab/internal/recording"
)

// rejectedKeys are so many keys of the rejected mix: enough that no connection's calls all meet on one.
const rejectedKeys = 16

// mixer is a Caller that asks for its own keys, whatever the loop hands it: under costLimit they make the mix. Each
// worker has keys of its own, which it uses up one after the other, so that what is admitted does not depend on how
// the workers' calls interleave.
type mixer struct {
	load.Caller
	name    string   // begins the worker's keys
	stretch int      // calls on one key before the next
	left    int      // of them, on the key of now
	keys    []string // those to use in turn; nil: a new one each time
	number  int
	key     string
}

// mixers gives each caller its part in a mix. In the half mix the workers begin at different places of a stretch:
// otherwise they would all be admitted at one time and all be rejected at another.
func mixers(mix string, callers []load.Caller) []*mixer {
	mixed := make([]*mixer, len(callers))
	for i, c := range callers {
		m := &mixer{Caller: c, name: "w" + strconv.Itoa(i) + ".", stretch: stretch(mix)}
		if mix == recording.MixRejected {
			m.keys, m.number = exhaustible(), i
		}
		m.advance()
		m.left = m.stretch - i*m.stretch/len(callers)
		mixed[i] = m
	}
	return mixed
}

// stretch is how many calls in succession go to one key.
func stretch(mix string) int {
	switch mix {
	case recording.MixRejected:
		return 1
	case recording.MixHalf:
		return 2 * int(costLimit.Capacity())
	}
	return int(costLimit.Capacity())
}

// exhaustible are the keys of the rejected mix.
func exhaustible() []string {
	keys := make([]string, rejectedKeys)
	for i := range keys {
		keys[i] = fmt.Sprintf("used-up-%02d", i)
	}
	return keys
}

// advance takes the next key.
func (m *mixer) advance() {
	m.left = m.stretch
	if m.keys != nil {
		m.key = m.keys[m.number%len(m.keys)]
	} else {
		m.key = m.name + strconv.Itoa(m.number)
	}
	m.number++
}

// Call asks for the mixer's own key.
func (m *mixer) Call(ctx context.Context, _ limit.Request) (load.Outcome, error) {
	if m.left == 0 {
		m.advance()
	}
	m.left--
	return m.Caller.Call(ctx, limit.Request{Key: m.key, Cost: 1})
}

// Interrupt passes on what load asks for when a run is over.
func (m *mixer) Interrupt() {
	if i, ok := m.Caller.(interface{ Interrupt() }); ok {
		i.Interrupt()
	}
}

// mostToExhaust bounds the calls on a key that does not become exhausted, as with an algorithm that admits all.
const mostToExhaust = 1000

// exhaust uses up the keys of the rejected mix. It gives up at the first key that cannot be used up.
func exhaust(ctx context.Context, c load.Caller) error {
	for _, key := range exhaustible() {
		for n := 0; ; n++ {
			out, err := c.Call(ctx, limit.Request{Key: key, Cost: 1})
			if err != nil || n == mostToExhaust {
				return err
			}
			if !out.Allowed {
				break
			}
		}
	}
	return nil
}

// wantedShare is the share of a mix that is to be admitted.
func wantedShare(mix string) float64 {
	return map[string]float64{recording.MixAccepted: 1, recording.MixHalf: 0.5}[mix]
}
