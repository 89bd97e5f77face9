package play_test

import (
	"context"
	"testing"

	"ratelab/internal/limit"
	"ratelab/internal/play"
)

// A limiter that admits nobody before a second has passed: who is written just before and answered just after may be
// told either. Whoever is far from the edge may not.
func TestOnlyLagExplainsADifference(t *testing.T) {
	const edge = 1_000_000
	decide := func(requests []limit.Request) []limit.Decision {
		all := make([]limit.Decision, len(requests))
		for i, q := range requests {
			if q.AtUS >= edge {
				all[i].Verdict = limit.Allowed
			}
		}
		return all
	}
	part := &play.Part{Requests: costs(10, 1, edge-50, 1, edge-40, 1, edge+500, 1)}
	record := play.NewRecord(part)
	if err := record.Observe(part.Requests, decide(part.Requests)); err != nil {
		t.Fatal(err)
	}
	again := func(_ context.Context, requests []limit.Request) ([]limit.Decision, error) {
		return decide(requests), nil
	}
	answer := func(allowed bool, writtenUS, repliedUS int64) play.Answer {
		a := play.Answer{WrittenUS: writtenUS, RepliedUS: repliedUS, Sent: true}
		if allowed {
			a.Decision.Verdict = limit.Allowed
		}
		return a
	}
	for name, c := range map[string]struct {
		answers            []play.Answer
		count, unexplained int64
		first              int64
	}{
		"alike": {[]play.Answer{answer(false, 12, 90), answer(false, edge-45, edge-20), answer(false, edge-30, edge-1),
			answer(true, edge+510, edge+600)}, 0, 0, 0},
		"late, across the edge": {[]play.Answer{answer(false, 12, 90), answer(true, edge-45, edge+60),
			answer(true, edge+30, edge+80), answer(true, edge+510, edge+600)}, 2, 0, edge - 50},
		"late, and before it": {[]play.Answer{answer(false, 12, 90), answer(true, edge-45, edge+60),
			answer(true, edge-30, edge-5), answer(true, edge+510, edge+600)}, 2, 1, edge - 40},
		"never": {[]play.Answer{answer(true, 12, 90), answer(false, edge-45, edge-20), answer(false, edge-30, edge-1),
			answer(false, edge+510, edge+600)}, 2, 2, 10},
		"not sent": {[]play.Answer{{}, answer(false, edge-45, edge-20), {}, answer(true, edge+510, edge+600)}, 0, 0, 0},
	} {
		p := &play.Played{Answers: c.answers}
		d, err := p.Compare(t.Context(), part, record, again)
		if err != nil {
			t.Fatal(err)
		}
		if n := p.Differing(record, len(c.answers)); n != c.count {
			t.Errorf("%s: %d differ; want %d", name, n, c.count)
		}
		if d.Count != c.count || d.Unexplained != c.unexplained || c.count > 0 && d.First.Request.AtUS != c.first {
			t.Errorf("%s: %+v, first %+v; want %d, %d of them unexplained, the first at %d", name, d, d.First, c.count,
				c.unexplained, c.first)
		}
	}
}

// Four hundred come at one instant and wait in a line of their own, and a permit comes back meanwhile: whoever of them
// got it, that is explained, also where nobody would draw it.
func TestAPermitThatAnyMayGet(t *testing.T) {
	const waiting, permits, backUS = 400, 10, 3900
	decide := func(requests []limit.Request) []limit.Decision {
		all, admitted := make([]limit.Decision, len(requests)), 0
		for i, q := range requests {
			if admitted < permits || admitted == permits && q.AtUS >= backUS {
				all[i].Verdict = limit.Allowed
				admitted++
			}
		}
		return all
	}
	pairs := make([]int64, 2*waiting)
	for i := range waiting {
		pairs[2*i+1] = 1
	}
	part := &play.Part{Requests: costs(pairs...)}
	record := play.NewRecord(part)
	if err := record.Observe(part.Requests, decide(part.Requests)); err != nil {
		t.Fatal(err)
	}
	again := func(_ context.Context, requests []limit.Request) ([]limit.Decision, error) {
		return decide(requests), nil
	}
	for _, lucky := range []int{391, 395, 399} {
		p := &play.Played{}
		for i := range waiting {
			a := play.Answer{WrittenUS: 0, RepliedUS: int64(i+1) * 10, Sent: true}
			if i < permits || i == lucky {
				a.Decision.Verdict = limit.Allowed
			}
			p.Answers = append(p.Answers, a)
		}
		d, err := p.Compare(t.Context(), part, record, again)
		if err != nil || d.Count != 1 || d.Unexplained != 0 {
			t.Errorf("request %d got it: %+v, %v", lucky, d, err)
		}
	}
}
