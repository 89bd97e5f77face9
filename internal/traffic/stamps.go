package traffic

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

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
	read      func(text []byte) (instant, bool)
	want      string
	unit      *unit // of plain numbers, once there was one
	day, zone lately
}

const lastUS = 253402300800_000_000 - 1 // the end of the year 9999

// parse reads a timestamp; digits below the microsecond are cut.
func (s *stamps) parse(text []byte) (instant, error) {
	if s.read == nil {
		s.choose(text)
	}
	if s.read == nil {
		return instant{}, fmt.Errorf("time %s: want RFC 3339 (2023-11-16T18:15:46.68Z), 2023-11-16 18:15:46, Apache's "+
			"17/May/2015:10:05:03 +0000, or a number since 1970", message.Quote(text))
	}
	at, ok := s.read(text)
	if !ok {
		return instant{}, fmt.Errorf("time %s: want %s", message.Quote(text), s.want)
	}
	if at.us < 0 || at.us > lastUS {
		return instant{}, fmt.Errorf("time %s: want a time within 1970 to 9999", message.Quote(text))
	}
	return at, nil
}

// choose finds out how the timestamps are written.
func (s *stamps) choose(text []byte) {
	switch {
	case len(text) >= 5 && digits(text[:4]) >= 0 && text[4] == '-':
		s.read, s.want = s.iso, "a time such as 2023-11-16T18:15:46.68Z or 2023-11-16 18:15:46"
	case len(text) >= 3 && digits(text[:2]) >= 0 && text[2] == '/':
		s.read, s.want = s.apache, "a time such as 17/May/2015:10:05:03 +0000"
	case len(text) > 0 && digits(text[:1]) >= 0:
		s.read, s.want = s.unix, "a number of seconds, milliseconds, microseconds or nanoseconds since 1970, written "+
			"with digits"
	}
}

// notes tells in which unit plain numbers were taken.
func (s *stamps) notes() []string {
	if s.unit == nil {
		return nil
	}
	return []string{"times were taken for " + s.unit.name + " since 1970"}
}

// iso reads 2023-11-16T18:15:46[.fraction][zone], with a blank for the T, and no zone for UTC.
func (s *stamps) iso(b []byte) (at instant, ok bool) {
	if len(b) < 19 || b[10] != 'T' && b[10] != ' ' && b[10] != 't' {
		return at, false
	}
	day, ok1 := s.day.read(b[:10], midnight, "2006-01-02")
	clock, ok2 := clockUS(b[11:19])
	at = instant{us: day + clock, whole: true}
	if b = b[19:]; len(b) > 0 && b[0] == '.' {
		us, n := fractionUS(b[1:], 6)
		if n == 0 {
			return at, false
		}
		at, b = instant{us: at.us + us}, b[1+n:]
	}
	if len(b) == 0 {
		return at, ok1 && ok2
	}
	zone, ok3 := s.zone.read(b, zoneUS, "Z07:00", "-0700")
	at.us -= zone
	return at, ok1 && ok2 && ok3
}

// apache reads 17/May/2015:10:05:03 +0000.
func (s *stamps) apache(b []byte) (at instant, ok bool) {
	if len(b) != 26 || b[11] != ':' || b[20] != ' ' {
		return at, false
	}
	day, ok1 := s.day.read(b[:11], midnight, "02/Jan/2006")
	clock, ok2 := clockUS(b[12:20])
	zone, ok3 := s.zone.read(b[21:], zoneUS, "-0700")
	return instant{us: day + clock - zone, whole: true}, ok1 && ok2 && ok3
}

// lately is a text that time.Parse read, which takes long, and what it means: most lines of a log have the day and the
// zone of the line before.
type lately struct {
	text string
	us   int64
}

func (l *lately) read(text []byte, meaning func(time.Time) int64, layouts ...string) (us int64, ok bool) {
	if string(text) == l.text {
		return l.us, true
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, strings.ToUpper(string(text))); err == nil {
			l.text, l.us = string(text), meaning(t)
			return l.us, true
		}
	}
	return 0, false
}

func midnight(t time.Time) int64 { return t.UnixMicro() }

func zoneUS(t time.Time) int64 {
	_, seconds := t.Zone()
	return int64(seconds) * 1e6
}

// clockUS reads 18:15:46. A leap second is refused, as it has no place in Unix time.
func clockUS(b []byte) (us int64, ok bool) {
	h, m, sec := digits(b[:2]), digits(b[3:5]), digits(b[6:8])
	if b[2] != ':' || b[5] != ':' || h < 0 || h > 23 || m < 0 || m > 59 || sec < 0 || sec > 59 {
		return 0, false
	}
	return (h*3600 + m*60 + sec) * 1e6, true
}

// fractionUS reads digits after a point, the first so many places of them as if there were no others. It tells how many
// there are.
func fractionUS(b []byte, places int) (us int64, n int) {
	for ; n < len(b) && '0' <= b[n] && b[n] <= '9'; n++ {
		if n < places {
			us = us*10 + int64(b[n]-'0')
		}
	}
	for i := n; i < places; i++ {
		us *= 10
	}
	return us, n
}

// digits reads a number of at most 19 digits; it is negative where there is none.
func digits(b []byte) int64 {
	n := int64(0)
	for _, c := range b {
		if c < '0' || c > '9' {
			return -1
		}
		n = n*10 + int64(c-'0')
	}
	return n
}

// unit is the unit of a plain number. A unit's numbers end where the next one's begin: 1e11 s would be the year
// 5138, and 1e11 ms is 1973.
type unit struct {
	name   string
	most   int64
	inUS   int64 // microseconds in one, or
	perUS  int64 // how many make a microsecond
	places int   // of a fraction that microseconds can hold
}

var units = []unit{
	{"seconds", 1e11 - 1, 1e6, 1, 6},
	{"milliseconds", 1e14 - 1, 1e3, 1, 3},
	{"microseconds", 1e17 - 1, 1, 1, 0},
	{"nanoseconds", math.MaxInt64, 1, 1e3, 0},
}

// unix reads digits, with a fraction perhaps, in the unit that the first number suggests.
func (s *stamps) unix(b []byte) (at instant, ok bool) {
	number, fraction, dotted := bytes.Cut(b, []byte{'.'})
	n := digits(number)
	if len(number) == 0 || len(number) > 19 || n < 0 {
		return at, false
	}
	if s.unit == nil {
		s.unit = &units[slices.IndexFunc(units, func(u unit) bool { return n <= u.most })]
		s.want = "a number of " + s.unit.name + " since 1970, written with digits"
	}
	us, places := fractionUS(fraction, s.unit.places)
	if dotted && (places == 0 || places < len(fraction)) {
		return at, false
	}
	if n/s.unit.perUS > lastUS/s.unit.inUS {
		return instant{us: -1}, true // out of range, which the caller words
	}
	return instant{us: n/s.unit.perUS*s.unit.inUS + us, whole: s.unit.inUS == secondUS && !dotted}, true
}
