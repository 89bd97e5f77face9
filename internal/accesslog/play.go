package accesslog

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/traffic"
)

const (
	secondUS = 1_000_000
	// maxPerSecond is the most requests of one second that are held to be spread.
	maxPerSecond = 1 << 20
	// maxTraceUS is the longest duration of a trace, after its speed is applied.
	maxTraceUS = int64(limit.MaxWindow / time.Microsecond)
)

// errEnough ends a play early: the phase is over, or the consumer wants no more.
var errEnough = errors.New("no more requests are wanted")

// player plays a log once. It takes the requests in the order of time, spreads requests with whole-second times over
// their second, and applies the speed.
type player struct {
	*Log
	trace Trace
	speed float64
	lasts time.Duration // of the phase; 0: as long as the log
	yield func(limit.Request) bool

	held   []entry // requests of one second, from the first whole-second one until the next second begins
	shares map[string]*share
	groups []*share // the share of each request in held, or nil
	key    string   // the key of the first request
	few    map[string]bool

	begun  bool    // a request has been put
	long   entry   // the request that takes the longest
	starts reorder // requests that are stamped when they end, by their starts
}

// share counts a key's whole-second requests in one second, and how many of them have been placed.
type share struct{ requests, placed int64 }

func (t Trace) player(l *Log, lasts time.Duration, yield func(limit.Request) bool) *player {
	return &player{Log: l, trace: t, speed: cmp.Or(t.Speed, 1), lasts: lasts, yield: yield, shares: map[string]*share{},
		few: map[string]bool{}}
}

// Began returns the time of the trace's first request in microseconds since 1970. Errors are read errors.
func (t Trace) Began() (us int64, err error) {
	p := t.player(&Log{}, 0, func(limit.Request) bool { return false })
	if err = p.read(); err == errEnough {
		err = nil
	}
	return p.FirstUS, err
}

// Play implements traffic.Recorded.
func (t Trace) Play(lasts time.Duration, found *traffic.Pass, yield func(limit.Request) bool) error {
	p := t.player(&Log{}, lasts, yield)
	return p.end(p.read(), found)
}

// read plays the files of the trace.
func (p *player) read() error {
	trace := &p.trace
	m := merger{shared: shared{allowed: trace.Bad, spare: 1 + runtime.GOMAXPROCS(0)}}
	defer m.close(p.Log)
	if err := m.open(trace); err != nil {
		return err
	}
	taken := int64(0) // counts also the requests that Skip leaves out
	for trace.Limit == 0 || p.Requests < trace.Limit {
		e, err := m.earliest()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if taken++; taken <= trace.Skip {
			continue
		}
		if err := p.take(e); err != nil {
			return err
		}
	}
	switch name := message.Path(trace.nameOf(trace.File)); {
	case taken == 0 && m.unlike() != "":
		return fmt.Errorf("%s: no requests are left: %s", name, m.unlike())
	case taken == 0 && m.count > 0:
		return fmt.Errorf("%s: no requests in it; want at least one; of %s left out the first is %s", name,
			message.Count(m.count, "line"), m.shown[0])
	case taken == 0:
		return fmt.Errorf("%s: no requests in it; want at least one", name)
	case p.Requests == 0:
		return fmt.Errorf("%s: no requests are left after skip %d; want at least one", name, trace.Skip)
	}
	if err := p.release(); err != nil {
		return err
	}
	for p.starts.waiting() > 0 {
		if err := p.put(p.starts.pop()); err != nil {
			return err
		}
	}
	return nil
}

// take takes the next request in the order of time, and emits the requests whose places are final.
func (p *player) take(e entry) error {
	p.Requests++
	if len(p.held) > 0 && e.at-p.held[0].at >= secondUS {
		if err := p.release(); err != nil {
			return err
		}
	}
	if p.trace.WithinSecond == AtStart || len(p.held) == 0 && !e.whole {
		return p.emit(e)
	}
	if len(p.held) >= maxPerSecond {
		return fmt.Errorf("%s:%d: more than %s requests carry the same second; want finer timestamps, or "+
			"within_second: at_once", e.file.name, e.line, message.Grouped(maxPerSecond))
	}
	p.held = append(p.held, e)
	return nil
}

// release emits the held requests. Whole-second requests of one key are spread evenly over their second.
func (p *player) release() error {
	clear(p.shares)
	p.groups = p.groups[:0]
	for _, e := range p.held {
		var s *share
		if e.whole {
			if s = p.shares[e.key]; s == nil {
				s = &share{}
				p.shares[e.key] = s
			}
			s.requests++
		}
		p.groups = append(p.groups, s)
	}
	for i, s := range p.groups {
		if s != nil && s.requests > 1 {
			p.held[i].at += s.placed * secondUS / s.requests
			p.Spread++
			s.placed++
		}
	}
	if len(p.shares) < len(p.held) {
		slices.SortStableFunc(p.held, func(a, b entry) int { return cmp.Compare(a.at, b.at) })
	}
	for _, e := range p.held {
		if err := p.emit(e); err != nil {
			return err
		}
	}
	p.held = p.held[:0]
	return nil
}

// emit passes requests on in the order of their starts. If the log has the times of ends, a request waits until no
// later line can start before it.
func (p *player) emit(e entry) error {
	if !e.stamped {
		return p.put(e)
	}
	e.at -= e.takes
	e.whole = false
	p.starts.window = max(p.starts.window, time.Duration(2*e.takes)*time.Microsecond)
	if err := p.starts.push(e); err != nil {
		return fmt.Errorf("%s:%d: its start %w", e.file.name, e.line, err)
	}
	for p.starts.ready() {
		if err := p.put(p.starts.pop()); err != nil {
			return err
		}
	}
	return nil
}

// put yields one request at its place in the phase.
func (p *player) put(e entry) error {
	if !p.begun {
		p.begun, p.FirstUS = true, e.at
	}
	at := p.scale(e.at - p.FirstUS)
	if p.lasts > 0 && at >= p.lasts.Microseconds() {
		return errEnough
	}
	if at > maxTraceUS {
		remedy := ""
		if s := e.file.stamps; s.guessed {
			remedy = fmt.Sprintf("; times were read as %s, and %s", s.unit.name, s.otherUnit())
		}
		return fmt.Errorf("%s:%d: the trace lasts longer than %v; want less, or a higher speed%s",
			e.file.name, e.line, limit.FormatDuration(limit.MaxWindow), remedy)
	}
	if len(p.few) <= fewClients && !p.few[e.key] {
		p.few[e.key] = true
		p.Clients++
	}
	p.EndUS, p.LastUS = at+1, e.at
	if e.whole { // the whole second belongs to the trace
		p.EndUS = max(p.EndUS, p.scale(e.at-e.at%secondUS+secondUS-p.FirstUS))
	}
	if p.key == "" {
		p.key, p.Key = e.key, e.key
	} else if e.key != p.key {
		p.Key = ""
	}
	if n := p.trace.Parts; n > 1 && partOf(e.key, n) != p.trace.Part {
		return nil
	}
	if e.takes > p.long.takes {
		p.long = e
	}
	if !p.yield(limit.Request{AtUS: at, Key: e.key, Cost: int64(e.cost), TakesUS: e.takes, Actual: int64(e.actual)}) {
		return errEnough
	}
	return nil
}

// partOf returns the number of the part to which a key belongs, by its FNV-1a hash.
func partOf(key string, parts uint64) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(key) {
		h = (h ^ uint64(key[i])) * 1099511628211
	}
	return h % parts
}

// scale applies the trace's speed.
func (p *player) scale(us int64) int64 { return int64(min(float64(us)/p.speed, 1<<62)) }

// merger reads the files of a log as one: rotated files, or those of several servers. The order in which the files were
// named does not matter.
type merger struct {
	shared
	files []*traceFile
	left  []*traceFile // files with requests left, the earliest first
	empty int          // the number of files without lines
	ended error        // the error that ends the reading, after the requests read before it
}

func (m *merger) open(t *Trace) error {
	for _, path := range t.files() {
		f, err := t.openFile(path, &m.shared)
		if errors.Is(err, ErrEmpty) && m.empty < len(t.More) { // at least one file must have lines
			m.empty++
			continue
		}
		if err != nil {
			return err
		}
		m.files = append(m.files, f)
		if f.head, err = f.earliest(); err == nil {
			f.firstUS = f.head.at
			m.left = append(m.left, f)
		} else if err != io.EOF {
			return err
		}
	}
	slices.SortStableFunc(m.left, before)
	return nil
}

// unlike returns the note about lines that the trace's filters leave out, or "".
func (m *merger) unlike() string {
	for _, f := range m.files {
		if f.marked[filtered].N > 0 {
			return f.marked[filtered].String()
		}
	}
	return ""
}

// close closes the files and adds the findings about them to l.
func (m *merger) close(l *Log) {
	for _, f := range m.files {
		f.drop()
		f.Close()
		l.Files = append(l.Files, f.found())
	}
	l.Bad, l.Shown, l.Empty = m.count, m.shown, m.empty
}

// before orders files by their next requests. If two requests have the same time, the file that begins earlier comes
// first: in the second of a log's rotation, the old file has the older requests.
func before(a, b *traceFile) int {
	return cmp.Or(cmp.Compare(a.head.at, b.head.at), cmp.Compare(a.firstUS, b.firstUS), cmp.Compare(a.name, b.name))
}

// earliest returns the next request of all files, and io.EOF after the last one.
func (m *merger) earliest() (entry, error) {
	if m.ended != nil || len(m.left) == 0 {
		return entry{}, cmp.Or(m.ended, io.EOF)
	}
	first := m.left[0]
	e := first.head
	if first.head, m.ended = first.earliest(); m.ended == io.EOF {
		m.left, m.ended = m.left[1:], nil
	}
	for i := 1; i < len(m.left) && before(m.left[i-1], m.left[i]) > 0; i++ {
		m.left[i-1], m.left[i] = m.left[i], m.left[i-1]
	}
	return e, nil
}
