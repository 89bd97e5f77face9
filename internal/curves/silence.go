package curves

// silence is how many buckets at the beginning are not drawn, because nobody sent anything in them and they would take
// most of the axis: all but a few before the first request, where these are at least half of all. The data keeps them.
func (in Input) silence() int {
	buckets := len(in.Traffic.Offered)
	first := buckets
	for _, series := range in.everything() {
		for i, n := range series[:first] {
			if n > 0 {
				first = i
				break
			}
		}
	}
	if first == buckets || 2*first < buckets {
		return 0
	}
	width := in.Traffic.BucketUS
	before := int64(first)*width - int64(buckets-first)*width/8 // so much of it is seen
	for unit := int64(1_000_000_000_000_000); unit > width; unit /= 10 {
		if unit%width == 0 && 4*unit <= int64(buckets-first)*width {
			return int(max(before, 0) / unit * unit / width)
		}
	}
	return int(max(before, 0) / width)
}

// everything is what was offered, to all and to each lane that had its own, and what was let through.
func (in Input) everything() [][]int64 {
	all := [][]int64{in.Traffic.Offered}
	for _, l := range append(in.reference(), in.Algorithms...) {
		all = append(all, l.Series.Admitted, l.Series.Rolling)
		if l.Traffic != nil {
			all = append(all, l.Traffic.Offered)
		}
	}
	return all
}

// from is the lane without its first buckets.
func (l Lane) from(skip int) Lane {
	cut := func(values []int64) []int64 {
		if values == nil {
			return nil
		}
		return values[skip:]
	}
	s := &l.Series
	s.Admitted, s.Rolling, s.DelayUS, s.Keys = cut(s.Admitted), cut(s.Rolling), cut(s.DelayUS), cut(s.Keys)
	if l.Traffic != nil {
		traffic := *l.Traffic
		traffic.Offered = cut(traffic.Offered)
		l.Traffic = &traffic
	}
	return l
}
