package replay_test

import (
	"context"
	"fmt"
	"iter"
	"testing"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/replay"
)

var midnight = time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC)

// traffic is a list of requests, with a duration of one minute.
type traffic []limit.Request

func (t traffic) Requests() iter.Seq2[limit.Request, error] {
	return func(yield func(limit.Request, error) bool) {
		for _, q := range t {
			if !yield(q, nil) {
				return
			}
		}
	}
}

func (t traffic) Duration() (time.Duration, bool) { return time.Minute, true }

// endless is traffic without an end: requests of one key, one per millisecond.
type endless struct{}

func (endless) Requests() iter.Seq2[limit.Request, error] {
	return func(yield func(limit.Request, error) bool) {
		for at := int64(0); yield(limit.Request{AtUS: at, Key: "k", Cost: 1}, nil); at += 1000 {
		}
	}
}

func (endless) Duration() (time.Duration, bool) { return 0, false }

// broken is traffic that ends with an error after a thousand requests.
type broken struct{ err error }

func (b broken) Requests() iter.Seq2[limit.Request, error] {
	return func(yield func(limit.Request, error) bool) {
		n := 0
		for q, err := range (endless{}).Requests() {
			if n++; n > 1000 {
				yield(limit.Request{}, b.err)
				return
			}
			if !yield(q, err) {
				return
			}
		}
	}
}

func (broken) Duration() (time.Duration, bool) { return 0, false }

// modelRow returns a row that an algorithm's model decides.
func modelRow(t testing.TB, label string, p limit.Policy) replay.Row {
	t.Helper()
	choice, err := algorithms.Parse(label)
	if err != nil {
		t.Fatal(err)
	}
	in, err := choice.Under(p)
	if err != nil {
		t.Fatal(err)
	}
	return replay.Row{Label: label, Decider: replay.NewModel(in.NewModel(), midnight)}
}

// after admits all requests. It calls do once: in the batch in which the number of requests exceeds requests. If do
// returns an error, Decide returns this error.
type after struct {
	requests int
	do       func() error
}

func (a *after) Decide(_ context.Context, requests []limit.Request, decisions []limit.Decision) error {
	if a.requests -= len(requests); a.requests < 0 && a.do != nil {
		do := a.do
		a.do = nil
		if err := do(); err != nil {
			return err
		}
	}
	for i := range decisions {
		decisions[i] = limit.Decision{Verdict: limit.Allowed}
	}
	return nil
}

// admitAll returns a row that admits all requests.
func admitAll(label string) replay.Row {
	return replay.Row{Label: label, Decider: &after{requests: 1 << 60}}
}

func policy(t testing.TB, text string) limit.Policy {
	t.Helper()
	p, err := limit.ParsePolicy(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func key(n int64) string { return fmt.Sprintf("k%d", n) }
