package script

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"ratelab/internal/limit"
	"ratelab/internal/resp"
	"ratelab/internal/strictyaml"
)

// replies are the rules of a binding for a script's replies. Rules that the binding does not state are nil. admitted is
// required.
type replies struct {
	element                                        path
	admitted, rejected, notConfigured, unavailable *condition
	remaining, retryAfter                          *figure

	each      []eachReply // of several limits in one call; nil: the reply is one answer
	gate      *figure     // names the limit that refused; nil: the reply does not
	gateFirst int64       // the number of the first limit
	judged    int         // the number of limits
}

// figure is the place of a number in a reply.
type figure struct {
	name    string
	element path
	unitUS  int64 // 1 if the figure is not a time
	instant bool  // the time since 1970, not from now on
}

// read reads the rules for the script's replies.
func (b *replies) read(f strictyaml.Fields, known constants) {
	b.element = elementOf(f)
	if b.each == nil || f.Get("admitted").Given() {
		b.admitted = readCondition(f.Need("admitted", wantReplies), known)
	}
	b.rejected = b.outcome(f.Get("rejected"), known)
	b.notConfigured = b.outcome(f.Get("not_configured"), known)
	if v := f.Get("unavailable"); v.IsText() && v.Node.Value == anyError.text {
		b.unavailable = anyError
	} else {
		b.unavailable = b.outcome(v, known)
	}
	b.remaining = readFigure(f.Get("remaining").Fields("element"), "remaining")
	b.retryAfter = readFigure(f.Get("retry_after").Fields("element", "unit"), "retry_after")
}

// outcome reads a condition after admitted. It refuses values that an earlier list has too.
func (b *replies) outcome(v strictyaml.Value, known constants) *condition {
	c := readCondition(v, known)
	for i, before := range []*condition{b.admitted, b.rejected, b.notConfigured} {
		if c == nil || before == nil || before.listed == nil {
			continue
		}
		for _, w := range c.listed {
			if before.holds(w) {
				v.Bad("%v is listed under %s too; want it once", strings.Trim(w.String(), "()"),
					[]string{"admitted", "rejected", "not_configured"}[i])
			}
		}
	}
	return c
}

// terms returns the terms of the conditions, with the values that the limit fixes.
func (b *replies) terms() (all string) {
	for _, c := range []*condition{b.admitted, b.rejected, b.notConfigured, b.unavailable} {
		if c != nil {
			all += c.terms + ";"
		}
	}
	return all
}

// readFigure reads {element: 2} or {element: 3, unit: ms}. It returns nil if the field is missing.
func readFigure(f strictyaml.Fields, name string) *figure {
	if !f.Given() {
		return nil
	}
	d := &figure{name: name, element: elementOf(f), unitUS: 1}
	if name == "retry_after" {
		unit := ""
		units := []string{"s", "ms", "us", "epoch_s", "epoch_ms", "epoch_us"}
		strictyaml.Choice(f.Need("unit", "one of "+strings.Join(units, ", ")), &unit, units)
		unit, d.instant = strings.CutPrefix(unit, "epoch_")
		d.unitUS = map[string]int64{"s": 1_000_000, "ms": 1000, "us": 1}[unit]
	}
	return d
}

// path leads to an element of a table. Its numbers begin at 1, as in Lua. An empty path means the reply itself.
type path []int64

const (
	maxIndex   = 1000 // of a table's element
	maxNesting = 8
)

// elementOf reads element: 2, or element: [2, 1] for the first element of the second.
func elementOf(f strictyaml.Fields) path { return elementsOf(f.Get("element")) }

func elementsOf(v strictyaml.Value) (p path) {
	items := []strictyaml.Value{v}
	if v.IsList() {
		items = v.List("an element's number from 1 on, such as 2 or [2, 1]", maxNesting)
	}
	for _, item := range items {
		var n int64
		if item.Integer(&n, 1, maxIndex) {
			p = append(p, n)
		}
	}
	return p
}

func (p path) String() string {
	return "element " + strings.Trim(strings.ReplaceAll(fmt.Sprint([]int64(p)), " ", ", "), "[]")
}

// in follows p into r. If a value on the way is nil, the result is nil. A script that answers false instead of its
// table means to reject.
func (p path) in(r resp.Value) (resp.Value, error) {
	for _, n := range p {
		switch {
		case r.Kind == resp.Nil:
			return r, nil
		case r.Kind != resp.Array:
			return r, fmt.Errorf("want a table with %v", p)
		case n > int64(len(r.Items)):
			return r, fmt.Errorf("want a table with %v; Redis ends a table at its first nil", p)
		}
		r = r.Items[n-1]
	}
	return r, nil
}

// decode turns a reply into a decision.
func (b *replies) decode(r resp.Value) (limit.Decision, error) {
	if r.Kind == resp.Error {
		if b.unavailable != nil && b.unavailable.holds(r) {
			return unavailable, nil
		}
		return limit.Decision{}, errors.New(r.Text)
	}
	d, err := b.decision(r)
	if err != nil {
		return limit.Decision{}, fmt.Errorf("reply %v: %w", r, err)
	}
	return d, nil
}

// Decisions that need no figures: the script could not decide, or the key had no limit.
var (
	unavailable   = limit.Decision{Verdict: limit.Unavailable}
	notConfigured = limit.Decision{Verdict: limit.NotConfigured, RetryAfterUS: limit.Never}
)

func (b *replies) decision(r resp.Value) (d limit.Decision, err error) {
	v, err := b.element.in(r)
	switch {
	case err != nil:
		return d, err
	case b.unavailable != nil && b.unavailable.holds(v):
		return unavailable, nil
	case b.notConfigured != nil && b.notConfigured.holds(v):
		return notConfigured, nil
	case b.admitted == nil:
		if d, err = b.byEach(r); err != nil {
			return d, err
		}
	case b.admitted.holds(v):
		d.Verdict = limit.Allowed
	case b.rejected != nil && b.rejected.holds(v), b.rejected == nil && b.admitted.judges(v):
		d.Verdict = limit.Rejected
	default:
		return d, b.nonsense(v)
	}
	if n, known, err := b.remaining.number(r); err != nil {
		return d, err
	} else if known { // rounded down to the whole requests that are still admitted
		if d.Remaining, known = n.times(1, false); !known {
			return d, errors.New("remaining is out of range; want a number of requests")
		}
	}
	if d.Verdict == limit.Rejected && b.gate != nil {
		if d.Refused, err = b.refusedBy(r, b.judged); err != nil {
			return d, err
		}
	}
	if d.Verdict == limit.Rejected {
		d.RetryAfterUS, err = b.retryAfter.wait(r)
	}
	return d, err
}

// nonsense returns an error that says what the tested value should have been.
func (b *replies) nonsense(v resp.Value) error {
	found, remedy := "", ""
	if len(b.element) > 0 {
		found = fmt.Sprintf("%v is %v; ", b.element, v)
	}
	rejected := b.admitted.others
	if b.rejected != nil {
		rejected = b.rejected.text
	}
	switch {
	case v.Kind == resp.Array:
		remedy = "; name the element of the table to test, such as element: 1"
	case v.Kind == resp.String && b.admitted.listed != nil && numberText.MatchString(v.Text):
		remedy = "; a list distinguishes text from numbers: list " + strconv.Quote(v.Text) + ", or use an expression"
	}
	return fmt.Errorf("%swant %v (admitted) or %s (rejected)%s", found, b.admitted, rejected, remedy)
}

// wait returns the figure in microseconds, rounded up. If it were rounded down, a retry could come a fraction too early
// and be rejected again.
func (f *figure) wait(r resp.Value) (int64, error) {
	n, known, err := f.number(r)
	switch {
	case err != nil || !known:
		return 0, err
	case n == number{whole: -1}:
		return limit.Never, nil
	}
	us, ok := n.times(f.unitUS, true)
	if !ok || n.compare(number{}) < 0 {
		return 0, errors.New("retry_after is out of range; want a time from now on, or -1 for never")
	}
	return us, nil
}

// number finds the figure. known is false if the binding has no such figure, or if the script answers nil.
func (f *figure) number(r resp.Value) (n number, known bool, err error) {
	if f == nil {
		return n, false, nil
	}
	v, err := f.element.in(r)
	if err != nil {
		return n, false, fmt.Errorf("%s: %w", f.name, err)
	}
	if v.Kind == resp.Nil {
		return n, false, nil
	}
	if n, known = numberOf(v); !known {
		return n, false, fmt.Errorf("%s is %v; want a number", f.name, v)
	}
	return n, true, nil
}

// Contract decodes the reply of a script that follows the Lua contract: four integers, or five from a shaper.
func Contract(r resp.Value) (limit.Decision, error) {
	if r.Kind == resp.Error {
		return limit.Decision{}, errors.New(r.Text)
	}
	var n [5]int64
	shaped := r.Kind == resp.Array && (len(r.Items) == 4 || len(r.Items) == 5)
	for i := 0; shaped && i < len(r.Items); i++ {
		n[i], shaped = r.Items[i].Int, r.Items[i].Kind == resp.Int
	}
	switch {
	case !shaped:
		return limit.Decision{}, fmt.Errorf("reply %v: want {allowed, remaining, retry_after_us, reset_after_us} or "+
			"the same with delay_us, all integers", r)
	case n[0] < -1 || n[0] > 1:
		return limit.Decision{}, fmt.Errorf("reply %v: allowed is %d; want 1, 0 or -1", r, n[0])
	}
	return limit.Decision{Verdict: limit.Verdict(n[0]), Remaining: n[1], RetryAfterUS: n[2], ResetAfterUS: n[3],
		DelayUS: n[4]}, nil
}

// ContractOfSeveral decodes the reply of a script that asks several limits in one call: the Lua contract's four
// integers, an unused one, and the bits of the limits that refused.
func ContractOfSeveral(limits int) func(resp.Value) (limit.Decision, error) {
	return func(r resp.Value) (limit.Decision, error) {
		if r.Kind != resp.Array || len(r.Items) != 6 || r.Items[5].Kind != resp.Int {
			return limit.Decision{}, fmt.Errorf("reply %v: want six integers, the last with the bits of the limits "+
				"that refused", r)
		}
		refused := limit.Each(r.Items[5].Int)
		d, err := Contract(resp.Value{Kind: resp.Array, Items: r.Items[:5]})
		if d.Refused = refused; err == nil && d.Allowed() {
			d.Charged = 1<<limits - 1
		}
		return d, err
	}
}
