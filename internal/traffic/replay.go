package traffic

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/message"
)

const (
	secondUS = 1_000_000
	// maxPerSecond bounds how many requests of one second are held to be spread.
	maxPerSecond = 1 << 20
	// maxTraceUS is the longest that a trace may last, after its speed is applied.
	maxTraceUS = int64(limit.MaxWindow / time.Microsecond)
)

// Reasons why a pass ends before the trace does.
var (
	errStopped = errors.New("the consumer wants no more")
	errOver    = errors.New("the phase is over")
)

// tracePass is one pass over a trace: merge, spread, scale.
type tracePass struct {
	*player
	phase Phase
	files []*traceFile
	left  []*traceFile // those with requests left, the earliest first
	ended error        // what ends the reading, after the requests that were read before it
	taken int64        // requests of all files, those that are left out at first included
	all   shared
	held  []entry // of one second, since the first that is whole, until the next second begins
	empty int     // files without a line

	shares map[string]*share // by key of the second that is held
	groups []*share          // of held

	key     string // the first request's
	several bool   // there are other keys
	endUS   int64  // where the last timestamp's unit ends, from the phase's start
}

// share is a key's part of a second: requests whose time is whole, and how many have their place.
type share struct{ requests, placed int64 }

// Began is the time of the trace's first request in microseconds since 1970. Its errors are those of reading.
func (t Trace) Began() (us int64, err error) {
	p := player{yield: func(_ limit.Request, failed error) bool {
		err = failed
		return false
	}}
	p.replay(Phase{Trace: &t})
	return p.firstUS, err
}

// replay yields a trace's requests; it reports whether the next phase may follow.
func (p *player) replay(phase Phase) bool {
	t := tracePass{player: p, phase: phase, shares: map[string]*share{},
		all: shared{allowed: phase.Trace.Bad, spare: 1 + runtime.GOMAXPROCS(0)}}
	before := p.spread
	err := t.run()
	for _, f := range t.files {
		f.drop()
		f.Close()
	}
	switch trace := phase.Trace; {
	case err == errStopped:
		return false
	case err == nil && t.taken == 0:
		err = fmt.Errorf("%s: no requests in it; want at least one", message.Path(trace.nameOf(trace.File)))
	case err == nil && t.taken <= trace.Skip:
		err = fmt.Errorf("%s: no requests are left after skip %d; want at least one",
			message.Path(trace.nameOf(trace.File)), trace.Skip)
	}
	if err != nil && err != errOver {
		p.yield(limit.Request{}, err)
		return false
	}
	t.note(t.taken-phase.Trace.Skip, p.spread-before)
	p.startUS += cmp.Or(phase.Duration.Microseconds(), t.endUS)
	return true
}

// run takes the requests in the order of time until the trace or the phase ends.
func (t *tracePass) run() error {
	trace := t.phase.Trace
	if t.phase.ordered != nil {
		t.firstUS, t.taken = t.phase.firstUS, 1
		file := &traceFile{text: &text{records: records{name: "a shard"}}} // for messages
		for q, whole := range t.phase.ordered {
			if err := t.take(entry{at: q.AtUS, whole: whole, key: q.Key, cost: int32(q.Cost), file: file}); err != nil {
				return err
			}
		}
		return t.release()
	}
	for _, path := range trace.files() {
		f, err := trace.openFile(path, &t.all)
		if errors.Is(err, ErrEmpty) && t.empty < len(trace.More) { // one at least is not
			t.empty++
			continue
		}
		if err != nil {
			return err
		}
		t.files = append(t.files, f)
		if f.head, err = f.next(); err == io.EOF {
			continue
		} else if err != nil {
			return err
		}
		f.firstUS = f.head.at
		t.left = append(t.left, f)
	}
	slices.SortStableFunc(t.left, before)
	for trace.Limit == 0 || t.taken-trace.Skip < trace.Limit {
		e, err := t.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if t.taken++; t.taken <= trace.Skip {
			continue
		}
		if t.taken == trace.Skip+1 {
			t.firstUS = e.at
		}
		if err := t.take(e); err != nil {
			return err
		}
	}
	return t.release()
}

// before orders files by their next requests. Of two of one instant that one is first whose file begins earlier: within
// the second in which logs were rotated, the old log's requests are the older ones.
func before(a, b *traceFile) int {
	return cmp.Or(cmp.Compare(a.head.at, b.head.at), cmp.Compare(a.firstUS, b.firstUS), cmp.Compare(a.name, b.name))
}

// next gives the next request of all files; io.EOF after the last. They are one log: rotated ones that follow each
// other, or those of several servers. The order in which they were named does not matter.
func (t *tracePass) next() (entry, error) {
	if t.ended != nil || len(t.left) == 0 {
		return entry{}, cmp.Or(t.ended, io.EOF)
	}
	first := t.left[0]
	e := first.head
	if first.head, t.ended = first.next(); t.ended == io.EOF {
		t.left, t.ended = t.left[1:], nil
	}
	for i := 1; i < len(t.left) && before(t.left[i-1], t.left[i]) > 0; i++ {
		t.left[i-1], t.left[i] = t.left[i], t.left[i-1]
	}
	return e, nil
}

// take takes the next request in time, and emits what is settled.
func (t *tracePass) take(e entry) error {
	if len(t.held) > 0 && e.at-t.held[0].at >= secondUS {
		if err := t.release(); err != nil {
			return err
		}
	}
	if t.phase.Trace.WithinSecond == AtStart || len(t.held) == 0 && !e.whole {
		return t.emit(e)
	}
	if len(t.held) >= maxPerSecond {
		return fmt.Errorf("%s:%d: more than %s requests carry the same second; want finer timestamps, or "+
			"within_second: at_once", e.file.name, e.line, message.Grouped(maxPerSecond))
	}
	t.held = append(t.held, e)
	return nil
}

// release emits the requests held. Those of one key whose time is the whole second are spread evenly over it.
func (t *tracePass) release() error {
	clear(t.shares)
	t.groups = t.groups[:0]
	for _, e := range t.held {
		var s *share
		if e.whole {
			if s = t.shares[e.key]; s == nil {
				s = &share{}
				t.shares[e.key] = s
			}
			s.requests++
		}
		t.groups = append(t.groups, s)
	}
	if len(t.shares) < len(t.held) {
		for i, s := range t.groups {
			if s != nil && s.requests > 1 {
				t.held[i].at += s.placed * secondUS / s.requests
				t.spread++
				s.placed++
			}
		}
		slices.SortStableFunc(t.held, func(a, b entry) int { return cmp.Compare(a.at, b.at) })
	}
	for _, e := range t.held {
		if err := t.emit(e); err != nil {
			return err
		}
	}
	t.held = t.held[:0]
	return nil
}

// emit yields one request at its place in the phase.
func (t *tracePass) emit(e entry) error {
	at := t.scale(e.at - t.firstUS)
	if t.phase.Duration > 0 && at >= t.phase.Duration.Microseconds() {
		return errOver
	}
	if at > maxTraceUS {
		return fmt.Errorf("%s:%d: the trace lasts longer than %v; want less, or a higher speed",
			e.file.name, e.line, limit.FormatDuration(limit.MaxWindow))
	}
	t.endUS, t.lastUS = at+1, e.at
	if e.whole { // the whole second belongs to the trace
		t.endUS = max(t.endUS, t.scale(e.at-e.at%secondUS+secondUS-t.firstUS))
	}
	if t.count++; t.key == "" {
		t.key = e.key
	}
	t.several = t.several || e.key != t.key
	if !t.yield(limit.Request{AtUS: t.startUS + at, Key: e.key, Cost: int64(e.cost)}, nil) {
		return errStopped
	}
	return nil
}

func (t *tracePass) scale(us int64) int64 {
	if speed := t.phase.Trace.Speed; speed != 0 && speed != 1 {
		return int64(min(float64(us)/speed, 1<<62))
	}
	return us
}

// note records what was found out about the files, which had so many requests, of which spread were given a place
// within their second.
func (t *tracePass) note(requests, spread int64) {
	log := Log{Requests: requests, Spread: spread, Bad: t.all.count, Shown: t.all.shown, Empty: t.empty}
	for _, f := range t.files {
		log.Files = append(log.Files, f.found())
	}
	if !t.several {
		log.Key = t.key
	}
	t.outcome.note(t.phase.Trace, &log)
}

// note adds what was found of a log.
func (o *outcome) note(t *Trace, l *Log) {
	add := func(format string, args ...any) {
		o.notes = append(o.notes, message.Path(t.Title())+": "+fmt.Sprintf(format, args...))
	}
	var seen, outOfOrder int64
	for _, f := range l.Files {
		seen += f.Requests
		outOfOrder += f.OutOfOrder
		if !slices.Contains(o.formats, f.Format) {
			o.formats = append(o.formats, f.Format)
		}
		for _, note := range f.Notes { // what is true of several is said once, of the first
			text := note.String()
			said := func(note string) bool { return strings.HasSuffix(note, ": "+text) }
			if text != "" && !slices.ContainsFunc(o.notes, said) {
				o.notes = append(o.notes, filepath.Base(f.Name)+": "+text)
			}
		}
	}
	if l.Spread > 0 {
		add("%d of %d requests share a whole second with others of their key; they were spread evenly over it "+
			"(within_second: even)", l.Spread, l.Requests)
	}
	if n := int(l.Bad); n > 0 {
		shown := l.Shown
		if n > len(shown) {
			shown = append(slices.Clip(shown), "…")
		}
		add("%s %s left out that %s: %s", message.Count(n, "line"), message.Verb(n, "was", "were"),
			message.Verb(n, "is no request", "are no requests"), strings.Join(shown, "; "))
	}
	switch {
	case l.Key == "" || l.Requests < 2:
	case t.Key == NoKey:
	case l.Key == string(oneKey):
		add("all %d requests are under one limit: --trace-key names the column or field that tells clients apart",
			l.Requests)
	default:
		add("all %d requests are of one client, %s: is that a proxy or a virtual host in front? --trace-key takes "+
			"another field", l.Requests, message.Quote(l.Key))
	}
	if l.Empty > 0 {
		add("%s %s left out that %s empty", message.Count(l.Empty, "file"), message.Verb(l.Empty, "was", "were"),
			message.Verb(l.Empty, "is", "are"))
	}
	if outOfOrder > 0 {
		add("%d of %d lines were out of order and were sorted", outOfOrder, seen)
	}
}
