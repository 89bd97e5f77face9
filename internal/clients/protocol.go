package clients

import (
	"context"

	"ratelab/internal/limit"
)

// Replier replies to messages, in the order of their arrival. Only one goroutine calls it.
type Replier interface {
	// Serve replies to a message that arrives at the true time q.AtUS. The skews of q are the errors of the server's
	// clock now, and of the client's clock when the message was sent. Key and cost belong to the attempt. A reply that
	// is a limit.Decision is the attempt's decision. An error ends the run.
	Serve(ctx context.Context, q limit.Request, message any) (reply any, err error)
}

// Protocol is the sequence of messages with which a client gets one decision.
type Protocol interface {
	// Attempt begins one attempt; q.AtUS is the true time at which it begins, and q's skews are 0.
	Attempt(c *Client, q limit.Request) Exchange
}

// Exchange is the state of one attempt.
type Exchange interface {
	// Next returns what the client does at the true time nowUS. The first call is at the beginning of the attempt, with
	// a nil reply. Each later call has the reply to the message of the previous move.
	Next(nowUS int64, reply any) Move
}

// Move is the next action of a client: it waits WaitUS and then sends Message, or it is Done and has its Decision.
type Move struct {
	Message any
	WaitUS  int64
	// Deciding marks a message that may cause the decision when it arrives. If an attempt has several such messages,
	// the last one sent counts. The journal then has the request at the time when the server received that message. A
	// decision without such a message has the time of Done.
	Deciding bool

	Done     bool
	Decision limit.Decision
}

// OneCall is the Protocol of a limiter that is a script, and also the Exchange of each attempt. It sends one message.
// The reply is a limit.Decision.
type OneCall struct{}

// Attempt returns the same Exchange for all attempts.
func (c OneCall) Attempt(*Client, limit.Request) Exchange { return c }

// Next sends the message, and then returns the reply as the decision.
func (OneCall) Next(_ int64, reply any) Move {
	if reply == nil {
		return Move{Deciding: true}
	}
	return Move{Done: true, Decision: reply.(limit.Decision)}
}
