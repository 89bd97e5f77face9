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

// XOf returns x for a limiter. With spread requests all sub-windows are in use, otherwise only one.
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
