package traffic

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/message"
)

// maxTraceUS is the longest that a trace may last, after its speed is applied.
const maxTraceUS = int64(limit.MaxWindow / time.Microsecond)

// tracePass is one pass over a trace: scan, sort, spread, scale.
type tracePass struct {
	*player
	phase  Phase
	sorter reorder
	spread spreader

	begun   bool
	key     string // the first request's
	several bool   // there are other keys
	firstUS int64  // the first request's timestamp, which is the phase's start
	endUS   int64  // where the last timestamp's unit ends, from the phase's start
	stopped bool   // the consumer wants no more
	failed  error  // a request beyond maxTraceUS
}

// replay yields a trace's requests; it reports whether the next phase may follow.
func (p *player) replay(phase Phase) bool {
	t := tracePass{player: p, phase: phase}
	t.spread = spreader{rule: phase.Trace.WithinSecond, random: Random(p.seed, phase.Name, "within-second")}
	err := t.run()
	if t.stopped {
		return false
	}
	if err != nil {
		p.yield(limit.Request{}, err)
		return false
	}
	if phase.Duration > 0 {
		p.startUS += phase.Duration.Microseconds()
	} else {
		p.startUS += t.endUS
	}
	return true
}

func (t *tracePass) run() error {
	src, err := openSource(t.phase.Trace.File)
	if err != nil {
		return err
	}
	defer src.close()
	s, err := newScanner(*t.phase.Trace, src)
	if err != nil {
		return err
	}
	if err := t.pump(s); err != nil || t.stopped {
		return err
	}
	if t.sorter.seen == 0 {
		return fmt.Errorf("%s: no requests are left after skip %d; want at least one", src.name, t.phase.Trace.Skip)
	}
	t.note(s)
	return nil
}

// pump moves entries from the scanner through the sorter until the file or the phase ends.
func (t *tracePass) pump(s *scanner) error {
	for {
		e, err := s.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if err := t.sorter.push(e); err != nil {
			return s.at(err)
		}
		for t.sorter.ready() {
			if more, err := t.release(s); !more {
				return err
			}
		}
	}
	for len(t.sorter.heap) > 0 {
		if more, err := t.release(s); !more {
			return err
		}
	}
	if !t.spread.flush(t.emit, false) {
		return t.failed
	}
	return nil
}

// release takes one entry from the sorter to the spreader.
func (t *tracePass) release(s *scanner) (more bool, err error) {
	e := t.sorter.pop()
	if !t.begun {
		t.begun, t.firstUS = true, e.at
	}
	more, err = t.spread.add(e, t.emit)
	if err != nil {
		return false, fmt.Errorf("%s:%d: %w", s.lines.src.name, e.line, err)
	}
	return more, t.failed
}

// emit yields one request at its place in the phase.
func (t *tracePass) emit(e entry) bool {
	at := t.scale(e.at - t.firstUS)
	if t.phase.Duration > 0 && at >= t.phase.Duration.Microseconds() {
		return false
	}
	if at > maxTraceUS {
		t.failed = fmt.Errorf("%s:%d: the trace lasts longer than %v; want less, or a higher speed",
			message.Path(t.phase.Trace.File), e.line, limit.FormatDuration(limit.MaxWindow))
		return false
	}
	t.endUS = at + 1
	if e.whole { // the whole second belongs to the trace
		second := e.at - e.at%secondUS
		t.endUS = max(t.endUS, t.scale(second+secondUS-t.firstUS))
	}
	if t.count++; t.key == "" {
		t.key = e.key
	}
	t.several = t.several || e.key != t.key
	if !t.yield(limit.Request{AtUS: t.startUS + at, Key: e.key, Cost: e.cost}, nil) {
		t.stopped = true
		return false
	}
	return true
}

func (t *tracePass) scale(us int64) int64 {
	if speed := t.phase.Trace.speed(); speed != 1 {
		return int64(min(float64(us)/speed, 1<<62))
	}
	return us
}

// manyRequests are so many that one client is not expected to send all of them.
const manyRequests = 100

// note records what was found out about the file.
func (t *tracePass) note(s *scanner) {
	add := func(format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		t.notes = append(t.notes, message.Path(filepath.Base(t.phase.Trace.File))+": "+text)
	}
	if s.guessed != "" {
		add("the format was guessed to be %s", s.guessed)
	}
	for _, n := range s.format.notes() {
		add("%s", n)
	}
	if t.spread.spread > 0 {
		rule := t.spread.rule
		if rule == "" {
			rule = Even
		}
		add("%d of %d requests say no more than the second; they were spread within it (within_second: %s)",
			t.spread.spread, t.sorter.seen, rule)
	}
	if n := int64(len(s.bad)) + s.badMore; n > 0 {
		shown := make([]string, len(s.bad))
		for i, err := range s.bad {
			shown[i] = err.Error()
		}
		more := ""
		if s.badMore > 0 {
			more = "; …"
		}
		add("%s were left out that are no requests: %s%s", message.Count(n, "line"), strings.Join(shown, "; "), more)
	}
	if !t.several && t.key != "" && t.sorter.seen >= manyRequests {
		add("all %d requests are of one client, %s: is that a proxy or a virtual host in front? --trace-key takes "+
			"another field", t.sorter.seen, message.Quote(t.key))
	}
	if t.sorter.outOfOrder > 0 {
		add("%d of %d lines were out of order and were sorted", t.sorter.outOfOrder, t.sorter.seen)
	}
}
