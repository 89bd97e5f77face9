package sequence

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/message"
)

// Parameter is one thing about a sequence that the limit does not fix. Its value is a number, in one of four forms.
type Parameter struct {
	Name      string // as in distributed-lock:tries=5
	Doc       string
	Form      Form
	Low, High int64    // the range
	Default   int64    // a legal value
	Words     []string // of Word: the legal ones, each of which stands for its place
	Zero      string   // a word for 0, which turns off what the parameter is about; empty: there is none
}

// Form is how a parameter's number is written.
type Form int8

// The forms. A share is a number of millionths, written in percent; a duration is one of microseconds.
const (
	Integer Form = iota
	Duration
	Share
	Word
)

// oneShare is the number of the share 100%.
const oneShare = 1_000_000

// parse reads a value; the error says what is legal.
func (p *Parameter) parse(text string) (int64, error) {
	if p.Zero != "" && text == p.Zero {
		return 0, nil
	}
	n, ok := p.number(text)
	if p.Form == Word {
		if !ok {
			return 0, fmt.Errorf("parameter %s: %s; %s", p.Name, message.Quote(text), message.OneOf(text, p.Words))
		}
		return n, nil
	}
	if !ok || n < p.Low || n > p.High {
		return 0, fmt.Errorf("parameter %s: %s; want %s%s to %s", p.Name, message.Quote(text), p.orZero(),
			p.format(p.Low), p.format(p.High))
	}
	return n, nil
}

// number is what a text in the parameter's form says.
func (p *Parameter) number(text string) (n int64, ok bool) {
	switch p.Form {
	case Duration:
		d, err := limit.ParseDuration(text)
		return d.Microseconds(), err == nil && d%time.Microsecond == 0
	case Share:
		return parseShare(text)
	case Word:
		n = int64(slices.Index(p.Words, text))
		return n, n >= 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

// parseShare reads a percentage of at most four decimals.
func parseShare(text string) (int64, bool) {
	digits, percent := strings.CutSuffix(text, "%")
	whole, decimals, point := strings.Cut(digits, ".")
	if !percent || len(decimals) > 4 || point && decimals == "" || len(whole) > 9 {
		return 0, false
	}
	n, err := strconv.ParseUint(whole+decimals+strings.Repeat("0", 4-len(decimals)), 10, 63)
	return int64(n), err == nil && whole != ""
}

// orZero begins a list of what is legal with the word for 0.
func (p *Parameter) orZero() string {
	if p.Zero == "" {
		return ""
	}
	return p.Zero + ", or "
}

// format writes a value as parse reads it.
func (p *Parameter) format(n int64) string {
	switch {
	case n == 0 && p.Zero != "":
		return p.Zero
	case p.Form == Duration:
		return limit.FormatDuration(time.Duration(n) * time.Microsecond)
	case p.Form == Share:
		return strconv.FormatFloat(float64(n)/(oneShare/100), 'f', -1, 64) + "%"
	case p.Form == Word:
		return p.Words[n]
	}
	return strconv.FormatInt(n, 10)
}

// Usual is the default as text.
func (p *Parameter) Usual() string { return p.format(p.Default) }

// Kind is how a value is written: DURATION, INTEGER or PERCENT, or the words that are legal.
func (p *Parameter) Kind() string {
	if p.Form == Word {
		return strings.Join(p.Words, "|")
	}
	return [...]string{Integer: "INTEGER", Duration: "DURATION", Share: "PERCENT"}[p.Form]
}
