package traffic

import (
	"bytes"
	"time"
)

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
