package costs

import "ratelab/algorithms"

// XName is what a figure of an algorithm depends on.
func XName(a *algorithms.Algorithm, figure string) string {
	switch {
	case a.InRole(algorithms.Parts) != nil && figure != First:
		return Parts
	case a.Traits.Entries && figure == Bytes:
		return Entries
	}
	return ""
}

// XOf is x for a limiter; with spread requests sub-windows are in use all over the window, and otherwise one is.
func XOf(in *algorithms.Rule, spread bool) float64 {
	parts := in.InRole(algorithms.Parts)
	switch {
	case in.Algorithm.Traits.Entries:
		return float64(in.Policy.Requests)
	case !spread:
		return float64(min(parts, 1))
	}
	return float64(min(parts, in.Policy.Requests))
}
