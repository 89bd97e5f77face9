package traffic

import "bytes"

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

// unix reads digits, with a fraction perhaps, in the unit that the first number suggests.
func (s *stamps) unix(b []byte) (at instant, ok bool) {
	number, fraction, dotted := bytes.Cut(b, []byte{'.'})
	if len(number) == 0 || len(number) > 19 || !isDigits(number) || dotted &&
		(len(fraction) == 0 || !isDigits(fraction)) {
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
