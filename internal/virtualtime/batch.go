package virtualtime

import (
	"slices"
	"strconv"

	"ratelab/internal/limit"
	"ratelab/internal/script"
)

// build appends the argument A[4] of prelude/batch.lua and all later ones. A[4] marks the elements of KEYS and ARGV
// that differ between the arrivals, and whether the clients' clocks are sent. Then follow the first request's values of
// these elements, the elements that are equal in all batches, and the arrivals.
func (r *Runner) build(args []any, requests []limit.Request) []any {
	layout := r.wrapped.decide.varying
	first := r.vars(requests[0], r.written)
	travels := make([]byte, len(layout)+1)
	for i, t := range layout {
		number := r.written
		travels[i] = mark(slices.ContainsFunc(requests[1:], func(q limit.Request) bool {
			number++
			return !t.Same(first, r.vars(q, number))
		}))
	}
	apart := r.wrapped.decide.tellsTime && slices.ContainsFunc(requests,
		func(q limit.Request) bool { return q.ServerSkewUS != q.ClientSkewUS })
	travels[len(layout)] = mark(apart)
	args = append(args, string(travels))
	for _, t := range layout {
		args = append(args, r.text(t, first))
	}
	for _, text := range r.wrapped.decide.fixed {
		args = append(args, text)
	}
	for i, q := range requests {
		v := r.vars(q, r.written+int64(i))
		now := strconv.FormatInt(r.serverUS(q), 10)
		args = r.prepare(args, now, v, q.AtUS)
		args = append(args, now)
		if apart {
			args = append(args, strconv.FormatInt(v.NowUS, 10))
		}
		for i, t := range layout {
			if travels[i] == '1' {
				args = append(args, r.text(t, v))
			}
		}
	}
	return args
}

// mark returns the digit 1 or 0.
func mark(set bool) byte {
	if set {
		return '1'
	}
	return '0'
}

// prepare appends the init calls that are due before a request, at the server's time now. The first request of a key
// needs init. A later request needs the steps of Managed since the key's last request. The server executes these steps
// late, but before the next request of the key.
func (r *Runner) prepare(args []any, now string, v script.Vars, atUS int64) []any {
	p := r.program
	if p.Init == nil {
		return args
	}
	seen, known := r.ready[v.Key]
	passed := seen
	for passed < len(p.Managed) && p.Managed[passed].AtUS <= atUS {
		passed++
	}
	if known && seen == passed {
		return args
	}
	r.ready[v.Key] = passed
	deletes := func(s limit.ManagedStep) bool { return s.Deletes }
	if known && slices.ContainsFunc(p.Managed[seen:passed], deletes) {
		args = r.announce(args, now, v, p.Remove)
	}
	if passed == 0 || !p.Managed[passed-1].Deletes {
		args = r.announce(args, now, v, p.Init)
	}
	return args
}

// announce appends a call of the init script.
func (r *Runner) announce(args []any, now string, v script.Vars, c *script.Call) []any {
	args = append(args, "", now)
	for _, t := range slices.Concat(c.Keys, c.Args) {
		args = append(args, r.text(t, v))
	}
	return args
}

// text writes one element for one call.
func (r *Runner) text(t script.Template, v script.Vars) string {
	r.scratch = t.Append(r.scratch[:0], &v)
	return string(r.scratch)
}
