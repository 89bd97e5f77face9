package virtualtime

import (
	"container/heap"
	"math"
	"strings"
)

const forever = math.MaxInt64

// living records the keys that the scripts have left on the server. For each key it has a lower bound of the deadline,
// in virtual milliseconds. These keys have to be swept, inspected before the clock steps back, and deleted at the end.
// Without sweeps, expired keys would stay, and the server's memory would grow with the length of a trace. If a key is
// missing before its bound, it was lost.
type living struct {
	deadline map[string]int64
	due      dueHeap
	swept    int // number of keys after the last sweep
}

// Values that PEXPIRETIME returns in the place of a deadline: the key has none, or does not exist.
const (
	endless = -1
	gone    = -2
)

// set records key's deadline, or endless, or gone. The key may alias a reply.
func (l *living) set(key string, deadline int64) {
	switch deadline {
	case gone:
		delete(l.deadline, key)
		return
	case endless:
		deadline = forever
	}
	known, ok := l.deadline[key]
	if ok && known == deadline {
		return
	}
	if !ok {
		key = strings.Clone(key)
	}
	l.deadline[key] = deadline
	if deadline == forever {
		return
	}
	if len(l.due) > 2*len(l.deadline)+64 {
		l.rebuild()
	} else {
		heap.Push(&l.due, dueKey{key, deadline})
	}
}

// lives reports whether key must be on the server at nowMS: it existed when it was last inspected, and has not expired.
func (l *living) lives(key string, nowMS int64) bool {
	deadline, known := l.deadline[key]
	return known && deadline >= nowMS
}

// rebuild removes entries that later deadlines have replaced. Otherwise a key that is set a million times would have a
// million entries.
func (l *living) rebuild() {
	l.due = l.due[:0]
	for key, at := range l.deadline {
		if at != forever {
			l.due = append(l.due, dueKey{key, at})
		}
	}
	heap.Init(&l.due)
}

// crowded reports whether the number of keys has doubled since the last sweep. So the cost of sweeping is constant per
// new key.
func (l *living) crowded() bool { return len(l.deadline) >= 2*l.swept+1024 }

// expired returns the keys whose known deadline lies before nowMS, and removes them from the heap.
func (l *living) expired(nowMS int64) []string {
	var keys []string
	for len(l.due) > 0 && l.due[0].at < nowMS {
		d := heap.Pop(&l.due).(dueKey)
		if l.deadline[d.key] == d.at {
			keys = append(keys, d.key)
		}
	}
	return keys
}

type dueKey struct {
	key string
	at  int64
}

type dueHeap []dueKey

func (h dueHeap) Len() int           { return len(h) }
func (h dueHeap) Less(i, j int) bool { return h[i].at < h[j].at }
func (h dueHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *dueHeap) Push(x any)        { *h = append(*h, x.(dueKey)) }
func (h *dueHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}
