package commandline

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"ratelab/internal/limit"
)

// Seed is the value of a flag for a seed that may not have been given: Value is nil then.
type Seed struct{ Value *uint64 }

func (s *Seed) String() string {
	if s.Value == nil {
		return ""
	}
	return fmt.Sprint(*s.Value)
}

// Type implements pflag.Value.
func (s *Seed) Type() string { return "N" }

// Wanted says what the value is to be.
func (s *Seed) Wanted() string { return fmt.Sprintf("a whole number from 0 to %d", limit.MaxExact) }

// Set implements pflag.Value.
func (s *Seed) Set(text string) error {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || fmt.Sprint(n) != text || n > uint64(limit.MaxExact) {
		return errors.New(s.Wanted())
	}
	s.Value = &n
	return nil
}

// Duration is the value of a flag for a time within bounds.
type Duration struct {
	Value       time.Duration
	Least, Most time.Duration
}

func (d *Duration) String() string {
	if d.Value < 0 || d.Value == 0 && d.Least > 0 {
		return "" // not set; help shows no default then
	}
	return limit.FormatDuration(d.Value)
}

// Type implements pflag.Value.
func (d *Duration) Type() string { return "TIME" }

// Wanted says what the value is to be.
func (d *Duration) Wanted() string {
	return fmt.Sprintf("a time from %s to %s, such as 500ms, 2s or 1m", limit.FormatDuration(d.Least),
		limit.FormatDuration(d.Most))
}

// Set implements pflag.Value.
func (d *Duration) Set(text string) error {
	v, err := limit.ParseDuration(text)
	if err != nil || v < d.Least || v > d.Most {
		return errors.New(d.Wanted())
	}
	d.Value = v
	return nil
}

// Count is the value of a flag for a whole number within bounds.
type Count struct {
	Value, Least, Most int
}

func (c *Count) String() string { return fmt.Sprint(c.Value) }

// Type implements pflag.Value.
func (c *Count) Type() string { return "N" }

// Wanted says what the value is to be.
func (c *Count) Wanted() string { return fmt.Sprintf("a whole number from %d to %d", c.Least, c.Most) }

// Set implements pflag.Value.
func (c *Count) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < c.Least || n > c.Most {
		return errors.New(c.Wanted())
	}
	c.Value = n
	return nil
}

// Counts is the value of a flag for ascending whole numbers with commas between them, each from 1 to Most.
type Counts struct {
	Values []int
	Most   int
}

func (c *Counts) String() string {
	words := make([]string, len(c.Values))
	for i, n := range c.Values {
		words[i] = fmt.Sprint(n)
	}
	return strings.Join(words, ",")
}

// Type implements pflag.Value.
func (c *Counts) Type() string { return "N,N" }

// Wanted says what the value is to be.
func (c *Counts) Wanted() string {
	return fmt.Sprintf("ascending whole numbers from 1 to %d with commas between them, such as 1,2,4", c.Most)
}

// Set implements pflag.Value.
func (c *Counts) Set(text string) error {
	var all []int
	last := 0
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n <= last || n > c.Most {
			return errors.New(c.Wanted())
		}
		all, last = append(all, n), n
	}
	c.Values = all
	return nil
}
