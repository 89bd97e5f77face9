package load

import "time"

// Result is what a run of either kind measured, warming up apart. Instants are since the start of what counts.
type Result struct {
	Start   time.Time // the wall clock's time at which what counts began
	Pacer   string    // how the generator waits: PacerNanosleep or PacerTimer
	Workers int
	Stopped bool // ended early by Stop: what follows is of what had been sent by then

	Accepted, Rejected int64
	Sent               int64 // = Accepted + Rejected: the calls that count
	WarmUp             int64 // calls before that
	Overflow           int64 // durations of more than MostUS, which no histogram has

	// BytesWritten and BytesRead are counted where they pass into and out of the connection, which holds for a user's
	// server too: the server's own totals include everybody else's.
	BytesWritten, BytesRead int64

	FirstWritten, LastWritten, LastReplied time.Duration

	OfAccepted, OfRejected Durations
	Intervals              []*Interval // those in which something was sent, in order

	Health  Health
	Silence Silence // the server's longest, if it was longer than MostSilence
}

// Overall are the times of accepted and rejected calls together.
func (r *Result) Overall() Durations {
	d := NewDurations()
	d.Merge(r.OfAccepted)
	d.Merge(r.OfRejected)
	return d
}

// Interval is a slice of a run: the calls that were due in it, or written in it where nothing is due.
type Interval struct {
	StartUS, WidthUS   int64 // since the start of what counts
	Accepted, Rejected int64

	accepted, rejected quartet
}

// OfAccepted are the times of the interval's accepted calls, as a copy.
func (i *Interval) OfAccepted() Durations { return i.accepted.dense() }

// OfRejected are the times of the interval's rejected calls, as a copy.
func (i *Interval) OfRejected() Durations { return i.rejected.dense() }

func (q quartet) dense() Durations {
	d := NewDurations()
	q.addTo(d)
	return d
}

// result sums up what was collected.
func (c *collector) result(clock Stopwatch, start time.Duration, workers int) Result {
	t := c.totals
	r := Result{
		Start: clock.Origin.Add(start), Pacer: clock.Pacer, Workers: workers,
		Accepted: t.accepted, Rejected: t.rejected, Sent: t.accepted + t.rejected, WarmUp: t.warmUp,
		Overflow:     t.overflow,
		BytesWritten: t.bytesWritten, BytesRead: t.bytesRead,
		FirstWritten: t.firstWritten, LastWritten: t.lastWritten, LastReplied: t.lastReplied,
		OfAccepted: NewDurations(), OfRejected: NewDurations(), Intervals: c.series(),
	}
	for _, i := range r.Intervals {
		i.accepted.addTo(r.OfAccepted)
		i.rejected.addTo(r.OfRejected)
	}
	return r
}

// rate is n events per second from first to last, the gaps between them counted; 0 where there is no gap.
func rate(n int64, first, last time.Duration) float64 {
	if n < 2 || last <= first {
		return 0
	}
	return float64(n-1) / (last - first).Seconds()
}
