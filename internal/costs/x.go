package costs

import "ratelab/algorithms"

// XName returns the meaning of x in a figure of an algorithm.
func XName(a *algorithms.Algorithm, figure string) string {
	switch {
	case a.InRole(algorithms.Parts) != nil && figure != First:
		return Parts
	case a.Traits.Entries && figure == Bytes:
		return Entries
	}
	return ""
}

// XOf returns x for a limiter. For a log, x is the limit. For others it is the number of sub-windows in use: all for
// spread requests, but at most the limit, and one for a burst.
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
