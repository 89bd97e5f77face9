package recording

// Copy is r with lists and maps of its own; histograms and what pointers lead to are shared.
func Copy(r *Recording) *Recording {
	c := withoutNulls(*r)
	return &c
}
