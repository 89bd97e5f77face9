package traffic

import (
	"cmp"
	"io"
	"slices"
)

// traceFile is one file of a trace, whose requests come out in the order of time.
type traceFile struct {
	scan    *scanner
	sorter  reorder
	ended   bool
	head    entry // the next request, for the merger
	firstUS int64 // the time of the first, which orders files where two requests have the same
}

func openTraceFile(t Trace, path string, bad *leftOut) (*traceFile, error) {
	src, err := t.open(path)
	if err != nil {
		return nil, err
	}
	scan, err := newScanner(t, src, bad)
	if err != nil {
		src.close()
		return nil, err
	}
	return &traceFile{scan: scan}, nil
}

// next reads on until the earliest request has left the window in which lines may be out of order; io.EOF after the
// last.
func (f *traceFile) next() (entry, error) {
	for !f.ended && !f.sorter.ready() {
		e, err := f.scan.next()
		if err == io.EOF {
			f.ended = true
			f.scan.keys = nil // of many files that follow each other, those that are over need no memory
			break
		}
		if err != nil {
			return entry{}, err
		}
		if err := f.sorter.push(e); err != nil {
			return entry{}, f.scan.at(err)
		}
	}
	if f.sorter.waiting() == 0 {
		return entry{}, io.EOF
	}
	return f.sorter.pop(), nil
}

func (f *traceFile) close() { f.scan.lines.src.close() }

// notes tells what was found out about how the file is written.
func (f *traceFile) notes() (all []string) {
	if f.scan.guessed != "" {
		all = append(all, "the format was guessed to be "+string(f.scan.guessed))
	}
	return append(all, f.scan.format.notes()...)
}

// merger makes one log of several files, each in the order of time: rotated ones that follow each other, or those of
// several servers. The order in which they were named does not matter.
type merger struct {
	files []*traceFile // those with requests left, the earliest first
	given bool         // the first file's head was given already
	skip  int64        // requests still to be left out
	limit int64        // requests to be given in all; 0: any number
	count int64        // of those that were given
}

// add takes a file that nothing was read of yet.
func (m *merger) add(f *traceFile) error {
	e, err := f.next()
	if err == io.EOF {
		return nil
	}
	if err != nil {
		return err
	}
	f.head, f.firstUS = e, e.at
	m.files = append(m.files, f)
	slices.SortStableFunc(m.files, before)
	return nil
}

// before orders files by their next requests. Of two of one instant that one is first whose file begins earlier: within
// the second in which logs were rotated, the old log's requests are the older ones.
func before(a, b *traceFile) int {
	return cmp.Or(cmp.Compare(a.head.at, b.head.at), cmp.Compare(a.firstUS, b.firstUS),
		cmp.Compare(a.head.file.name, b.head.file.name))
}

// next gives the next request of all files; io.EOF after the last.
func (m *merger) next() (entry, error) {
	for m.limit == 0 || m.count < m.limit {
		if err := m.advance(); err != nil {
			return entry{}, err
		}
		if len(m.files) == 0 {
			break
		}
		m.given = true
		if m.skip > 0 {
			m.skip--
			continue
		}
		m.count++
		return m.files[0].head, nil
	}
	return entry{}, io.EOF
}

// advance replaces a request that was given by the file's next, and puts the file where it belongs then. It waits for
// the next request to be wanted: the line may be a bad one.
func (m *merger) advance() (err error) {
	if !m.given {
		return nil
	}
	m.given = false
	first := m.files[0]
	if first.head, err = first.next(); err == io.EOF {
		m.files = m.files[1:]
		return nil
	}
	for i := 0; err == nil && i+1 < len(m.files) && before(m.files[i], m.files[i+1]) > 0; i++ {
		m.files[i], m.files[i+1] = m.files[i+1], m.files[i]
	}
	return err
}
