package virtualtime

import (
	"strconv"

	"ratelab/internal/limit"
	"ratelab/internal/script"
)

// build appends what prelude.lua calls A[4] and after: which elements of KEYS and ARGV travel with each arrival,
// those that hold for all of them, and the arrivals.
func (r *Runner) build(args []any, requests []limit.Request) []any {
	layout := r.wrapped.decide.varying
	first := r.vars(requests[0])
	travels := make([]byte, len(layout))
	for i, t := range layout {
		travels[i] = '0'
		for _, q := range requests[1:] {
			if !t.Same(first, r.vars(q)) {
				travels[i] = '1'
				break
			}
		}
	}
	args = append(args, string(travels))
	for _, t := range layout {
		args = append(args, r.text(t, first))
	}
	for _, q := range requests {
		v := r.vars(q)
		args = r.prepare(args, v)
		args = append(args, strconv.FormatInt(v.NowUS, 10))
		for i, t := range layout {
			if travels[i] == '1' {
				args = append(args, r.text(t, v))
			}
		}
	}
	return args
}

// prepare appends the call of the init script before a key's first request.
func (r *Runner) prepare(args []any, v script.Vars) []any {
	if r.program.Init == nil || r.ready[v.Key] {
		return args
	}
	r.ready[v.Key] = true
	args = append(args, "", strconv.FormatInt(v.NowUS, 10))
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
