package clients

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/traffic"
)

// at returns traffic with an operation of key a at each of the times. All times, and the end, are in milliseconds.
func at(end int64, times ...int64) *traffic.Stream {
	var all []limit.Request
	for _, ms := range times {
		all = append(all, limit.Request{AtUS: ms * 1000, Key: "a", Cost: 1})
	}
	return traffic.List(all, time.Duration(end)*time.Millisecond, true)
}

// every is a limiter that admits a request if gapUS has passed since the last admitted request. Its retry_after is
// wrong by wrongUS.
type every struct {
	gapUS, lastUS, wrongUS int64
}

func (e *every) Decide(nowUS, _ int64, _ string, _ int64) limit.Decision {
	if left := e.lastUS + e.gapUS - nowUS; left > 0 {
		return limit.Decision{Verdict: limit.Rejected, RetryAfterUS: left + e.wrongUS}
	}
	e.lastUS = nowUS
	return limit.Decision{Verdict: limit.Allowed}
}

func (e *every) Fork(string) limit.Model {
	c := *e
	return &c
}

// epoch is a start at which the limiter every admits the first request.
var epoch = time.Unix(1000, 0)

// play runs groups against a limiter that admits one request per gap milliseconds.
func play(t *testing.T, gap int64, what *traffic.Stream, groups ...Group) *Outcome {
	t.Helper()
	out, err := Run(t.Context(), Setup{
		Seed: 1, Groups: groups, Protocol: OneCall{}, Server: NewLimiter(&every{gapUS: gap * 1000}, epoch),
	}, what)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// transcript returns a journal as text: the time in ms and the verdict of each request.
func transcript(j Journal) string {
	var s strings.Builder
	for i, q := range j.Requests {
		verdict := "-"
		if j.Decisions[i].Allowed() {
			verdict = "+"
		}
		fmt.Fprintf(&s, "%s%s ", strings.TrimSuffix(fmt.Sprintf("%g", float64(q.AtUS)/1000), ".0"), verdict)
	}
	return strings.TrimSpace(s.String())
}

func expect(t *testing.T, out *Outcome, journal string, c measure.Clients) {
	t.Helper()
	if got := transcript(out.Journal); got != journal {
		t.Errorf("the journal is %q, want %q", got, journal)
	}
	got := out.Clients
	if got.Operations != c.Operations || got.Succeeded != c.Succeeded || got.GaveUp != c.GaveUp ||
		got.Unfinished != c.Unfinished || got.Attempts != c.Attempts {
		t.Errorf("the clients are %+v, want %+v", got, c)
	}
}

func is(operations, succeeded, gaveUp, unfinished, attempts int64) measure.Clients {
	return measure.Clients{Operations: operations, Succeeded: succeeded, GaveUp: gaveUp, Attempts: attempts,
		Unfinished: unfinished}
}
