package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/zeebo/xxh3"

	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/replay"
)

// For a long log, scripts confirm the first requests, and then all requests of some keys: one key in a hundred, chosen
// by its hash, and at least fewestKeys. They confirm at most firstConfirmed requests of each key.
const (
	firstConfirmed = 20_000
	wholeShare     = math.MaxUint64 / 100
	fewestKeys     = 3
)

// sample determines the requests of a log that scripts confirm. It is the same for all rows, and for any number of
// processors.
type sample struct {
	untilUS int64           // the first requests end at this time
	whole   map[string]bool // keys that are confirmed although their hash does not select them
	rare    bool            // the first requests have fewer than fewestKeys keys, so later keys are added
}

// sampled reads the plan's first requests. It returns nil if scripts confirm all of the traffic.
func (p *Plan) sampled() (*sample, error) {
	s, n := &sample{whole: map[string]bool{}}, 0
	hashes := map[string]uint64{}
	for q, err := range p.Stream.Requests() {
		if err != nil {
			return nil, &replay.InputError{Err: err}
		}
		if n++; n > firstConfirmed {
			break
		}
		s.untilUS = q.AtUS
		hashes[q.Key] = keyHash(q.Key)
	}
	if n <= firstConfirmed {
		return nil, nil
	}
	for range fewestKeys {
		key, least := "", uint64(math.MaxUint64)
		for k, h := range hashes {
			if h < least {
				key, least = k, h
			}
		}
		if s.rare = len(hashes) == 0; s.rare {
			break
		}
		s.whole[key] = true
		delete(hashes, key)
	}
	return s, nil
}

// keyHash is independent of the hash that divides the keys among processors.
func keyHash(key string) uint64 { return xxh3.HashStringSeed(key, 1) }

// sampling decides with the model, and lets the script confirm a sample.
type sampling struct {
	sample
	model    replay.Decider
	script   Script
	gateways bool            // keys depend on each other, so no key can be confirmed alone
	answered replay.Recorded // by the model
	sent     []limit.Request
	answers  []limit.Decision

	asked            map[string]int64 // requests so far of the fully confirmed keys
	first, confirmed int64
}

// Decide returns a *DifferenceError if a decision of the sample differs.
func (s *sampling) Decide(ctx context.Context, requests []limit.Request, decisions []limit.Decision) error {
	if err := s.model.Decide(ctx, requests, decisions); err != nil {
		return err
	}
	s.sent, s.answered.Decisions = s.sent[:0], s.answered.Decisions[:0]
	for i, q := range requests {
		among := q.AtUS <= s.untilUS
		if among {
			s.first++
		}
		if s.isWhole(q.Key) {
			s.asked[q.Key]++
			among = s.asked[q.Key] <= firstConfirmed
		}
		if among {
			s.sent = append(s.sent, q)
			s.answered.Decisions = append(s.answered.Decisions, decisions[i])
		}
	}
	s.answers = slices.Grow(s.answers[:0], len(s.sent))[:len(s.sent)]
	s.confirmed += int64(len(s.sent))
	check := confirming{Decider: s.script, model: &replay.Recorded{Decisions: s.answered.Decisions}, alike: sameAnswer}
	err := check.Decide(ctx, s.sent, s.answers)
	if differs := new(DifferenceError); errors.As(err, &differs) {
		differs.Number = 0 // its number among all requests is unknown
	}
	return err
}

func (s *sampling) isWhole(key string) bool {
	switch {
	case s.gateways:
		return false
	case keyHash(key) < wholeShare || s.whole[key]:
		return true
	case s.rare && len(s.whole) < fewestKeys:
		s.whole[key] = true
	}
	return s.whole[key]
}

// sampledRow prepares a row that its model decides. Each source of requests has its own runner, so that the models can
// use all processors.
func (g *game) sampledRow(ctx context.Context, r *row, model func() replay.Decider) {
	of := func(script Script) replay.Decider {
		own := *g.sample
		own.whole = maps.Clone(own.whole) // whole may grow
		s := &sampling{sample: own, model: model(), script: script, gateways: r.Gateways != nil || g.sharesKeys(),
			asked: map[string]int64{}}
		r.samples = append(r.samples, s)
		return replay.Unreachable(s, g.Scenario.Outages)
	}
	r.decider = of(r.script)
	if r.Gateways == nil && !g.sharesKeys() && !g.sample.rare {
		r.another = func() replay.Decider {
			script, err := Open(ctx, g.engine, g.Plan, r.Limiter)
			if err != nil {
				return failed{err}
			}
			return of(script)
		}
	}
}

// failed is a Decider that could not be opened.
type failed struct{ error }

func (f failed) Decide(context.Context, []limit.Request, []limit.Decision) error { return f.error }

// noteSample returns a note about how many requests the scripts confirmed.
func (g *game) noteSample(o *replay.Outcome) string {
	i := slices.IndexFunc(g.rows, func(r *row) bool { return r.samples != nil && r.Gateways == nil })
	if i < 0 {
		i = slices.IndexFunc(g.rows, func(r *row) bool { return r.samples != nil })
	}
	if i < 0 {
		return ""
	}
	var first, confirmed, whole int64
	for _, s := range g.rows[i].samples {
		first, confirmed, whole = first+s.first, confirmed+s.confirmed, whole+int64(len(s.asked))
	}
	return fmt.Sprintf("the Lua confirmed %s of %s requests: the first %s, and %s of %s keys; cmds are theirs, and "+
		"--redis embedded confirms all", message.Grouped(confirmed), message.Grouped(o.Reference.Offered),
		message.Grouped(first), message.Grouped(whole), message.Grouped(o.Keys))
}
