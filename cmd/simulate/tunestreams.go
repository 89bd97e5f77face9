package main

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"strings"

	"ratelab/internal/commandline"
	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/scenario"
	"ratelab/internal/traffic"
	"ratelab/internal/tune"
)

// streams are one for a log, and for a scenario one for each of its seeds; of traffic without anything random in it
// one as well. The first is given as it is.
func (f *tuneFlags) streams(s *scenario.Scenario, shown *reading) (*tune.Traffic, *traffic.Stream) {
	first := s.Stream(s.Seed)
	t := &tune.Traffic{StartUS: s.Start.UnixMicro(), Fit: *f.fit.value,
		Streams: []tune.Stream{watched{first, shown}}}
	if f.who || f.HasTrace() || !isRandom(s) {
		return t, first
	}
	for i := range uint64(f.seeds.Value - 1) {
		seed := (s.Seed + 1 + i) % (uint64(limit.MaxExact) + 1)
		t.Streams = append(t.Streams, watched{s.Stream(seed), shown})
	}
	return t, first
}

// isRandom reports whether another seed makes other traffic.
func isRandom(s *scenario.Scenario) bool {
	next, done := iter.Pull2(s.Stream(s.Seed + 1).Requests())
	defer done()
	for q, err := range s.Stream(s.Seed).Requests() {
		other, otherErr, more := next()
		if err != nil || otherErr != nil {
			return false // who reads it again says so
		}
		if !more || q != other {
			return true
		}
	}
	_, _, more := next()
	return more
}

// stamp is a file of a log as it was before it was read.
type stamp struct {
	path string
	info os.FileInfo // nil: there was none to be had
}

// stamps are those of all files that a scenario's traffic is read from.
func stamps(s *scenario.Scenario) (all []stamp) {
	for _, phase := range s.Phases {
		if phase.Trace == nil {
			continue
		}
		for _, path := range append([]string{phase.Trace.File}, phase.Trace.More...) {
			info, err := os.Stat(path)
			if err != nil {
				info = nil
			}
			all = append(all, stamp{path, info})
		}
	}
	return all
}

// changed are the paths of the files that are not as they were.
func changed(all []stamp) (paths []string) {
	for _, was := range all {
		now, err := os.Stat(was.path)
		if err != nil || was.info == nil || now.Size() != was.info.Size() || !now.ModTime().Equal(was.info.ModTime()) {
			paths = append(paths, message.Path(was.path))
		}
	}
	return paths
}

// nameChanged is an error that says which files have changed, where it is one of that and they can be told.
func nameChanged(err error, all []stamp) error {
	var other *tune.ChangedError
	if errors.As(err, &other) {
		if paths := changed(all); len(paths) > 0 {
			other.Name = strings.Join(paths, ", ")
		}
	}
	return err
}

// reading is how far the traffic is read, which is done several times: a bar, and what ends it early.
type reading struct {
	bar  *commandline.Bar
	stop <-chan struct{}
	pass int
}

// watched is a stream of which a bar shows how far it is read, and that an interrupt ends.
type watched struct {
	*traffic.Stream
	reading *reading
}

// Requests implements tune.Stream.
func (w watched) Requests() iter.Seq2[limit.Request, error] {
	return func(yield func(limit.Request, error) bool) {
		total, _ := w.Count()
		w.reading.pass++
		w.reading.bar.Start(fmt.Sprintf("reading, pass %d", w.reading.pass), total)
		n := int64(0)
		for q, err := range stoppable(w.Stream.Requests(), w.reading.stop) {
			if n++; n%4096 == 0 {
				w.reading.bar.Set(n)
			}
			if !yield(q, err) {
				return
			}
		}
	}
}
