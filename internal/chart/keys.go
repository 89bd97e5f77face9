package chart

import "ratelab/internal/curves"

// keys shows what is held, and that it only grows where nothing deletes it: however much that is beside the others,
// it is not cut off.
func keys(in curves.Input, t curves.Timeline) *Figure {
	var most int64
	for _, c := range t.Curves {
		most = max(most, c.Top)
	}
	return heights(in, t, most, "none")
}
