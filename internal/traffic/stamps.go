package traffic

import (
	"fmt"

	"ratelab/internal/message"
)

// instant is a timestamp in microseconds since 1970. It is whole if its text says no more than the second.
type instant struct {
	us    int64
	whole bool
}

// stamps reads the timestamps of one file. The first one decides how they are written and, for a plain number,
// in which unit; the others must follow.
//
// Note: deciding for each line would take a late 1e11 s for an early 1e11 ms, and hide a file of mixed units.
type stamps struct {
	style style
	unit  *unixUnit

	// the day that was read last, since most lines share it with the one before
	year, month, day int
	dayUS            int64
}

type style int

const (
	unknownStyle style = iota
	isoStyle           // 2023-11-16T18:15:46.68+01:00, with a blank for the T, and no zone for UTC
	apacheStyle        // 17/May/2015:10:05:03 +0000
	unixStyle          // 1700158546, also with a fraction, also in ms, µs or ns
)

const lastUS = 253402300800_000_000 - 1 // the end of the year 9999

const wantTime = "RFC 3339 (2023-11-16T18:15:46.68Z), 2023-11-16 18:15:46, Apache's 17/May/2015:10:05:03 +0000, or a " +
	"number since 1970"

// parse reads a timestamp; digits below the microsecond are cut.
func (s *stamps) parse(text []byte) (instant, error) {
	if s.style == unknownStyle {
		s.style = styleOf(text)
	}
	var at instant
	ok := false
	switch s.style {
	case isoStyle:
		at, ok = s.iso(text)
	case apacheStyle:
		at, ok = s.apache(text)
	case unixStyle:
		at, ok = s.unix(text)
	}
	if !ok {
		return instant{}, fmt.Errorf("time %s: want %s", message.Quote(text), s.wanted())
	}
	if at.us < 0 || at.us > lastUS {
		return instant{}, fmt.Errorf("time %s: want a time within 1970 to 9999", message.Quote(text))
	}
	return at, nil
}

func styleOf(text []byte) style {
	switch {
	case len(text) >= 5 && isDigits(text[:4]) && text[4] == '-':
		return isoStyle
	case len(text) >= 3 && isDigits(text[:2]) && text[2] == '/':
		return apacheStyle
	case len(text) > 0 && isDigits(text[:1]):
		return unixStyle
	}
	return unknownStyle
}

func (s *stamps) wanted() string {
	switch s.style {
	case isoStyle:
		return "a time such as 2023-11-16T18:15:46.68Z or 2023-11-16 18:15:46"
	case apacheStyle:
		return "a time such as 17/May/2015:10:05:03 +0000"
	case unixStyle:
		return "a number of " + s.unitName() + " since 1970, written with digits"
	}
	return wantTime
}

func (s *stamps) unitName() string {
	if s.unit == nil {
		return "seconds, milliseconds, microseconds or nanoseconds"
	}
	return s.unit.name
}
