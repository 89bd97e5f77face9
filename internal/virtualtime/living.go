package virtualtime

import (
	"container/heap"
	"math"
	"strings"
)

const forever = math.MaxInt64

// living remembers the keys that the scripts have left on the server, with a lower bound of each deadline in
// virtual milliseconds: what has to be swept, looked at before the clock steps back, and, at the end, deleted. Expired
// keys that nobody touches would otherwise stay, and a trace's memory grow with its length. A key that is missing
// before its bound has been lost.
type living struct {
	deadline map[string]int64
	due      dueHeap
	swept    int // living keys after the last sweep
}

// What stands in place of a deadline, as PEXPIRETIME answers it.
const (
	endless = -1
	gone    = -2
)

// set records key's deadline, or that it has none or is gone. The key may alias a reply.
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

// lives reports whether key must be on the server at nowMS: it was there after the last look at it, and has not
// expired.
func (l *living) lives(key string, nowMS int64) bool {
	deadline, known := l.deadline[key]
	return known && deadline >= nowMS
}

// rebuild drops the entries that later deadlines have replaced: a key that comes back a million times is one key.
func (l *living) rebuild() {
	l.due = l.due[:0]
	for key, at := range l.deadline {
		if at != forever {
			l.due = append(l.due, dueKey{key, at})
		}
	}
	heap.Init(&l.due)
}

// crowded reports whether the keys have doubled since the last sweep: then a sweep costs each key that came since
// a constant amount.
func (l *living) crowded() bool { return len(l.deadline) >= 2*l.swept+1024 }

// expired takes the keys whose deadline, as far as it is known, lies before nowMS.
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
