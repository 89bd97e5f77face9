package accesslog

import (
	"bytes"
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"ratelab/internal/message"
)

// instant is a timestamp in microseconds since 1970. It is whole if it has no fraction, or a fraction of zeros.
type instant struct {
	us    int64
	whole bool
}

// stamps reads the timestamps of one file. The first timestamp determines the format and, for a plain number, the unit.
// All others must have the same.
//
// Note: a choice for each line would read a late 1e11 s as an early 1e11 ms, and would not notice mixed units in a
// file.
type stamps struct {
	read      func(s *stamps, text []byte) (instant, bool)
	want      string
	name      string // of the field
	unit      *unit  // of plain numbers: named in --trace-time or guessed from the first number
	guessed   bool   // the unit was guessed from the first number
	layout    *strptime
	day, zone lately

	text []byte // of the previous line; consecutive lines often have the same time
	at   instant
}

const (
	lastUS      = 4133980800_000_000 - 1 // the end of the year 2100
	firstDateUS = 631152000_000_000      // 1990: earlier numbers are seconds since the start of a log
	zoneless    = -62167219200_000_000   // time.Parse's result for a zone alone, with UTC as the zone
)

// parse reads a timestamp. It drops digits below the microsecond.
func (s *stamps) parse(text []byte) (instant, error) {
	if len(text) > 0 && bytes.Equal(text, s.text) {
		return s.at, nil
	}
	if s.read == nil {
		s.choose(text)
	}
	if s.read == nil {
		return instant{}, fmt.Errorf("time %s: want RFC 3339 (2023-11-16T18:15:46.68Z), 2023-11-16 18:15:46, Apache's "+
			"17/May/2015:10:05:03 +0000, or a number since 1970%s", message.Quote(text), s.orLayout())
	}
	at, ok := s.read(s, text)
	if !ok {
		return instant{}, fmt.Errorf("time %s: want %s%s", message.Quote(text), s.want, s.orLayout())
	}
	if at.us < 0 || at.us > lastUS {
		remedy := ""
		if s.unit != nil {
			remedy = fmt.Sprintf("; it was read as %s, and %s", s.unit.name, s.otherUnit())
		}
		return instant{}, fmt.Errorf("time %s: want a time within 1970 to 2100%s", message.Quote(text), remedy)
	}
	s.text, s.at = append(s.text[:0], text...), at
	return at, nil
}

// commonLayouts are read without a flag: RFC 1123, ctime, the logs of Go and of nginx itself, Kibana.
var commonLayouts = []string{"%a, %d %b %Y %H:%M:%S %Z", "%a, %d %b %Y %H:%M:%S %z", "%a %b %d %H:%M:%S %Y",
	"%Y/%m/%d %H:%M:%S", "%b %d, %Y @ %H:%M:%S.%f"}

// choose determines the format of the timestamps from the first one.
func (s *stamps) choose(text []byte) {
	for _, common := range commonLayouts {
		if _, l := splitLayout("a:" + common); s.layout == nil {
			if _, ok := l.parse(text); ok {
				s.layout = l
			}
		}
	}
	switch {
	case s.layout != nil:
		s.read = func(s *stamps, text []byte) (instant, bool) { return s.layout.parse(text) }
		s.want = "a time in the layout " + message.Quote(s.layout.text)
	case len(text) >= 5 && digits(text[:4]) >= 0 && text[4] == '-':
		s.read, s.want = (*stamps).iso, "a time such as 2023-11-16T18:15:46.68Z or 2023-11-16 18:15:46"
	case len(text) >= 3 && digits(text[:2]) >= 0 && text[2] == '/':
		s.read, s.want = (*stamps).apache, "a time such as 17/May/2015:10:05:03 +0000"
	case len(text) > 0 && digits(text[:1]) >= 0:
		s.read, s.want = (*stamps).unix, "a number of seconds, milliseconds, microseconds or nanoseconds since 1970"
	}
}

// note returns a note about the unit of plain numbers, if it was guessed. lastUS is the last time.
func (s *stamps) note(lastUS int64) string {
	switch {
	case s.unit == nil || !s.guessed:
		return ""
	case lastUS < firstDateUS:
		return "times were read as seconds since the start; " + s.otherUnit()
	}
	return "times were read as " + s.unit.name + " since 1970"
}

// orLayout returns the hint to name the layout of times, if no time could be read so far.
func (s *stamps) orLayout() string {
	if s.text != nil || s.layout != nil || strings.HasSuffix(s.want, "+0000") {
		return ""
	}
	return fmt.Sprintf("; or its layout, such as --trace-time '%s:%%d.%%m.%%Y %%H:%%M:%%S'", cmp.Or(s.name, "NAME"))
}

// otherUnit returns the hint to name the unit of numbers.
func (s *stamps) otherUnit() string {
	return fmt.Sprintf("--trace-time %s:us, or :ms, :ns or :s, names another unit", cmp.Or(s.name, "NAME"))
}

// iso reads 2023-11-16T18:15:46, or with a blank in place of T, with an optional fraction and zone.
func (s *stamps) iso(b []byte) (instant, bool) { return s.dated(b, "2006-01-02", "T t") }

// apache reads 17/May/2015:10:05:03, with an optional fraction, as HAProxy writes it, and zone.
func (s *stamps) apache(b []byte) (instant, bool) { return s.dated(b, "02/Jan/2006", ":") }

// dated reads a day, one of the separators, a time of day, and an optional fraction and zone.
func (s *stamps) dated(b []byte, layout, separators string) (at instant, ok bool) {
	n := len(layout)
	if len(b) < n+len(":15:04:05") || strings.IndexByte(separators, b[n]) < 0 {
		return at, false
	}
	day, ok1 := s.day.read(b[:n], layout)
	clock, ok2 := clockUS(b[n+1 : n+9])
	at, ok = s.fine(day+clock, b[n+9:])
	return at, ok && ok1 && ok2
}

// fine adds the text after the seconds: a fraction, after a point or a comma, and a zone. Without a zone the time is
// UTC.
func (s *stamps) fine(us int64, b []byte) (at instant, ok bool) {
	at = instant{us: us, whole: true}
	if len(b) > 0 && (b[0] == '.' || b[0] == ',') {
		us, n := fractionUS(b[1:], 6)
		if n == 0 {
			return at, false
		}
		at = instant{us: at.us + us, whole: zeros(b[1 : 1+n])}
		b = b[1+n:]
	}
	if b = bytes.TrimPrefix(b, []byte{' '}); len(b) == 0 || string(b) == "UTC" || string(b) == "GMT" {
		return at, true
	}
	zone, ok := s.zone.read(b, "Z07:00", "-0700", "-07")
	at.us += zone - zoneless
	return at, ok
}

// zeros reports whether the digits of a fraction are all zero. No digits count as zero.
func zeros(fraction []byte) bool { return len(bytes.Trim(fraction, "0")) == 0 }

// lately caches the last text that time.Parse read, because time.Parse is slow and most lines have the same day and
// zone as the line before.
type lately struct {
	text string
	us   int64
}

func (l *lately) read(text []byte, layouts ...string) (us int64, ok bool) {
	if string(text) == l.text {
		return l.us, true
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, strings.ToUpper(string(text))); err == nil {
			l.text, l.us = string(text), t.UnixMicro()
			return l.us, true
		}
	}
	return 0, false
}

// clockUS reads 18:15:46. A leap second comes at the end of a quarter of an hour in any zone. It is read as the next
// second, as in Unix time.
func clockUS(b []byte) (us int64, ok bool) {
	h, m, sec := digits(b[:2]), digits(b[3:5]), digits(b[6:8])
	if b[2] != ':' || b[5] != ':' || h < 0 || h > 23 || m < 0 || m > 59 || sec < 0 ||
		sec > 59 && (sec > 60 || m%15 != 14) {
		return 0, false
	}
	return (h*3600 + m*60 + sec) * 1e6, true
}

// fractionUS reads the digits after a point as a number of that many places. Further digits count in n but not in the
// value.
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

// digits reads a number of at most 19 digits. It returns −1 if b contains anything else.
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

// unit is the unit of a plain number. The ranges of the units do not overlap: 1e11 s would be the year 5138, and 1e11
// ms is 1973.
type unit struct {
	name, short string
	inSecond    int64
	places      int // how many decimal places of the unit fit into whole microseconds
}

var units = []unit{
	{"seconds", "s", 1, 6},
	{"milliseconds", "ms", 1e3, 3},
	{"microseconds", "us", 1e6, 0},
	{"nanoseconds", "ns", 1e9, 0},
}

// unix reads a number with an optional fraction or exponent. Its unit is the one that --trace-time names, or else the
// unit that the first number suggests.
func (s *stamps) unix(b []byte) (at instant, ok bool) {
	if i := bytes.IndexAny(b, "eE"); i > 0 && len(b)-i <= len("e+99") {
		exact, ok := new(big.Rat).SetString(string(b))
		if !ok {
			return at, false
		}
		b = []byte(exact.FloatString(9))
	}
	number, fraction := b, []byte(nil)
	if i := bytes.IndexAny(b, ".,"); i > 0 {
		if number, fraction = b[:i], b[i+1:]; len(fraction) == 0 {
			return at, false
		}
	}
	n := digits(number)
	if len(number) == 0 || len(number) > 19 || n < 0 {
		return at, false
	}
	if s.unit == nil {
		s.guessed = true
		s.unit = &units[slices.IndexFunc(units, func(u unit) bool { return n/u.inSecond < 1e11 })]
		if n/s.unit.inSecond < firstDateUS/secondUS {
			s.unit = &units[0]
		}
		s.want = "a number of " + s.unit.name + " since 1970"
	}
	us, places := fractionUS(fraction, s.unit.places)
	if places < len(fraction) {
		return at, false
	}
	second, part := n/s.unit.inSecond, n%s.unit.inSecond
	if second > lastUS/secondUS {
		return instant{us: -1}, true // out of range, which the caller reports
	}
	us += part * secondUS / s.unit.inSecond
	return instant{us: second*secondUS + us, whole: part == 0 && zeros(fraction)}, true
}
