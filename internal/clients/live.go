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
	count      int64           // of those that have begun
	endUS      int64
	nowUS      int64
	sent       map[int64]*operation // messages that have not been answered, by number
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
	l := &Live{run: newRun(s), endUS: endUS, sent: map[int64]*operation{}}
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
	for {
		us, ok := l.Next()
		if !ok || us >= untilUS {
			l.nowUS = max(l.nowUS, untilUS)
			return l.err
		}
		if l.begins(us) {
			continue
		}
		if err := l.play(ctx, l.run.queue.pop()); err != nil {
			return err
		}
	}
}

// Next is when something happens next that no reply brings about; ok is false where nothing does before the end.
func (l *Live) Next() (us int64, ok bool) {
	us = l.endUS
	if len(l.operations) > 0 {
		us = min(us, l.operations[0].AtUS)
	}
	if len(l.queue) > 0 {
		us = min(us, l.queue[0].atUS)
	}
	return us, us < l.endUS && l.err == nil
}

// Waits reports whether replies are still to come.
func (l *Live) Waits() bool { return len(l.sent) > 0 }

// begins puts the next operation into the queue of events if nothing happens before it.
func (l *Live) begins(us int64) bool {
	if len(l.operations) == 0 || l.operations[0].AtUS > us || len(l.queue) > 0 && l.queue[0].atUS < us {
		return false
	}
	q := l.operations[0]
	l.operations = l.operations[1:]
	l.push(event{atUS: us, kind: begins, of: l.operation(q, &l.clients[l.count%int64(len(l.clients))])})
	l.count++
	return true
}

// Advance lets everything happen that is due until nowUS, and gives the messages that have to be sent now. They are
// valid until the next call. The error is a *TooManyError.
func (l *Live) Advance(nowUS int64) ([]Message, error) {
	l.due = l.due[:0]
	for {
		us, ok := l.Next()
		if !ok || us > nowUS {
			l.nowUS = max(l.nowUS, nowUS)
			return l.due, l.err
		}
		if l.begins(us) {
			continue
		}
		if l.err = l.happens(l.queue.pop()); l.err != nil {
			return nil, l.err
		}
	}
}

// happens plays an event, but for the arrival of a message, which is only noted.
func (l *Live) happens(e event) error {
	for e.of != nil && e.kind != arrives {
		next, err := l.happen(context.Background(), e)
		if err != nil {
			return err
		}
		if next.of == nil || next.atUS > e.atUS {
			e = event{}
			if next.of != nil {
				l.push(next)
			}
			continue
		}
		e = next
	}
	if e.of == nil {
		return nil
	}
	q := l.arrive(e.of, e.atUS)
	l.sent[l.messages] = e.of
	l.due = append(l.due, Message{l.messages, q})
	l.messages++
	return nil
}

// Answered brings the reply to a message, which was at the client at atUS.
func (l *Live) Answered(number, atUS int64, d limit.Decision) {
	o := l.sent[number]
	if o == nil {
		return
	}
	delete(l.sent, number)
	l.take(o, d)
	l.push(event{atUS: max(atUS, l.nowUS) + o.group.DelayUS.draw(o.group.back), kind: answers, of: o})
}

// Outcome is what has happened so far. What is under way is unfinished, and goes on.
func (l *Live) Outcome() *Outcome {
	return &Outcome{Journal: l.ledger.journal(), Clients: summarize(l.groups, l.retries)}
}
