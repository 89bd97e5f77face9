package recording

import "ratelab/internal/result"

// Copy is r with lists and maps of its own; histograms and what pointers lead to are shared.
func Copy(r *Recording) *Recording {
	c := result.WithoutNulls(*r).(Recording)
	return &c
}
