package costs

import "ratelab/algorithms"

// XName is what a figure of a limiter depends on.
func XName(limiter, figure string) string {
	switch {
	case limiter == "sliding-window-buckets" && figure != First:
		return Parts
	case limiter == "sliding-window-log" && figure == Bytes:
		return Entries
	}
	return ""
}

// XOf is x for a limiter; with spread requests sub-windows are in use all over the window, and otherwise one is.
func XOf(in *algorithms.Rule, spread bool) float64 {
	switch in.Algorithm.Name {
	case "sliding-window-log":
		return float64(in.Policy.Requests)
	case "sliding-window-buckets":
		if !spread {
			return 1
		}
		return float64(min(in.InRole(algorithms.Parts), in.Policy.Requests))
	}
	return 0
}
