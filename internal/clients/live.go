package clients

import (
	"context"

	"ratelab/internal/limit"
)

// Live lets clients play against a server that answers when it does: whoever drives it says what time it is, sends the
// messages that are due, and brings the replies. It is not safe for concurrent use.
type Live struct {
	*run
	operations []limit.Request // that are still to begin
	endUS      int64
	nowUS      int64
	waiting    map[int64]*operation // messages that have not been answered, by number
	messages   int64                // so many have been due
	due        []Message
	err        error
}

// Message is one that is due at the server at Request.AtUS, as are the skews of the request's clocks.
type Message struct {
	Number  int64 // from 0
	Request limit.Request
}

// NewLive prepares to play the traffic until endUS, and reads it so far. Setup's Server is asked by Forward alone. The
// error is the traffic's.
func NewLive(s Setup, t Traffic, endUS int64) (*Live, error) {
	l := &Live{run: newRun(s), endUS: endUS, waiting: map[int64]*operation{}}
	for q, err := range t.Requests() {
		if err != nil {
			return nil, err
		}
		if q.AtUS >= endUS {
			break
		}
		l.operations = append(l.operations, q)
	}
	return l, nil
}

// Forward plays what happens before untilUS against the Setup's Server. What is under way then goes on.
func (l *Live) Forward(ctx context.Context, untilUS int64) error {
	l.nowUS = max(l.nowUS, untilUS)
	return l.before(ctx, untilUS)
}

// before plays what happens before untilUS.
func (l *Live) before(ctx context.Context, untilUS int64) error {
	for l.err == nil && len(l.operations) > 0 && l.operations[0].AtUS < untilUS {
		l.err = l.add(ctx, l.operations[0])
		l.operations = l.operations[1:]
	}
	if l.err == nil {
		l.err = l.until(ctx, min(untilUS, l.endUS))
	}
	return l.err
}

// Next is when something happens next that no reply brings about; ok is false where nothing does before the end.
func (l *Live) Next() (us int64, ok bool) {
	us = l.endUS
	if len(l.operations) > 0 {
		us = min(us, l.operations[0].AtUS)
	}
	if len(l.events) > 0 {
		us = min(us, l.events[0].dueUS)
	}
	return us, us < l.endUS && l.err == nil
}

// Waits reports whether replies are still to come.
func (l *Live) Waits() bool { return len(l.waiting) > 0 }

// Advance lets everything happen that is due until nowUS, and gives the messages that have to be sent now. They are
// valid until the next call. The error is a *TooManyError.
func (l *Live) Advance(nowUS int64) ([]Message, error) {
	l.due = l.due[:0]
	l.deliver = func(o *operation, q limit.Request) {
		l.waiting[l.messages] = o
		l.due = append(l.due, Message{l.messages, q})
		l.messages++
	}
	if err := l.before(context.Background(), nowUS+1); err != nil {
		return nil, err
	}
	l.nowUS = max(l.nowUS, nowUS)
	return l.due, nil
}

// Answered brings the reply to a message, which was at the client at atUS.
func (l *Live) Answered(number, atUS int64, d limit.Decision) {
	o := l.waiting[number]
	if o == nil {
		return
	}
	delete(l.waiting, number)
	l.answer(o, max(atUS, l.nowUS), d)
	l.push(o)
}

// Outcome is what has happened so far. What is under way is unfinished, and goes on.
func (l *Live) Outcome() *Outcome { return l.outcome() }
