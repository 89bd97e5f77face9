package script

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"ratelab/internal/limit"
	"ratelab/internal/resp"
)

// path leads to an element of a table, by numbers from 1 on, as Lua counts. An empty path is the reply itself.
type path []int

func (p path) String() string {
	texts := make([]string, len(p))
	for i, n := range p {
		texts[i] = strconv.Itoa(n)
	}
	return "element " + strings.Join(texts, ", ")
}

// in follows p into r. Nil on the way is nil at the end: a script that answers false instead of its table says no.
func (p path) in(r resp.Value) (resp.Value, error) {
	for _, n := range p {
		switch {
		case r.Kind == resp.Nil:
			return r, nil
		case r.Kind != resp.Array:
			return r, fmt.Errorf("want a table with %v", p)
		case n > len(r.Items):
			return r, fmt.Errorf("want a table with %v; Redis ends a table at its first nil", p)
		}
		r = r.Items[n-1]
	}
	return r, nil
}

// figure is a number within a reply.
type figure struct {
	element path
	unitUS  int64 // 1 for what is no time
}

// decode turns a reply into a decision.
func (b *binding) decode(r resp.Value) (limit.Decision, error) {
	if r.Kind == resp.Error {
		if b.unavailable != nil && b.unavailable.holds(r) {
			return unavailable, nil
		}
		return limit.Decision{}, errors.New(r.Text)
	}
	d, err := b.read(r)
	if err != nil {
		return limit.Decision{}, fmt.Errorf("reply %v: %w", r, err)
	}
	return d, nil
}

// What is known where nobody decided, or nobody had anything to go by.
var (
	unavailable   = limit.Decision{Verdict: limit.Unavailable}
	notConfigured = limit.Decision{Verdict: limit.NotConfigured, RetryAfterUS: limit.Never}
)

func (b *binding) read(r resp.Value) (limit.Decision, error) {
	v, err := b.element.in(r)
	if err != nil {
		return limit.Decision{}, err
	}
	switch {
	case b.unavailable != nil && b.unavailable.holds(v):
		return unavailable, nil
	case b.notConfigured != nil && b.notConfigured.holds(v):
		return notConfigured, nil
	}
	d := limit.Decision{}
	if d.Verdict, err = b.verdict(v); err != nil {
		return d, err
	}
	if b.remaining != nil {
		if d.Remaining, err = b.remaining.remaining(r); err != nil {
			return d, err
		}
	}
	if b.waitTime != nil && !d.Allowed() {
		d.RetryAfterUS, err = b.waitTime.retryAfterUS(r)
	}
	return d, err
}

func (b *binding) verdict(v resp.Value) (limit.Verdict, error) {
	switch {
	case b.admitted.holds(v):
		return limit.Allowed, nil
	case b.rejected != nil && b.rejected.holds(v), b.rejected == nil && b.admitted.judges(v):
		return limit.Rejected, nil
	}
	return limit.Rejected, b.nonsense(v)
}

// nonsense says what the tested value should have been.
func (b *binding) nonsense(v resp.Value) error {
	found := ""
	if len(b.element) > 0 {
		found = fmt.Sprintf("%v is %v; ", b.element, v)
	}
	rejected := fmt.Sprint(b.rejected)
	if b.rejected == nil {
		rejected = b.admitted.others()
	}
	remedy := ""
	switch v.Kind {
	case resp.Array:
		remedy = "; name the element of the table to test, such as element: 1"
	case resp.String:
		if _, isList := b.admitted.(oneOf); isList && numberText.MatchString(v.Text) {
			remedy = "; a list holds text apart from numbers: list " + strconv.Quote(v.Text) + ", or use an expression"
		}
	}
	return fmt.Errorf("%swant %v (admitted) or %s (rejected)%s", found, b.admitted, rejected, remedy)
}

// remaining is the figure, rounded down: so many whole requests still pass.
func (f *figure) remaining(r resp.Value) (int64, error) {
	n, known, err := f.number(r, "remaining")
	if err != nil || !known {
		return 0, err
	}
	whole, ok := n.floor(f.unitUS)
	if !ok {
		return 0, errors.New("remaining is out of range; want a number of requests")
	}
	return whole, nil
}

// retryAfterUS is the figure in microseconds, rounded up: who comes a fraction earlier is rejected again.
func (f *figure) retryAfterUS(r resp.Value) (int64, error) {
	n, known, err := f.number(r, "retry_after")
	if err != nil || !known {
		return 0, err
	}
	if n.compare(number{whole: -1}) == 0 {
		return limit.Never, nil
	}
	us, ok := n.ceil(f.unitUS)
	if !ok || n.compare(number{}) < 0 {
		return 0, errors.New("retry_after is out of range; want a time from now on, or -1 for never")
	}
	return us, nil
}

// number finds the figure; told is false where the script answers nil.
func (f *figure) number(r resp.Value, name string) (n number, known bool, err error) {
	v, err := f.element.in(r)
	if err != nil {
		return number{}, false, fmt.Errorf("%s: %w", name, err)
	}
	if v.Kind == resp.Nil {
		return number{}, false, nil
	}
	n, ok := numberOf(v)
	if !ok {
		return number{}, false, fmt.Errorf("%s is %v; want a number", name, v)
	}
	return n, true, nil
}
