package measure

import "sort"

// scales finds the most cost admitted for one key in any half-open interval (t − w, t], for many lengths w. It keeps
// each living key's admissions of the longest w, and checks them in groups: for most groups a simple bound shows that
// no interval of the group exceeds the largest known sum.
type scales struct {
	lengths []int64 // ascending, in µs
	most    []int64 // for each length
	tracks  []track // by the slot in windows
}

// track has the admissions of one key, oldest first. The entries before done have been checked.
type track struct {
	entries []point
	before  int64 // the total before the first entry
	done    int
}

// point is an instant, and the cost of all admissions up to and including it.
type point struct{ atUS, total int64 }

// runLength is how many admissions of a key are checked together. It is large enough that searching for the starts of
// their intervals is cheap, and small enough for the cache.
const runLength = 128

func newScales(lengths []int64) *scales {
	return &scales{lengths: lengths, most: make([]int64, len(lengths))}
}

// add adds cost at atUS, which must not decrease, to the track of a slot. Admissions at one instant are one entry.
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

// totalBefore returns the total of all entries before the i-th.
func (t *track) totalBefore(i int) int64 {
	if i == 0 {
		return t.before
	}
	return t.entries[i-1].total
}

// look checks the intervals that end at entries not yet checked, and raises the largest known sum if one exceeds it.
func (s *scales) look(t *track) {
	n := len(t.entries)
	if t.done == n {
		return
	}
	first, last, from := t.entries[t.done].atUS, t.entries[n-1].total, t.done
	for k, length := range s.lengths {
		if last-t.before <= s.most[k] { // all entries together do not exceed it, nor do those of a longer interval
			break
		}
		from = t.since(first-length, from)
		if last-t.totalBefore(from) > s.most[k] { // all these entries together exceed it, so one interval may
			s.most[k] = t.slide(from, length, s.most[k])
		}
	}
	t.done = n
}

// since returns the index of the first entry before end that is later than horizonUS, or end if no entry is.
func (t *track) since(horizonUS int64, end int) int {
	if end == 0 || t.entries[end-1].atUS <= horizonUS {
		return end
	}
	return sort.Search(end, func(i int) bool { return t.entries[i].atUS > horizonUS })
}

// slide moves an interval of the given length over the entries not yet checked. The interval of the first one begins at
// from. slide returns the largest sum if it exceeds most, else most.
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

// forget drops the entries that no later interval contains, if they are at least a quarter of all.
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

// release frees a slot's track and returns true, unless an entry may still matter at nowUS.
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

// result returns the most admitted for each length, including the latest entries.
func (s *scales) result() []int64 {
	for i := range s.tracks {
		s.look(&s.tracks[i])
	}
	return s.most
}
