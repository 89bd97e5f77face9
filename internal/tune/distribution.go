package tune

import (
	"cmp"
	"math"
	"slices"
)

// Distribution is how often each value occurs, in the order of the values: an exact curve. Of users, a value is the
// smallest limit (or burst) with which one is never refused; of windows, the requests in one.
type Distribution []Occurrence

// Occurrence is a value and how often it occurs.
type Occurrence struct{ Value, Count int64 }

// histogram collects a distribution. Most values are small.
type histogram struct {
	small [256]int64
	large map[int64]int64
}

func (h *histogram) add(value, count int64) {
	if value < int64(len(h.small)) {
		h.small[value] += count
		return
	}
	if h.large == nil {
		h.large = map[int64]int64{}
	}
	h.large[value] += count
}

func (h *histogram) distribution() Distribution {
	d := Distribution{}
	for value, count := range h.small {
		if count > 0 {
			d = append(d, Occurrence{int64(value), count})
		}
	}
	for value, count := range h.large {
		d = append(d, Occurrence{value, count})
	}
	slices.SortFunc(d, func(a, b Occurrence) int { return cmp.Compare(a.Value, b.Value) })
	return d
}

// blended is two curves as one, of which each occurrence in the second counts so many times. What lies beyond any value
// is rounded to a whole number once.
func blended(one, other Distribution, times float64) Distribution {
	d := Distribution{}
	var ones, others, above int64
	for i, k := len(one)-1, len(other)-1; i >= 0 || k >= 0; {
		value := int64(math.MinInt64)
		if i >= 0 {
			value = one[i].Value
		}
		if k >= 0 {
			value = max(value, other[k].Value)
		}
		if i >= 0 && one[i].Value == value {
			ones += one[i].Count
			i--
		}
		if k >= 0 && other[k].Value == value {
			others += other[k].Count
			k--
		}
		if sum := ones + int64(math.Round(float64(others)*times)); sum > above {
			d = append(d, Occurrence{value, sum - above})
			above = sum
		}
	}
	slices.Reverse(d)
	return d
}

// Total is how many there are.
func (d Distribution) Total() (n int64) {
	for _, o := range d {
		n += o.Count
	}
	return n
}

// Beyond is how many values are larger than the limit: of users, those who are ever refused.
func (d Distribution) Beyond(limit int64) (n int64) {
	for i := len(d) - 1; i >= 0 && d[i].Value > limit; i-- {
		n += d[i].Count
	}
	return n
}

// Surplus is the sum of what the values have beyond the limit: of windows, the requests that are refused.
func (d Distribution) Surplus(limit int64) (n int64) {
	for i := len(d) - 1; i >= 0 && d[i].Value > limit; i-- {
		n += d[i].Count * (d[i].Value - limit)
	}
	return n
}

// Least is the smallest limit, at least 1, of which refused says no more than most. The figure falls as the limit
// rises, and changes slope at the values only, so that a search by halves is exact.
func (d Distribution) Least(most int64, refused func(Distribution, int64) int64) int64 {
	if len(d) == 0 {
		return 1
	}
	low, high := int64(1), max(1, d[len(d)-1].Value)
	for low < high {
		middle := low + (high-low)/2
		if refused(d, middle) <= most {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}
