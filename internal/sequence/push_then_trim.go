package sequence

import (
	"math/bits"
	"slices"

	"ratelab/internal/clients"
	"ratelab/internal/limit"
)

var pushThenTrim = Spec{
	Name: "push-then-trim",
	Rule: "a queue of as many elements as the limit, from whose tail a worker takes one every window/limit: LPUSH of " +
		"an element for each permit, then LLEN; rejected where that is more than the limit, and then LTRIM drops the " +
		"newest elements",
	Danger: "whoever trims drops what others have just pushed and were told to be admitted, and is rejected although " +
		"its own element stays",
	Sources: []string{"https://redis.io/docs/latest/commands/ltrim/"},
	Parameters: []Parameter{
		{Name: "script", Doc: "whether the three commands run in one script", Form: Word,
			Words: []string{"no", "yes"}},
		{Name: "trim", Doc: "what LTRIM drops: whatever is beyond the limit by then, or as many as LLEN was beyond it" +
			"; a script knows no difference", Form: Word, Words: []string{"to_limit", "by_excess"}},
	},
	worker: true,
	begin:  (*attempt).push,
	decide: (*attempt).push,
}

// push puts a's elements into the queue. This is the moment that counts: the same commands without anybody between
// them would all run here.
func (a *attempt) push() clients.Move {
	w := a.play.window
	c := Command{Operation: PushLeft, Key: a.counter, Value: a.token, Number: a.request.Cost}
	if a.play.choice.value("script") == 1 {
		c.Operation, c.Keep = PushAndTrim, w.limit
		return a.ask(c, func(r Reply) clients.Move { return a.finish(a.queued(r.Integer)) })
	}
	return a.ask(c, func(Reply) clients.Move {
		return a.send(Command{Operation: Length, Key: a.counter}, a.measured)
	})
}

// measured trims a queue that was found too long.
func (a *attempt) measured(r Reply) clients.Move {
	w, d := a.play.window, a.queued(r.Integer)
	if d.Allowed() {
		return a.finish(d)
	}
	c := Command{Operation: Trim, Key: a.counter, Number: -w.limit}
	if a.play.choice.value("trim") == 1 {
		c.Number = r.Integer - w.limit
	}
	return a.send(c, func(Reply) clients.Move { return a.finish(d) })
}

// queued is the answer to a request after which a queue has a length.
func (a *attempt) queued(length int64) limit.Decision {
	w, cost := a.play.window, a.request.Cost
	if length <= w.limit {
		return limit.Decision{Verdict: limit.Allowed, Remaining: w.limit - length, ResetAfterUS: w.takesUS(length)}
	}
	d := limit.Decision{Verdict: limit.Rejected, RetryAfterUS: w.takesUS(cost), ResetAfterUS: w.windowUS}
	if cost > w.limit {
		d.RetryAfterUS = limit.Never
	}
	return d
}

// takesUS is how long the worker needs for so many elements, rounded up.
func (w window) takesUS(elements int64) int64 {
	whole, rest := scale(elements, w.windowUS, w.limit)
	return whole + min(rest, 1)
}

// scale is n·by/over and its remainder, none of them negative, over not 0, and the quotient in an int64.
func scale(n, by, over int64) (quotient, rest int64) {
	high, low := bits.Mul64(uint64(n), uint64(by))
	q, r := bits.Div64(high, low, uint64(over))
	return int64(q), int64(r)
}

// queues are what becomes of the elements that a sequence's clients push.
type queues struct {
	names    []string            // of the queues, sorted
	elements map[string]*element // by what stands in the queue
	taken    int64               // how often the worker has looked
	peak     int64               // the longest that a queue was after a command
	trimmed  int64
	needless int64 // of them, from among those that the limit lets stay
}

// element is what one request pushed: one for each permit, all alike.
type element struct {
	pushed, trimmed   int64
	decided, admitted bool
}

// drop takes in what a trim removed from a queue that was so long; most is the limit.
func (s *queues) drop(removed []string, length, most int64) {
	n := int64(len(removed))
	s.trimmed += n
	s.needless += max(0, n-max(0, length-most))
	for _, name := range removed {
		s.elements[name].trimmed++
	}
}

// arrive takes in a message before the server answers it.
func (s *queues) arrive(m command) {
	if m.Operation != PushLeft && m.Operation != PushAndTrim {
		return
	}
	s.elements[m.Value] = &element{pushed: m.Number}
	if place, known := slices.BinarySearch(s.names, m.Key); !known {
		s.names = slices.Insert(s.names, place, m.Key)
	}
}

// work lets the worker take from every queue what is due by atUS since the start: an element every W/L, from the
// start on. It knows when a queue is empty and does not ask then.
func (p *Play) work(atUS, skewUS int64) error {
	w, s := p.window, &p.queues
	due, _ := scale(max(0, atUS), w.limit, w.windowUS)
	for s.taken < due {
		if !slices.ContainsFunc(s.names, func(name string) bool { return p.store.length(name) > 0 }) {
			s.taken = due // nothing is there until the next command
			return nil
		}
		s.taken++
		trueUS := w.takesUS(s.taken)
		for _, name := range s.names {
			if p.store.length(name) == 0 {
				continue
			}
			if _, err := p.do(trueUS, p.startUS+trueUS+skewUS, Command{Operation: PopRight, Key: name}); err != nil {
				return err
			}
		}
	}
	return nil
}

// lost counts the elements that were trimmed away though their requests were admitted, and kept those that stayed
// though theirs were rejected.
func (s *queues) lost() (lost, kept int64) {
	for _, e := range s.elements {
		switch {
		case e.decided && e.admitted:
			lost += e.trimmed
		case e.decided:
			kept += e.pushed - e.trimmed
		}
	}
	return lost, kept
}
