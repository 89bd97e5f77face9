package sequence

import (
	"fmt"
	"strconv"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/message"
)

// Parameter is one thing about a sequence that the limit does not fix.
type Parameter struct {
	Name      string // as in distributed-lock:tries=5
	Doc       string
	Duration  bool  // the numbers are µs, written as durations
	Low, High int64 // the range
	Default   int64
}

// parse reads a value; a duration is in µs then.
func (p *Parameter) parse(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if p.Duration {
		var d time.Duration
		d, err = limit.ParseDuration(text)
		n = d.Microseconds()
		if d%time.Microsecond != 0 {
			n = -1
		}
	}
	if err != nil || n < p.Low || n > p.High || p.format(n) == "" {
		return 0, fmt.Errorf("parameter %s: %s; want %s to %s", p.Name, message.Quote(text), p.format(p.Low),
			p.format(p.High))
	}
	return n, nil
}

// format writes a value as parse reads it.
func (p *Parameter) format(n int64) string {
	if p.Duration {
		return limit.FormatDuration(time.Duration(n) * time.Microsecond)
	}
	return strconv.FormatInt(n, 10)
}

// Usual is the default as text.
func (p *Parameter) Usual() string { return p.format(p.Default) }

// Kind is how a value is written: DURATION or INTEGER.
func (p *Parameter) Kind() string {
	if p.Duration {
		return "DURATION"
	}
	return "INTEGER"
}
