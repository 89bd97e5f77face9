package replay_test

import (
	"iter"
	"runtime"
	"testing"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/replay"
)

// passing is a million requests, 100 µs apart. Each client makes ten requests in a row.
type passing struct{}

const (
	passingRequests = 1_000_000
	visits          = 10
)

func (passing) Requests() iter.Seq2[limit.Request, error] {
	return func(yield func(limit.Request, error) bool) {
		for i := range int64(passingRequests) {
			if !yield(limit.Request{AtUS: i * 100, Key: key(i / visits), Cost: 1}, nil) {
				return
			}
		}
	}
}

func (passing) Duration() (time.Duration, bool) {
	return passingRequests * 100 * time.Microsecond, true
}

// The memory does not depend on the length of the traffic. It grows with the keys in use. For each distinct key, it
// also grows by a hash that counts the key (16 bytes, or up to three times as much while the table grows), and by the
// place of its window in each meter (4 bytes).
func TestMemoryDoesNotGrowWithTheTraffic(t *testing.T) {
	if testing.Short() {
		t.Skip("collects the garbage of a million requests")
	}
	var early, late uint64
	progress := func(n int64) {
		switch {
		case early == 0 && n >= passingRequests/10:
			early = heap()
		case late == 0 && n >= passingRequests*95/100:
			late = heap()
		}
	}
	p := policy(t, "5/10ms")
	rows := []replay.Row{modelRow(t, "gcra", p), modelRow(t, "sliding-window-log", p)}
	// small batches, because the number of batches in memory at the measurement is random
	run(t, passing{}, p, rows, replay.Options{Progress: progress, Batch: 1024})
	// The time at which a map's table grows depends on the hash seed. This is a difference of about 3 MB. A leak of
	// eight bytes per request would be 7 MB.
	const perKey, slack = 24 + 3*4, 6 << 20
	grown := int64(late) - int64(early)
	t.Logf("heap %d KB after a tenth, %d KB at the end", early>>10, late>>10)
	if most := int64(perKey*passingRequests/visits + slack); grown > most {
		t.Errorf("the heap grew by %d bytes for %d keys; want at most %d", grown, passingRequests/visits, most)
	}
}

// heap returns the bytes of the heap that are in use after a garbage collection.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
