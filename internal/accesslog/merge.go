package accesslog

import (
	"cmp"
	"errors"
	"io"
	"slices"
)

// merger reads the files of a log as one: rotated ones that follow each other, or those of several servers. The order
// in which they were named does not matter.
type merger struct {
	shared
	files []*traceFile
	left  []*traceFile // those with requests left, the earliest first
	empty int          // files without a line
	ended error        // what ends the reading, after the requests that were read before it
}

func (m *merger) open(t *Trace) error {
	for _, path := range t.files() {
		f, err := t.openFile(path, &m.shared)
		if errors.Is(err, ErrEmpty) && m.empty < len(t.More) { // one at least is not
			m.empty++
			continue
		}
		if err != nil {
			return err
		}
		m.files = append(m.files, f)
		if f.head, err = f.earliest(); err == io.EOF {
			continue
		} else if err != nil {
			return err
		}
		f.firstUS = f.head.at
		m.left = append(m.left, f)
	}
	slices.SortStableFunc(m.left, before)
	return nil
}

// close closes the files, and adds to l what was found of them.
func (m *merger) close(l *Log) {
	for _, f := range m.files {
		f.drop()
		f.Close()
		l.Files = append(l.Files, f.found())
	}
	l.Bad, l.Shown, l.Empty = m.count, m.shown, m.empty
}

// before orders files by their next requests. Of two of one instant that one is first whose file begins earlier: within
// the second in which logs were rotated, the old log's requests are the older ones.
func before(a, b *traceFile) int {
	return cmp.Or(cmp.Compare(a.head.at, b.head.at), cmp.Compare(a.firstUS, b.firstUS), cmp.Compare(a.name, b.name))
}

// earliest takes the next request of all files; io.EOF after the last.
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
