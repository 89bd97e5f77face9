package clients

import (
	"context"

	"ratelab/internal/limit"
)

// Replier replies to messages, in the order of their arrival. One goroutine calls it.
type Replier interface {
	// Serve answers a message that arrives at the true time q.AtUS; the skews of q say what the clocks show: the
	// server's now, and the client's as it was read when the message was sent. Key and cost are the attempt's. A reply
	// that is a limit.Decision is the attempt's decision. An error ends the run.
	Serve(ctx context.Context, q limit.Request, message any) (reply any, err error)
}

// Protocol is the sequence of messages with which a client gets one decision.
type Protocol interface {
	// Attempt begins one attempt; q.AtUS is the true time at which it begins, and q's skews are 0.
	Attempt(c *Client, q limit.Request) Exchange
}

// Exchange is the state of one attempt.
type Exchange interface {
	// Next is what the client does when it has a reply, at the true time nowUS. The first call comes when the attempt
	// begins, with a nil reply; the others each with the reply to the message of the move before.
	Next(nowUS int64, reply any) Move
}

// Move is what a client does next: it sends Message once it has waited WaitUS, or it is Done and has its Decision.
type Move struct {
	Message any
	WaitUS  int64
	// Deciding marks a message with whose arrival the decision may fall. Of an attempt's deciding messages the last
	// one sent counts: the journal has the attempt's request at the time when the server took it. A decision
	// without any such message stands at the time of Done.
	Deciding bool

	Done     bool
	Decision limit.Decision
}

// OneCall is the Protocol of a limiter that is a script, and the Exchange of each attempt: one message, whose reply is
// a limit.Decision.
type OneCall struct{}

// Attempt is the same for every attempt.
func (c OneCall) Attempt(*Client, limit.Request) Exchange { return c }

// Next asks, and then takes the reply.
func (OneCall) Next(_ int64, reply any) Move {
	if reply == nil {
		return Move{Deciding: true}
	}
	return Move{Done: true, Decision: reply.(limit.Decision)}
}
