package clients

import (
	"context"

	"ratelab/internal/limit"
)

// Live simulates the clients against a real server. Its caller gives it the time, sends the messages that are due, and
// gives it the replies. It is not safe for concurrent use.
type Live struct {
	*run
	operations []limit.Request // that are still to begin
	endUS      int64
	nowUS      int64
	waiting    map[int64]*operation // messages that have not been answered, by number
	messages   int64                // so many have been due
	due        []limit.Request
}

// NewLive prepares to play operations, all of which begin before endUS. Setup's Server is never asked.
func NewLive(s Setup, operations []limit.Request, endUS int64) *Live {
	l := &Live{run: newRun(s), operations: operations, endUS: endUS, waiting: map[int64]*operation{}}
	l.deliver = func(o *operation, q limit.Request) {
		l.waiting[l.messages] = o
		l.messages++
		l.due = append(l.due, q)
	}
	return l
}

// Over reports whether nothing happens any more before the end: no reply is to come, either.
func (l *Live) Over() bool {
	return len(l.operations) == 0 && len(l.waiting) == 0 && (len(l.events) == 0 || l.events[0].dueUS >= l.endUS)
}

// Advance lets everything happen that is due until nowUS, and gives the messages that have to be sent now, each at the
// server at its AtUS, as are the skews of its clocks. They are numbered from 0, those of all calls together, and valid
// until the next call. The error is a *TooManyError.
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
