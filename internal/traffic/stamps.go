package traffic

import (
	"bytes"
	"fmt"
	"time"
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

// unixUnit is the unit of a plain number. A unit's numbers end where the next one's begin: 1e11 s is the year
// 5138, and 1e11 ms is 1973.
type unixUnit struct {
	name   string
	below  int64
	inUS   int64 // microseconds in one, or
	perUS  int64 // how many make a microsecond
	digits int   // of a fraction that microseconds can hold
}

var unixUnits = []unixUnit{
	{"seconds", 1e11, 1e6, 1, 6},
	{"milliseconds", 1e14, 1e3, 1, 3},
	{"microseconds", 1e17, 1, 1, 0},
	{"nanoseconds", 1<<63 - 1, 1, 1e3, 0},
}

const lastUS = 253402300800_000_000 - 1 // the end of the year 9999

const wantTime = "RFC 3339 (2023-11-16T18:15:46.68Z), 2023-11-16 18:15:46, Apache's 17/May/2015:10:05:03 +0000, or a number since 1970"

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
		return instant{}, fmt.Errorf("time %s: want %s", quote(text), s.wanted())
	}
	if at.us < 0 || at.us > lastUS {
		return instant{}, fmt.Errorf("time %s: want a time within 1970 to 9999", quote(text))
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

// iso reads 2023-11-16T18:15:46[.fraction][zone].
func (s *stamps) iso(b []byte) (at instant, ok bool) {
	if len(b) < 19 || b[4] != '-' || b[7] != '-' || b[10] != 'T' && b[10] != ' ' && b[10] != 't' {
		return at, false
	}
	days, ok := s.date(digits(b[:4]), digits(b[5:7]), digits(b[8:10]))
	clock, ok2 := clockUS(b[11:19])
	if !ok || !ok2 {
		return at, false
	}
	at = instant{us: days + clock, whole: true}
	b = b[19:]
	if len(b) > 0 && b[0] == '.' {
		n := 1
		for n < len(b) && isDigits(b[n:n+1]) {
			n++
		}
		if n == 1 {
			return at, false
		}
		at.us, at.whole = at.us+fractionUS(b[1:n], 6), false
		b = b[n:]
	}
	zone, ok := zoneUS(b)
	at.us -= zone
	return at, ok
}

// apache reads 17/May/2015:10:05:03 +0000.
func (s *stamps) apache(b []byte) (at instant, ok bool) {
	if len(b) != 26 || b[2] != '/' || b[6] != '/' || b[11] != ':' || b[20] != ' ' {
		return at, false
	}
	month := bytes.Index([]byte("JanFebMarAprMayJunJulAugSepOctNovDec"), b[3:6])
	if month < 0 || month%3 != 0 {
		return at, false
	}
	days, ok := s.date(digits(b[7:11]), month/3+1, digits(b[:2]))
	clock, ok2 := clockUS(b[12:20])
	zone, ok3 := zoneUS(b[21:])
	return instant{us: days + clock - zone, whole: true}, ok && ok2 && ok3
}

// unix reads digits, with a fraction perhaps, in the unit that the first number suggests.
func (s *stamps) unix(b []byte) (at instant, ok bool) {
	number, fraction, dotted := bytes.Cut(b, []byte{'.'})
	if len(number) == 0 || len(number) > 19 || !isDigits(number) || dotted && (len(fraction) == 0 || !isDigits(fraction)) {
		return at, false
	}
	n := int64(0)
	for _, c := range number {
		if n = n*10 + int64(c-'0'); n < 0 {
			return at, false
		}
	}
	if s.unit == nil {
		for i := range unixUnits {
			if s.unit = &unixUnits[i]; n < s.unit.below {
				break
			}
		}
	}
	if n/s.unit.perUS > lastUS/s.unit.inUS {
		return instant{us: -1}, true // out of range, which the caller words
	}
	us := n / s.unit.perUS * s.unit.inUS
	return instant{us: us + fractionUS(fraction, s.unit.digits), whole: s.unit.name == "seconds" && !dotted}, true
}

// notes tells in which unit plain numbers were taken.
func (s *stamps) notes() []string {
	if s.unit == nil {
		return nil
	}
	return []string{"times were taken for " + s.unit.name + " since 1970"}
}

// date is midnight of a day in microseconds since 1970, if there is such a day.
func (s *stamps) date(year, month, day int) (us int64, ok bool) {
	if year == s.year && month == s.month && day == s.day {
		return s.dayUS, day > 0
	}
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if year < 0 || month < 1 || day < 1 || t.Day() != day || int(t.Month()) != month {
		return 0, false
	}
	s.year, s.month, s.day, s.dayUS = year, month, day, t.UnixMicro()
	return s.dayUS, true
}

// clockUS reads 18:15:46. A leap second is refused, as it has no place in Unix time.
func clockUS(b []byte) (us int64, ok bool) {
	h, m, sec := digits(b[:2]), digits(b[3:5]), digits(b[6:8])
	if b[2] != ':' || b[5] != ':' || h < 0 || h > 23 || m < 0 || m > 59 || sec < 0 || sec > 59 {
		return 0, false
	}
	return int64(h*3600+m*60+sec) * 1e6, true
}

// zoneUS reads Z, +01:00, -0700, or nothing, which is UTC.
func zoneUS(b []byte) (us int64, ok bool) {
	if len(b) == 0 || len(b) == 1 && (b[0] == 'Z' || b[0] == 'z') {
		return 0, true
	}
	if len(b) == 6 && b[3] == ':' {
		b = append(append(make([]byte, 0, 5), b[:3]...), b[4:]...)
	}
	if len(b) != 5 || b[0] != '+' && b[0] != '-' {
		return 0, false
	}
	h, m := digits(b[1:3]), digits(b[3:5])
	if h < 0 || h > 23 || m < 0 || m > 59 {
		return 0, false
	}
	us = int64(h*3600+m*60) * 1e6
	if b[0] == '-' {
		us = -us
	}
	return us, true
}

// fractionUS reads the first n digits after a point as if there were n of them.
func fractionUS(b []byte, n int) (us int64) {
	for i := range n {
		us *= 10
		if i < len(b) {
			us += int64(b[i] - '0')
		}
	}
	return us
}

// digits reads a few digits, or gives −1.
func digits(b []byte) int {
	n := 0
	for _, c := range b {
		if c < '0' || c > '9' {
			return -1
		}
		n = n*10 + int(c-'0')
	}
	return n
}

func isDigits(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}
