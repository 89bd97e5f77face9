package load

import (
	"maps"
	"slices"
	"time"
)

// sample is one call; its instants are since the start of the part that counts, so warming up is negative.
type sample struct {
	due, handed, written, replied time.Duration
	bytesWritten, bytesRead       int32
	allowed                       bool
}

// sheetSize is how many samples a worker writes down before it passes them on.
const sheetSize = 256

// collector turns samples into histograms on a goroutine of its own, so that a histogram has one writer. Workers only
// note instants, on sheets that they pass on when these are full.
//
// Note: a set of histograms per worker and interval, merged at the interval's end, stops all workers for some
// milliseconds there, and fifty workers hold fifty megabytes of them.
type collector struct {
	sheets  chan []sample
	blank   chan []sample
	closed  bool // closed loop: nothing is due
	widthUS int64

	intervals map[int64]*Interval
	totals    totals
	waited    waited
}

// totals are sums over the calls that count, and over those that warm up.
type totals struct {
	accepted, rejected, warmUp, overflow, bytesWritten, bytesRead int64
	firstWritten, lastWritten, lastReplied                        time.Duration
}

func newCollector(closed bool, widthUS int64) *collector {
	if widthUS <= 0 {
		widthUS = defaultIntervalUS
	}
	return &collector{
		sheets: make(chan []sample, 256), blank: make(chan []sample, 256),
		closed: closed, widthUS: widthUS, intervals: map[int64]*Interval{},
	}
}

// defaultIntervalUS is the width of the intervals where none is asked for.
const defaultIntervalUS = 1_000_000

// run collects until the sheets are closed.
func (c *collector) run() {
	for sheet := range c.sheets {
		for i := range sheet {
			c.add(&sheet[i])
		}
		select {
		case c.blank <- sheet[:0]:
		default: // enough blank ones lie about
		}
	}
}

// sheet is a blank sheet, used before if possible.
func (c *collector) sheet() []sample {
	select {
	case s := <-c.blank:
		return s
	default:
		return make([]sample, 0, sheetSize)
	}
}

// add counts one call.
func (c *collector) add(s *sample) {
	c.waited.note(s)
	at := s.due
	if c.closed {
		at = s.written
	}
	if at < 0 {
		c.totals.warmUp++
		return
	}
	t := &c.totals
	if t.accepted+t.rejected == 0 || s.written < t.firstWritten {
		t.firstWritten = s.written
	}
	t.lastWritten, t.lastReplied = max(t.lastWritten, s.written), max(t.lastReplied, s.replied)
	t.bytesWritten += int64(s.bytesWritten)
	t.bytesRead += int64(s.bytesRead)
	if s.allowed {
		t.accepted++
	} else {
		t.rejected++
	}
	c.record(c.interval(at.Microseconds()/c.widthUS), s)
}

// interval finds or begins an interval: the sheets of the workers come in any order.
func (c *collector) interval(index int64) *Interval {
	i := c.intervals[index]
	if i == nil {
		i = &Interval{StartUS: index * c.widthUS, WidthUS: c.widthUS, accepted: newQuartet(), rejected: newQuartet()}
		c.intervals[index] = i
	}
	return i
}

// record puts the times of a call into its interval.
func (c *collector) record(i *Interval, s *sample) {
	q := &i.rejected
	if s.allowed {
		q = &i.accepted
		i.Accepted++
	} else {
		i.Rejected++
	}
	c.put(q, service, s.replied-s.written)
	if !c.closed {
		c.put(q, lag, s.handed-s.due)
		c.put(q, wait, s.written-s.handed)
		c.put(q, response, s.replied-s.due)
	}
}

// put records one duration, or counts it as overflow.
func (c *collector) put(q *quartet, kind int, d time.Duration) {
	us := max(0, int64((d+time.Microsecond/2)/time.Microsecond))
	if us > MostUS || q[kind].RecordValue(us) != nil {
		c.totals.overflow++
	}
}

// series are the intervals in their order.
func (c *collector) series() []*Interval {
	all := slices.Collect(maps.Values(c.intervals))
	slices.SortFunc(all, func(a, b *Interval) int { return int(a.StartUS/a.WidthUS - b.StartUS/b.WidthUS) })
	return all
}
