package measure

import "sort"

// scales finds the most that was admitted for one key in any half-open interval (t − w, t], for many lengths w at
// once. It keeps each living key's admissions of the longest w, and looks at them in runs: most of a run's intervals
// are known beforehand not to exceed the most so far.
type scales struct {
	lengths []int64 // ascending, µs
	most    []int64 // for each length
	tracks  []track // by slot of windows
}

// track is what one key was admitted, oldest first. The entries before done have been looked at.
type track struct {
	entries []point
	before  int64 // the total up to the first entry, exclusive
	done    int
}

// point is an instant, and the cost of all admissions up to it, inclusive.
type point struct{ atUS, total int64 }

// runLength is how many admissions of a key are looked at together: enough to make the search for their intervals'
// beginnings cheap, and few enough to stay in the cache.
const runLength = 128

func newScales(lengths []int64) *scales {
	return &scales{lengths: lengths, most: make([]int64, len(lengths))}
}

// add puts cost at atUS, not before the last, onto the track of a slot. What comes at one instant is one entry.
func (s *scales) add(slot int, atUS, cost int64) {
	for slot >= len(s.tracks) {
		s.tracks = append(s.tracks, track{})
	}
	t := &s.tracks[slot]
	n := len(t.entries)
	if n > 0 && t.entries[n-1].atUS == atUS {
		t.entries[n-1].total += cost
		return
	}
	if n > 0 && (n-t.done >= runLength || n == cap(t.entries)) {
		s.look(t)
		s.forget(t)
		n = len(t.entries)
	}
	t.entries = append(t.entries, point{atUS, t.totalBefore(n) + cost})
}

// totalBefore is the total of all entries up to the i-th, exclusive.
func (t *track) totalBefore(i int) int64 {
	if i == 0 {
		return t.before
	}
	return t.entries[i-1].total
}

// look compares every interval that ends at an entry not yet looked at with the most so far.
func (s *scales) look(t *track) {
	n := len(t.entries)
	if t.done == n {
		return
	}
	first, last, from := t.entries[t.done].atUS, t.entries[n-1].total, t.done
	for k, length := range s.lengths {
		if last-t.before <= s.most[k] { // all there is could not exceed it, nor what a longer one has
			break
		}
		from = t.since(first-length, from)
		if last-t.totalBefore(from) > s.most[k] { // all of them together could exceed it
			s.most[k] = t.slide(from, length, s.most[k])
		}
	}
	t.done = n
}

// since is the index of the first of the entries up to end that lies after horizonUS.
func (t *track) since(horizonUS int64, end int) int {
	if end == 0 || t.entries[end-1].atUS <= horizonUS {
		return end
	}
	return sort.Search(end, func(i int) bool { return t.entries[i].atUS > horizonUS })
}

// slide moves an interval of that length over the entries not yet looked at, the first of which reaches back to from,
// and gives the largest sum, or most.
func (t *track) slide(from int, length, most int64) int64 {
	entries, before := t.entries, t.totalBefore(from)
	for i := t.done; i < len(entries); i++ {
		p := &entries[i]
		for horizon := p.atUS - length; entries[from].atUS <= horizon; from++ {
			before = entries[from].total
		}
		most = max(most, p.total-before)
	}
	return most
}

// forget drops the entries that no later interval reaches back to, once they are a quarter of all.
func (s *scales) forget(t *track) {
	n := len(t.entries)
	gone := t.since(t.entries[n-1].atUS-s.lengths[len(s.lengths)-1], n)
	if gone == 0 || 4*gone < n {
		return
	}
	t.before = t.totalBefore(gone)
	t.entries = t.entries[:copy(t.entries, t.entries[gone:])]
	t.done -= gone
}

// release gives up a slot's track, if nothing of it can matter any more at nowUS.
func (s *scales) release(slot int, nowUS int64) bool {
	if slot >= len(s.tracks) {
		return true
	}
	t := &s.tracks[slot]
	if n := len(t.entries); n > 0 && t.entries[n-1].atUS > nowUS-s.lengths[len(s.lengths)-1] {
		return false
	}
	s.look(t)
	*t = track{}
	return true
}

// result is the most admitted, for each length, with what has been added so far.
func (s *scales) result() []int64 {
	for i := range s.tracks {
		s.look(&s.tracks[i])
	}
	return s.most
}
