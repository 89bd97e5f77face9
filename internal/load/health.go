package load

import "time"

// Health is what the generator suffered itself while it measured. What counts is watched, not the warming up.
type Health struct {
	Watched time.Duration // for how long
	Beats   int64         // of the heartbeat: a thread that sleeps a millisecond at a time

	// LongestStall is the most that a beat was late: for so long at least nothing of this process ran in time,
	// because it was stopped, swapped out, or the processors were somebody else's.
	LongestStall time.Duration
	StalledAt    time.Time // when it began

	// of the runtime's stop-the-world phases, from its own histogram: upper bounds
	GCPauseP999, GCPauseMax time.Duration
	GCPauses                uint64
	SchedLatencyP99         time.Duration // how long a goroutine that could run waited for a processor: an upper bound

	// CPU is the processor time of the process, user and system, or -1 where the system does not tell. Cores is what
	// it may use: GOMAXPROCS, which respects a container's quota.
	CPU   time.Duration
	Cores int

	// ClockStep is how far the wall clock went beyond the monotonic one: somebody set it, or it is being slewed.
	ClockStep time.Duration

	stalls []span // of more than MostStall
}

// leastWatched is how long a process must have been watched so that its processor time tells something: the kernel
// brings it up to date every few milliseconds, and a run of 1 ms took 1364 % of its processors.
const leastWatched = 100 * time.Millisecond

// CPUShare is the part of the processors' time that the process took, 0 to 1, or -1 where that is not known.
func (h Health) CPUShare() float64 {
	if h.CPU < 0 || h.Watched < leastWatched || h.Cores == 0 {
		return -1
	}
	return float64(h.CPU) / float64(h.Watched) / float64(h.Cores)
}

// watch is a Health in the making.
type watch struct {
	clock  Stopwatch
	quit   chan struct{}
	health chan Health
}

// watchHealth watches from an instant on until stop.
func watchHealth(clock Stopwatch, from time.Duration) *watch {
	w := &watch{clock: clock, quit: make(chan struct{}), health: make(chan Health, 1)}
	go w.run(from)
	return w
}

// stop ends the watch. Where it never came to the instant from, the Health is empty.
func (w *watch) stop() Health {
	close(w.quit)
	return <-w.health
}

// beat is how long the heartbeat sleeps.
const beat = time.Millisecond

// run beats on a thread of its own, as the pacer does, so that both suffer the same.
func (w *watch) run(from time.Duration) {
	w.clock.ownThread()
	for w.clock.Now() < from {
		if w.over() {
			w.health <- Health{CPU: -1}
			return
		}
		w.clock.Nap(min(beat, from-w.clock.Now()))
	}
	before := gauge()
	began := w.clock.Now()
	var h Health
	for at := began; !w.over(); h.Beats++ {
		w.clock.Nap(beat)
		now := w.clock.Now()
		if late := now - at - beat; late > h.LongestStall {
			h.LongestStall, h.StalledAt = late, w.clock.Origin.Add(now-late)
		}
		if late := now - at - beat; late > MostStall {
			h.stalls = append(h.stalls, span{now - late, now})
		}
		at = now
	}
	h.Watched = w.clock.Now() - began
	h.since(before)
	w.health <- h
}

// over reports whether the watch is to end.
func (w *watch) over() bool {
	select {
	case <-w.quit:
		return true
	default:
		return false
	}
}
