package virtualtime

import (
	"slices"
	"strconv"

	"ratelab/internal/limit"
	"ratelab/internal/script"
)

// build appends what prelude.lua calls A[4] and after: which elements of KEYS and ARGV travel with each arrival, and
// whether the client's clock does; those that hold for all of them, and the arrivals.
func (r *Runner) build(args []any, requests []limit.Request) []any {
	layout := r.wrapped.decide.varying
	first := r.vars(requests[0])
	travels := make([]byte, len(layout)+1)
	for i, t := range layout {
		travels[i] = mark(slices.ContainsFunc(requests[1:],
			func(q limit.Request) bool { return !t.Same(first, r.vars(q)) }))
	}
	apart := r.wrapped.decide.tellsTime && slices.ContainsFunc(requests, clocksApart)
	travels[len(layout)] = mark(apart)
	args = append(args, string(travels))
	for _, t := range layout {
		args = append(args, r.text(t, first))
	}
	for _, q := range requests {
		v := r.vars(q)
		now := strconv.FormatInt(r.serverUS(q), 10)
		args = r.prepare(args, now, v)
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

// mark is 1 or 0, as a digit.
func mark(set bool) byte {
	if set {
		return '1'
	}
	return '0'
}

func clocksApart(q limit.Request) bool { return q.ServerSkewUS != q.ClientSkewUS }

// prepare appends the call of the init script before a key's first request, at the server's time now.
func (r *Runner) prepare(args []any, now string, v script.Vars) []any {
	if r.program.Init == nil || r.ready[v.Key] {
		return args
	}
	r.ready[v.Key] = true
	args = append(args, "", now)
	for _, t := range r.wrapped.init.varying {
		args = append(args, r.text(t, v))
	}
	return args
}

// text writes one element for one call.
func (r *Runner) text(t script.Template, v script.Vars) string {
	r.scratch = t.Append(r.scratch[:0], v)
	return string(r.scratch)
}
