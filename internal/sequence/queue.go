package sequence

import (
	"fmt"
	"math"
	"slices"

	"ratelab/algorithms"
	"ratelab/internal/clients"
	"ratelab/internal/limit"
	"ratelab/internal/resp"
)

var pushThenTrim = Sequence{
	Name: "push-then-trim",
	Rule: "a queue of as many elements as the limit, from whose tail a worker takes one every window/limit: LPUSH of " +
		"an element per token, then LLEN; if LLEN exceeds the limit, the request is rejected and LTRIM drops the " +
		"newest elements",
	Danger: "LTRIM may drop elements of other clients' admitted requests, while the element of the rejected " +
		"request stays",
	Sources: []string{"https://redis.io/docs/latest/commands/ltrim/"},
	Parameters: []algorithms.Parameter{
		{Name: "script", Doc: "whether the three commands run in one script", Kind: algorithms.OneOf,
			Words: []string{"no", "yes"}, Default: "no"},
		{Name: "trim", Doc: "what LTRIM drops: all elements beyond the limit, or as many as LLEN exceeded it" +
			"; in a script these are the same", Kind: algorithms.OneOf, Words: []string{"to_limit", "by_excess"},
			Default: "to_limit"},
	},
	prepare: (*attempt).enqueue,
	decide:  (*attempt).push,
	worker:  true,
}

// mostPushed is the most elements that one command may push. Lua's unpack can return a few thousand values.
const mostPushed = 1000

// push pushes a's elements, and trims the queue if it has become too long. The push decides: without interleaving, all
// its commands would run at that moment.
func (a *attempt) push() clients.Move {
	cost := a.request.Cost
	if cost > mostPushed {
		return clients.Move{Message: fmt.Errorf("a request of cost %d would push as many elements; want at most %d",
			cost, mostPushed)}
	}
	if a.value["script"] == 1 {
		return a.ask(pushAndTrim(a.counter, a.token, cost, a.limit, a.drop), func(r resp.Value) clients.Move {
			return a.finish(a.queued(r.Int))
		})
	}
	return a.ask(pushLeft(a.counter, a.token, cost), func(resp.Value) clients.Move {
		return a.send(length(a.counter), func(r resp.Value) clients.Move {
			d, from := a.queued(r.Int), -a.limit
			if d.Allowed() {
				return a.finish(d)
			}
			if a.value["trim"] == 1 {
				from = r.Int - a.limit
			}
			return a.send(trim(a.counter, from, a.drop), func(resp.Value) clients.Move { return a.finish(d) })
		})
	})
}

// queued returns the decision on a request after which the queue has the given length.
func (a *attempt) queued(length int64) limit.Decision {
	d := a.answer(length <= a.limit, length, a.limit)
	if d.Allowed() {
		d.ResetAfterUS = a.takesUS(length)
	} else if d.RetryAfterUS != limit.Never {
		d.RetryAfterUS = a.takesUS(a.request.Cost)
	}
	return d
}

// takesUS returns the time that the worker needs for a number of elements, rounded up.
func (p *Play) takesUS(elements int64) int64 {
	us, rest := limit.Quotient(elements, p.windowUS, p.limit, math.MaxInt64)
	if rest {
		us++
	}
	return us
}

// queues tracks the elements that a sequence's clients push.
type queues struct {
	names    []string            // of the queues, sorted
	elements map[string]*element // by content
	taken    int64               // how often the worker took elements
}

// element counts the elements of one request. They are equal, one per token.
type element struct {
	pushed, trimmed   int64
	decided, admitted bool
}

// enqueue registers the elements that a is about to push.
func (a *attempt) enqueue() {
	a.elements[a.token] = &element{pushed: a.request.Cost}
	if place, known := slices.BinarySearch(a.names, a.counter); !known {
		a.names = slices.Insert(a.names, place, a.counter)
	}
}

// drop counts the elements that a trim removed from a queue of the given length. A hypothetical attempt has no token,
// and is not counted.
func (a *attempt) drop(removed []string, length int64) {
	if a.token == "" {
		return
	}
	n := int64(len(removed))
	a.figures.Trimmed += n
	a.figures.TrimmedNeedlessly += max(0, n-max(0, length-a.limit))
	for _, name := range removed {
		a.elements[name].trimmed++
	}
}

// work lets the worker take the elements that are due by atUS since the start: one every W/L from each queue. It skips
// empty queues.
func (p *Play) work(atUS, skewUS int64) {
	due, _ := limit.Quotient(max(0, atUS), p.limit, p.windowUS, math.MaxInt64)
	for filled := p.filled(); p.taken < due && len(filled) > 0; filled = p.filled() {
		p.taken++
		trueUS := p.takesUS(p.taken)
		for _, name := range filled {
			p.do(trueUS, p.startUS+trueUS+skewUS, popRight(name))
		}
	}
	p.taken = due // the queues stay empty until the next command
}

// filled returns the queues that are not empty.
func (p *Play) filled() (names []string) {
	for _, name := range p.names {
		if p.store.length(name) > 0 {
			names = append(names, name)
		}
	}
	return names
}

// lost counts the trimmed elements of admitted requests, and the remaining elements of rejected requests.
func (q *queues) lost() (lost, kept int64) {
	for _, e := range q.elements {
		switch {
		case e.decided && e.admitted:
			lost += e.trimmed
		case e.decided:
			kept += e.pushed - e.trimmed
		}
	}
	return lost, kept
}
