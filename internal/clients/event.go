package clients

import (
	"container/heap"
	"context"
	"math"

	"ratelab/internal/limit"
)

// operation is one operation of a client, until it succeeds or the client gives up. The queue contains the operation,
// ordered by its next event.
type operation struct {
	limit.Request // AtUS: when its first attempt begins
	client        *Client
	group         *groupState
	attempts      int64
	backoffUS     float64 // the next wait, without jitter

	dueUS int64
	order uint64 // the order of events at the same time: the order of their creation
	step  step

	// The attempt in progress.
	exchange Exchange
	message  any
	deciding bool
	reply    any
	sent     bool  // a message has been sent
	clientUS int64 // the time on the client's clock when it sent the message
	place    int   // index in the ledger; -1: none yet
}

// step is the kind of an operation's next event.
type step uint8

const (
	begins  step = iota // an attempt begins
	sends               // the client sends its message
	arrives             // the message is at the server
	answers             // the reply is at the client
	over                // no further event
)

// events is a heap of operations, ordered by the time of their next event.
type events []*operation

func (e events) Len() int      { return len(e) }
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(o any)   { *e = append(*e, o.(*operation)) }

func (e events) Less(i, j int) bool {
	return e[i].dueUS < e[j].dueUS || e[i].dueUS == e[j].dueUS && e[i].order < e[j].order
}

func (e *events) Pop() any {
	last := len(*e) - 1
	o := (*e)[last]
	(*e)[last] = nil
	*e = (*e)[:last]
	return o
}

func (r *run) push(o *operation) {
	o.order = r.made
	r.made++
	heap.Push(&r.events, o)
}

// play processes an event, and the operation's further events at the same time. So if there are no delays, no message
// of another client comes between two messages of the operation.
func (r *run) play(ctx context.Context, o *operation) error {
	for nowUS := o.dueUS; o.step != over; {
		if err := r.happen(ctx, o, nowUS); err != nil {
			return err
		}
		if o.step != over && o.dueUS > nowUS {
			r.push(o)
			return nil
		}
	}
	if r.deliver == nil { // otherwise a reply may still arrive
		r.free = append(r.free, o)
	}
	return nil
}

// happen processes one event, and determines the operation's next event.
func (r *run) happen(ctx context.Context, o *operation, nowUS int64) (err error) {
	switch o.step {
	case begins:
		return r.begin(o, nowUS)
	case sends:
		o.clientUS = nowUS + o.client.SkewUS(nowUS)
		o.next(arrives, nowUS+o.group.DelayUS.draw(o.group.there))
	case arrives:
		q := r.arrive(o, nowUS)
		if r.deliver != nil {
			o.step = over
			r.deliver(o, q)
			return nil
		}
		reply, err := r.Server.Serve(ctx, q, o.message)
		if err != nil {
			return err
		}
		r.answer(o, nowUS, reply)
	case answers:
		r.move(o, nowUS, o.exchange.Next(nowUS, o.reply))
	}
	return nil
}

func (o *operation) next(s step, dueUS int64) { o.step, o.dueUS = s, dueUS }

// begin begins an attempt.
func (r *run) begin(o *operation, nowUS int64) error {
	if r.attempts == r.MostAttempts {
		return &TooManyError{r.MostAttempts}
	}
	r.attempts++
	o.attempts++
	o.group.tally.Attempts++
	o.sent, o.place = false, -1
	o.exchange = r.Protocol.Attempt(o.client, limit.Request{AtUS: nowUS, Key: o.Key, Cost: o.Cost})
	r.move(o, nowUS, o.exchange.Next(nowUS, nil))
	return nil
}

// arrive records that a message has reached the server, and returns its request.
func (r *run) arrive(o *operation, nowUS int64) limit.Request {
	q := limit.Request{AtUS: nowUS, Key: o.Key, Cost: o.Cost, ServerSkewUS: r.ServerClock.SkewUS(nowUS),
		ClientSkewUS: o.clientUS - nowUS}
	if !o.sent && o.attempts > 1 {
		r.retries = append(r.retries, nowUS)
	}
	o.sent = true
	if o.deciding {
		o.place = r.ledger.open(q, false) // an earlier entry, if any, stays undecided
	}
	return q
}

// answer processes the reply that the server sends at nowUS.
func (r *run) answer(o *operation, nowUS int64, reply any) {
	o.reply = reply
	if d, ok := reply.(limit.Decision); ok && o.place >= 0 {
		r.ledger.decide(o.place, d)
	}
	o.next(answers, nowUS+o.group.DelayUS.draw(o.group.back))
}

// move executes a client's Move.
func (r *run) move(o *operation, nowUS int64, m Move) {
	if !m.Done {
		o.message, o.deciding = m.Message, m.Deciding
		o.next(sends, nowUS+m.WaitUS)
		return
	}
	if o.place < 0 { // decided without the server
		o.place = r.ledger.open(limit.Request{AtUS: nowUS, Key: o.Key, Cost: o.Cost,
			ServerSkewUS: r.ServerClock.SkewUS(nowUS), ClientSkewUS: o.client.SkewUS(nowUS)}, true)
	}
	r.ledger.decide(o.place, m.Decision)
	r.settle(o, nowUS, m.Decision)
}

// settle counts a decided attempt, and schedules the next attempt.
func (r *run) settle(o *operation, nowUS int64, d limit.Decision) {
	t := &o.group.tally
	if d.Allowed() {
		t.Succeeded++
		t.cost += o.Cost
		t.times = append(t.times, nowUS-o.AtUS)
		o.step = over
		return
	}
	wait, again := o.wait(d)
	if !again {
		t.GaveUp++
	}
	if !again || wait > math.MaxInt64-nowUS { // such a wait would never end
		o.step = over
		return
	}
	o.next(begins, nowUS+wait)
}
