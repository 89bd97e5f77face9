package clients

import (
	"context"

	"ratelab/internal/limit"
)

// Replier replies to messages. It gets them in the order of their arrival, from one goroutine.
type Replier interface {
	// Serve replies to a message that arrives at the true time q.AtUS. The skews of q are the errors of the server's
	// clock now, and of the client's clock when the message was sent. Key and cost belong to the attempt. If the reply
	// is a limit.Decision, it decides the attempt. An error ends the run.
	Serve(ctx context.Context, q limit.Request, message any) (reply any, err error)
}

// Protocol is the sequence of messages with which a client gets one decision.
type Protocol interface {
	// Attempt begins one attempt. q.AtUS is the true time at which it begins. The skews of q are 0.
	Attempt(c *Client, q limit.Request) Exchange
}

// Exchange is the state of one attempt.
type Exchange interface {
	// Next returns the client's next Move at the true time nowUS. In the first call, at the beginning of the attempt,
	// reply is nil. In each later call, reply is the reply to the message of the previous Move.
	Next(nowUS int64, reply any) Move
}

// Move is the next action of a client. It waits WaitUS and then sends Message, or the attempt is Done with a Decision.
type Move struct {
	Message any
	WaitUS  int64
	// Deciding marks a message that may cause the decision when it arrives. If an attempt has several such messages,
	// the last one counts. In the journal, the time of the request is the time when the server received this message.
	// If there is no such message, it is the time of Done.
	Deciding bool

	Done     bool
	Decision limit.Decision
}

// OneCall is the Protocol of a limiter that is a script. The client sends one message, and the reply is a
// limit.Decision. OneCall is also the Exchange of each attempt.
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
