package bench

import (
	"strconv"

	"ratelab/internal/limit"
	"ratelab/internal/load"
	"ratelab/internal/result"
)

// usedUpKeys are so many keys of the rejected mix: enough that no connection's calls all meet on one.
const usedUpKeys = 8

// mixer is a Caller that asks for its own keys, whatever the loop hands it: under costLimit they make the mix. Each
// worker has fresh keys of its own, which it uses up one after the other, so that what is admitted does not depend on
// how the workers' calls interleave. In the half mix every second call goes to the key that was used up before.
//
// Note: using each key for twice its limit at a stretch would be simpler. But workers go in step, and are all admitted
// at one time and all rejected at another: of half a second's calls up to 56 % were admitted.
type mixer struct {
	load.Caller
	mix    string
	name   string // begins the worker's keys
	calls  int
	number int    // of the fresh key
	fresh  string // the key that has permits left
	used   string // one that has none
}

// mixers gives each caller its part in a mix.
func mixers(mix string, callers []load.Caller) []*mixer {
	mixed := make([]*mixer, len(callers))
	for i, c := range callers {
		name := "w" + strconv.Itoa(i) + "."
		mixed[i] = &mixer{Caller: c, mix: mix, name: name, fresh: name + "0", used: usedUpKey(i)}
	}
	return mixed
}

// stretch is how many calls a worker makes for each fresh key.
func stretch(mix string) int {
	if mix == result.MixHalf {
		return 2 * int(costLimit.Capacity())
	}
	return int(costLimit.Capacity())
}

// usedUpKey is one of the keys that exhaust uses up.
func usedUpKey(i int) string { return "used-up-" + strconv.Itoa(i%usedUpKeys) }

// Call asks for the mixer's own key.
func (m *mixer) Call(limit.Request) (load.Outcome, error) {
	return m.Caller.Call(limit.Request{Key: m.next(), Cost: 1})
}

func (m *mixer) next() string {
	m.calls++
	switch m.mix {
	case result.MixRejected:
		return usedUpKey(m.calls)
	case result.MixHalf:
		if m.calls%2 == 0 {
			return m.used
		}
	}
	if m.calls > (m.number+1)*stretch(m.mix) {
		m.number++
		m.used, m.fresh = m.fresh, m.name+strconv.Itoa(m.number)
	}
	return m.fresh
}

// mostToExhaust bounds the calls on a key that does not become exhausted, as with an algorithm that admits all.
const mostToExhaust = 1000

// exhaust uses up the keys that a mix begins with. It gives up at the first key that cannot be used up.
func exhaust(mix string, c load.Caller) error {
	if mix == result.MixAccepted {
		return nil
	}
	for i := range usedUpKeys {
		for n := 0; ; n++ {
			out, err := c.Call(limit.Request{Key: usedUpKey(i), Cost: 1})
			if err != nil || n == mostToExhaust {
				return err
			}
			if !out.Decision.Allowed() {
				break
			}
		}
	}
	return nil
}

// wantedShare is the share of a mix that is to be admitted.
func wantedShare(mix string) float64 {
	return map[string]float64{result.MixAccepted: 1, result.MixHalf: 0.5}[mix]
}
