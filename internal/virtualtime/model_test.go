package virtualtime_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ratelab/internal/redis"
)

// key is a key in the model: whether it exists, its counter, and the last millisecond at which it is alive, or −1.
type key struct {
	there  bool
	count  int64
	dieMS  int64
	nowMS  int64
	answer int64
}

// model is a simple model of keys with deadlines. Each command has a key and a number, and replies with an integer.
var model = map[string]func(k *key, n int64){
	`'INCR', %s`: func(k *key, n int64) { k.count++; k.there = true; k.answer = k.count },
	`'INCRBY', %s, 1 ; 'PEXPIRE', %s, %d`: func(k *key, n int64) {
		k.count++
		k.there = true
		k.expire(k.nowMS + n)
	},
	`'PEXPIRE', %s, %d`:         func(k *key, n int64) { k.expire(k.nowMS + n) },
	`'PEXPIREAT', %s, now + %d`: func(k *key, n int64) { k.expire(k.nowMS + n) },
	`'PEXPIRE', %s, %d, 'GT'`: func(k *key,
		n int64) {
		k.when(k.dieMS >= 0 && k.nowMS+n > k.dieMS, k.nowMS+n)
	},
	`'PEXPIRE', %s, %d, 'LT'`:          func(k *key, n int64) { k.when(k.dieMS < 0 || k.nowMS+n < k.dieMS, k.nowMS+n) },
	`'PEXPIRE', %s, %d, 'NX'`:          func(k *key, n int64) { k.when(k.dieMS < 0, k.nowMS+n) },
	`'PERSIST', %s`:                    func(k *key, n int64) { k.when(k.dieMS >= 0, -1) },
	`'PTTL', %s`:                       func(k *key, n int64) { k.answer = k.left() },
	`'EXISTS', %s`:                     func(k *key, n int64) { k.answer = map[bool]int64{true: 1}[k.there] },
	`'DEL', %s`:                        func(k *key, n int64) { k.when(true, 0) },
	`'SET', %s, 100`:                   func(k *key, n int64) { k.set(-1) },
	`'SET', %s, 100, 'KEEPTTL'`:        func(k *key, n int64) { k.set(k.dieMS) },
	`'SET', %s, 100, 'PX', 1 + 0%d`:    func(k *key, n int64) { k.set(k.nowMS + 1 + n) },
	`'SET', %s, 100, 'PXAT', now + %d`: func(k *key, n int64) { k.set(k.nowMS + n) },
}

func (k *key) set(dieMS int64) {
	*k = key{there: true, count: 100, dieMS: dieMS, nowMS: k.nowMS, answer: okReply}
}

// when sets the deadline if the key exists and the condition holds. A deadline in the past deletes the key.
func (k *key) when(holds bool, dieMS int64) {
	k.answer = 0
	if !k.there || !holds {
		return
	}
	k.answer = 1
	k.dieMS = dieMS
	if dieMS >= 0 && dieMS <= k.nowMS {
		*k = key{dieMS: -1, nowMS: k.nowMS, answer: 1}
	}
}

func (k *key) expire(dieMS int64) { k.when(true, dieMS) }

func (k *key) left() int64 {
	switch {
	case !k.there:
		return -2
	case k.dieMS < 0:
		return -1
	}
	return k.dieMS - k.nowMS
}

// okReply stands for the status OK.
const okReply = -99

// arrive sets the time. The key is alive while now_ms <= die_ms.
func (k *key) arrive(nowMS int64) {
	k.nowMS = nowMS
	if k.there && k.dieMS >= 0 && nowMS > k.dieMS {
		*k = key{dieMS: -1, nowMS: nowMS}
	}
}

// The replies are those of the model, with any size of batches, and with the real deadlines of a given server. The
// clock also steps back. A key that has expired before the step does not return.
func TestTimeTravelAgreesWithAModelOfKeyLifetimes(t *testing.T) {
	var all []string
	for form := range model {
		all = append(all, form)
	}
	slices.Sort(all)
	onBoth(t, func(t *testing.T, server *redis.Server) {
		rapid.Check(t, func(rt *rapid.T) {
			s, steps, wants := story{}, []answer(nil), []string(nil)
			keys := []key{{dieMS: -1}, {dieMS: -1}}
			nowMS := midnight / 1000
			for i := range rapid.IntRange(1, 60).Draw(rt, "commands") {
				step := rapid.SampledFrom([]int64{0, 0, 1, 2, 5, 900, -3, -800}).Draw(rt, "step_ms")
				if step < 0 {
					keys[0].arrive(nowMS)
					keys[1].arrive(nowMS)
				}
				nowMS += step
				form := rapid.SampledFrom(all).Draw(rt, "command")
				n := rapid.SampledFrom([]int64{0, 1, 3, 6, 700}).Draw(rt, "ms")
				which := rapid.IntRange(0, 1).Draw(rt, "key")
				keys[which].arrive(nowMS)
				model[form](&keys[which], n)
				s.steps = append(s.steps, fill(form, fmt.Sprintf("K .. ':%d'", which), n))
				steps = append(steps, answer{nowMS, i + 1, ""})
				wants = append(wants, strings.ReplaceAll(strconv.FormatInt(keys[which].answer, 10),
					strconv.Itoa(okReply), "OK"))
			}
			for _, it := range []setup{{batch: 1}, {batch: 7}, {batch: 4096}, {batch: 3, given: true}} {
				got := s.virtual(t, server, it, "k", steps)
				for i, text := range got {
					if text = text[strings.LastIndex(text, "\n")+1:]; text != wants[i] {
						rt.Fatalf("batch %d, given %t: command %d at %d ms, %s, answers %s, want %s", it.batch,
							it.given,
							i+1, steps[i].nowMS-midnight/1000, s.steps[i], text, wants[i])
					}
				}
			}
		})
	})
}

// fill writes a form's commands for a key and a number.
func fill(form, key string, n int64) []string {
	form = strings.ReplaceAll(strings.ReplaceAll(form, "%s", key), "%d", strconv.FormatInt(n, 10))
	return strings.Split(form, " ; ")
}
