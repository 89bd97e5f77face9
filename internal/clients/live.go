package clients

import (
	"context"

	"ratelab/internal/limit"
)

// Live simulates the clients against a real server. The caller passes the current time, sends the messages that are
// due, and passes the replies. It is not safe for concurrent use.
type Live struct {
	*run
	operations []limit.Request // operations that have not begun
	endUS      int64
	nowUS      int64
	waiting    map[int64]*operation // unanswered messages, by number
	messages   int64                // the number of messages so far
	due        []limit.Request
}

// NewLive prepares to play operations that all begin before endUS. It never calls the Server of Setup.
func NewLive(s Setup, operations []limit.Request, endUS int64) *Live {
	l := &Live{run: newRun(s), operations: operations, endUS: endUS, waiting: map[int64]*operation{}}
	l.deliver = func(o *operation, q limit.Request) {
		l.waiting[l.messages] = o
		l.messages++
		l.due = append(l.due, q)
	}
	return l
}

// Over reports whether no event and no reply is left before the end.
func (l *Live) Over() bool {
	return len(l.operations) == 0 && len(l.waiting) == 0 && (len(l.events) == 0 || l.events[0].dueUS >= l.endUS)
}

// Advance plays all events up to nowUS, and returns the messages to send now. AtUS is when a message reaches the
// server. Its skews are the errors of the clocks at that time. The messages of all calls are numbered from 0. The
// result is valid until the next call. The error is a *TooManyError.
func (l *Live) Advance(nowUS int64) ([]limit.Request, error) {
	l.due = l.due[:0]
	l.nowUS = max(l.nowUS, nowUS)
	for len(l.operations) > 0 && l.operations[0].AtUS <= nowUS {
		if err := l.add(context.Background(), l.operations[0]); err != nil {
			return nil, err
		}
		l.operations = l.operations[1:]
	}
	return l.due, l.until(context.Background(), min(nowUS+1, l.endUS))
}

// Answered processes the reply to a message, which the client received at atUS.
func (l *Live) Answered(number, atUS int64, d limit.Decision) {
	o := l.waiting[number]
	if o == nil {
		return
	}
	delete(l.waiting, number)
	l.answer(o, max(atUS, l.nowUS), d)
	l.push(o)
}
