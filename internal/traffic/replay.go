package traffic

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
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
	files  []*traceFile
	taken  int64 // requests of all files
	bad    leftOut
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
	defer t.close()
	merged, err := t.open()
	if err != nil {
		return err
	}
	if err := t.pump(merged); err != nil || t.stopped {
		return err
	}
	if t.taken == 0 {
		return fmt.Errorf("%s: no requests are left after skip %d; want at least one",
			message.Path(t.phase.Trace.nameOf(t.phase.Trace.File)), t.phase.Trace.Skip)
	}
	t.player.spread += t.spread.spread
	t.note()
	return nil
}

// open opens every file and finds its first request.
func (t *tracePass) open() (*merger, error) {
	trace, m := *t.phase.Trace, &merger{}
	if len(trace.More) > 0 { // skip and limit are for what is merged, not for each file
		m.skip, m.limit = trace.Skip, trace.Limit
		trace.Skip, trace.Limit = 0, 0
	}
	for _, path := range trace.files() {
		f, err := openTraceFile(trace, path, &t.bad)
		if err != nil {
			return nil, err
		}
		t.files = append(t.files, f)
		if err := m.add(f); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (t *tracePass) close() {
	for _, f := range t.files {
		f.close()
	}
}

// pump takes the requests in the order of time until the trace or the phase ends.
func (t *tracePass) pump(m *merger) error {
	for {
		e, err := m.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		t.taken++
		if more, err := t.take(e); !more {
			return err
		}
	}
	if !t.spread.flush(t.emit, false) {
		return t.failed
	}
	return nil
}

// take hands one entry to the spreader.
func (t *tracePass) take(e entry) (more bool, err error) {
	if !t.begun {
		t.begun, t.firstUS = true, e.at
	}
	more, err = t.spread.add(e, t.emit)
	if err != nil {
		return false, fmt.Errorf("%s:%d: %w", e.file.name, e.line, err)
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
			e.file.name, e.line, limit.FormatDuration(limit.MaxWindow))
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

// note records what was found out about the files.
func (t *tracePass) note() {
	add := func(format string, args ...any) {
		t.notes = append(t.notes, message.Path(t.phase.Trace.Title())+": "+fmt.Sprintf(format, args...))
	}
	var read, outOfOrder int64
	for _, f := range t.files {
		read += f.sorter.seen
		outOfOrder += f.sorter.outOfOrder
		t.noteFile(f)
	}
	if t.spread.spread > 0 {
		add("%d of %d requests say no more than the second; they were spread within it (within_second: %s)",
			t.spread.spread, read, cmp.Or(t.spread.rule, Even))
	}
	if t.bad.count > 0 {
		n := int(t.bad.count)
		add("%s %s left out that %s: %s", message.Count(n, "line"), message.Verb(n, "was", "were"),
			message.Verb(n, "is no request", "are no requests"), t.bad.text())
	}
	switch {
	case t.several || t.key == "" || read < manyRequests:
	case t.phase.Trace.Key == "" && t.key == string(oneKey):
		add("all %d requests are under one limit: --trace-key names the column or field that tells clients apart", read)
	default:
		add("all %d requests are of one client, %s: is that a proxy or a virtual host in front? --trace-key takes "+
			"another field", read, message.Quote(t.key))
	}
	if outOfOrder > 0 {
		add("%d of %d lines were out of order and were sorted", outOfOrder, read)
	}
}

// noteFile tells how one file is written; what is true of several is said once, of the first.
func (t *tracePass) noteFile(f *traceFile) {
	for _, text := range f.notes() {
		if !slices.ContainsFunc(t.notes, func(note string) bool { return strings.HasSuffix(note, ": "+text) }) {
			t.notes = append(t.notes, filepath.Base(f.scan.lines.src.name)+": "+text)
		}
	}
}

// text are the lines that are shown, in one line.
func (l *leftOut) text() string {
	shown := make([]string, len(l.shown))
	for i, err := range l.shown {
		shown[i] = err.Error()
	}
	more := ""
	if l.count > int64(len(shown)) {
		more = "; …"
	}
	return strings.Join(shown, "; ") + more
}
