package costs

import (
	"strconv"

	"ratelab/algorithms"
	"ratelab/internal/limit"
)

// XName is what a figure of a limiter depends on.
func XName(limiter, figure string) string {
	switch {
	case limiter == "sliding-window-buckets" && figure != First:
		return Parts
	case limiter == "sliding-window-log" && figure == Bytes:
		return Entries
	case limiter == "gcra":
		return Fraction
	}
	return ""
}

// XOf is x for a limiter under a limit; with spread requests sub-windows are in use all over the window, and otherwise
// one is.
func XOf(c algorithms.Choice, p limit.Policy, spread bool) float64 {
	p = c.Policy(p)
	switch c.Spec.Name {
	case "sliding-window-log":
		return float64(p.Requests)
	case "gcra":
		if _, permits := p.Interval(); permits > 1 {
			return 1
		}
		return 0
	case "sliding-window-buckets":
		if !spread {
			return 1
		}
		return float64(min(parts(c), p.Requests))
	}
	return 0
}

// parts are how many sub-windows a window has.
func parts(c algorithms.Choice) int64 {
	in, err := c.Instance(limit.Policy{Requests: 1, Window: limit.MaxWindow})
	if err != nil {
		return 1
	}
	text, _ := algorithms.InRole(algorithms.Parts, c.Label, in.Parameters)
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 1
	}
	return n
}
