package benchresult

import "ratelab/internal/result"

// Copy is r with lists and maps of its own; histograms and what pointers lead to are shared.
func Copy(r *Document) *Document {
	c := result.WithoutNulls(*r).(Document)
	return &c
}
