package simulate

import (
	"context"
	"fmt"

	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/replay"
	"ratelab/internal/waiting"
)

// confirming is a script on a server that must answer as its model does, or did.
type confirming struct {
	replay.Decider
	model replay.Decider
	stop  <-chan struct{}
	count int64
}

// Decide fails where the two differ, with a *DifferenceError.
func (c *confirming) Decide(ctx context.Context, requests []limit.Request, decisions []limit.Decision) error {
	if waiting.Closed(c.stop) {
		return replay.ErrStopped
	}
	if err := c.Decider.Decide(ctx, requests, decisions); err != nil {
		return err
	}
	expected := make([]limit.Decision, len(requests))
	if err := c.model.Decide(ctx, requests, expected); err != nil {
		return err
	}
	for i, q := range requests {
		if !sameAnswer(expected[i], decisions[i]) {
			return &DifferenceError{Number: c.count + int64(i) + 1, Request: q, Model: expected[i],
				Server: decisions[i]}
		}
	}
	c.count += int64(len(requests))
	return nil
}

// sameAnswer compares what a client is told.
func sameAnswer(a, b limit.Decision) bool {
	return a.Verdict == b.Verdict && a.Remaining == b.Remaining && a.RetryAfterUS == b.RetryAfterUS &&
		a.DelayUS == b.DelayUS
}

// DifferenceError is a request on which a script and its model do not agree: one of the two is wrong.
type DifferenceError struct {
	Number        int64 // of the request, from 1
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
	return fmt.Sprintf("request %d (key %s, cost %d, at %d us%s): the model answers %s, the script on the server %s",
		e.Number, message.Quote(q.Key), q.Cost, q.AtUS, clocks, answer(e.Model), answer(e.Server))
}

func answer(d limit.Decision) string {
	text := fmt.Sprintf("allowed %d, remaining %d, retry_after_us %d", d.Verdict, d.Remaining, d.RetryAfterUS)
	if d.DelayUS != 0 {
		text += fmt.Sprintf(", delay_us %d", d.DelayUS)
	}
	return text
}
