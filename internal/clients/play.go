package clients

import (
	"context"
	"math"

	"ratelab/internal/limit"
)

// play lets an event happen, and what follows from it at the same time for the same operation: where nothing travels
// and nobody waits, no other client comes between two messages.
func (r *run) play(ctx context.Context, e event) error {
	for {
		next, err := r.happen(ctx, e)
		if err != nil || next.of == nil {
			return err
		}
		if next.atUS > e.atUS {
			r.push(next)
			return nil
		}
		e = next
	}
}

// happen gives the operation's next event; none where it is over.
func (r *run) happen(ctx context.Context, e event) (next event, err error) {
	o := e.of
	switch e.kind {
	case begins:
		return r.begin(o, e.atUS)
	case sends:
		o.clientUS = e.atUS + o.client.SkewUS(e.atUS)
		return event{atUS: e.atUS + o.group.DelayUS.draw(o.group.there), kind: arrives, of: o}, nil
	case arrives:
		if err := r.serve(ctx, o, e.atUS); err != nil {
			return next, err
		}
		return event{atUS: e.atUS + o.group.DelayUS.draw(o.group.back), kind: answers, of: o}, nil
	default:
		return r.move(o, e.atUS, o.exchange.Next(e.atUS, o.reply)), nil
	}
}

// begin begins an attempt.
func (r *run) begin(o *operation, nowUS int64) (event, error) {
	if r.attempts == r.MostAttempts {
		return event{}, &TooManyError{r.MostAttempts}
	}
	r.attempts++
	o.attempts++
	o.group.tally.Attempts++
	o.sent, o.place = false, -1
	o.exchange = r.Protocol.Attempt(o.client, limit.Request{AtUS: nowUS, Key: o.Key, Cost: o.Cost})
	return r.move(o, nowUS, o.exchange.Next(nowUS, nil)), nil
}

// serve lets the server answer the message that has arrived.
func (r *run) serve(ctx context.Context, o *operation, nowUS int64) error {
	q := r.arrive(o, nowUS)
	reply, err := r.Server.Serve(ctx, q, o.message)
	if err != nil {
		return err
	}
	r.take(o, reply)
	return nil
}

// arrive notes that a message is at the server, and what it asks for.
func (r *run) arrive(o *operation, nowUS int64) limit.Request {
	q := limit.Request{AtUS: nowUS, Key: o.Key, Cost: o.Cost, ServerSkewUS: r.clock.skewUS(nowUS),
		ClientSkewUS: o.clientUS - nowUS}
	if !o.sent && o.attempts > 1 {
		r.retries = append(r.retries, nowUS)
	}
	o.sent = true
	if o.deciding {
		o.place = r.ledger.open(q) // an earlier place, if there is one, stays undecided
	}
	return q
}

// take notes the server's reply.
func (r *run) take(o *operation, reply any) {
	o.reply = reply
	if d, ok := reply.(limit.Decision); ok && o.place >= 0 {
		r.ledger.decide(o.place, d)
	}
}

// move follows a client's move.
func (r *run) move(o *operation, nowUS int64, m Move) event {
	if !m.Done {
		o.message, o.deciding = m.Message, m.Deciding
		return event{atUS: nowUS + m.WaitUS, kind: sends, of: o}
	}
	if o.place < 0 { // decided without the server
		q := limit.Request{AtUS: nowUS, Key: o.Key, Cost: o.Cost, ServerSkewUS: r.clock.skewUS(nowUS),
			ClientSkewUS: o.client.SkewUS(nowUS)}
		o.place = r.ledger.open(q)
		r.ledger.Unasked[o.place] = true
	}
	r.ledger.decide(o.place, m.Decision)
	return r.settle(o, nowUS, m.Decision)
}

// settle counts an attempt that is decided; the next event is that of the next attempt.
func (r *run) settle(o *operation, nowUS int64, d limit.Decision) event {
	f := &o.group.tally
	if d.Allowed() {
		f.Succeeded++
		o.group.succeededCost += o.Cost
		f.TimesUS = append(f.TimesUS, nowUS-o.AtUS)
		r.free = append(r.free, o)
		return event{}
	}
	wait, again := o.wait(d)
	if !again {
		f.GaveUp++
	}
	if !again || wait > math.MaxInt64-nowUS {
		r.free = append(r.free, o) // the second: unfinished for ever
		return event{}
	}
	return event{atUS: nowUS + wait, kind: begins, of: o}
}
