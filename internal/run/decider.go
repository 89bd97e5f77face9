package run

import (
	"context"
	"fmt"

	"ratelab/internal/clients"
	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/replay"
)

// oneByOne is a clients.Server on which a script decides one request at a time.
type oneByOne struct{ Decider replay.Decider }

// Serve decides q and ignores the message.
func (o oneByOne) Serve(ctx context.Context, q limit.Request, _ any) (any, error) {
	decisions := make([]limit.Decision, 1)
	err := o.Decider.Decide(ctx, []limit.Request{q}, decisions)
	return decisions[0], err
}

// behindFlag lets the script decide the requests that reached the server. The journal has the clients' own rejections.
type behindFlag struct {
	script  replay.Decider
	journal clients.Journal // of the remaining requests
}

func (b *behindFlag) Decide(ctx context.Context, requests []limit.Request, decisions []limit.Decision) error {
	n := copy(decisions, b.journal.Decisions)
	unasked := b.journal.Unasked[:n]
	b.journal.Decisions, b.journal.Unasked = b.journal.Decisions[n:], b.journal.Unasked[n:]
	var sent []limit.Request
	var at []int // indices of the decisions
	for i, q := range requests {
		if !unasked[i] {
			sent, at = append(sent, q), append(at, i)
		}
	}
	answers := make([]limit.Decision, len(sent))
	err := b.script.Decide(ctx, sent, answers)
	for i, d := range answers {
		decisions[at[i]] = d
	}
	return err
}

// confirming is a script whose decisions must equal those of its model.
type confirming struct {
	replay.Decider
	model replay.Decider
	alike func(model, server limit.Decision) bool
	count int64
}

// Decide returns a *DifferenceError if a decision differs.
func (c *confirming) Decide(ctx context.Context, requests []limit.Request, decisions []limit.Decision) error {
	if err := c.Decider.Decide(ctx, requests, decisions); err != nil {
		return err
	}
	expected := make([]limit.Decision, len(requests))
	if err := c.model.Decide(ctx, requests, expected); err != nil {
		return err
	}
	for i, q := range requests {
		if !c.alike(expected[i], decisions[i]) {
			return &DifferenceError{Number: c.count + int64(i) + 1, Request: q, Model: expected[i],
				Server: decisions[i]}
		}
	}
	c.count += int64(len(requests))
	return nil
}

// sameAnswer reports whether a client gets the same reply.
func sameAnswer(a, b limit.Decision) bool {
	return a.Verdict == b.Verdict && a.Remaining == b.Remaining && a.RetryAfterUS == b.RetryAfterUS &&
		a.DelayUS == b.DelayUS
}

// sameOutcome reports whether both decisions admit the request or both reject it.
func sameOutcome(a, b limit.Decision) bool {
	return a.Allowed() == b.Allowed() && a.DelayUS == b.DelayUS
}

// DifferenceError reports a request that a script and its model decide differently. One of the two is wrong.
type DifferenceError struct {
	Number        int64 // of the request, from 1; 0: unknown
	Request       limit.Request
	Model, Server limit.Decision
}

func (e *DifferenceError) Error() string {
	q := e.Request
	clocks := ""
	if q.Skewed() {
		clocks = fmt.Sprintf(", the server's clock off by %d us and the client's by %d us", q.ServerSkewUS,
			q.ClientSkewUS)
	}
	request := "a request"
	if e.Number > 0 {
		request = fmt.Sprintf("request %d", e.Number)
	}
	return fmt.Sprintf("%s (key %s, cost %d, at %d us%s): the model answers %s, the script on the server %s",
		request, message.Quote(q.Key), q.Cost, q.AtUS, clocks, answer(e.Model), answer(e.Server))
}

func answer(d limit.Decision) string {
	text := fmt.Sprintf("allowed %d, remaining %d, retry_after_us %d", d.Verdict, d.Remaining, d.RetryAfterUS)
	if d.DelayUS != 0 {
		text += fmt.Sprintf(", delay_us %d", d.DelayUS)
	}
	return text
}
