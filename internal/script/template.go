package script

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"time"

	"ratelab/internal/limit"
)

// Vars are the values of one call that a template may name.
type Vars struct {
	Key   string
	Cost  int64
	NowUS int64 // since 1970, on the script's clock
	ID    int64 // unique for each request of a run

	// In a call at a request's end, the Cost is what was reserved, and the ID is that of the start.
	Actual, StartUS int64
	Reply           []string // the elements of the start's reply
}

// variable is a {name} of a template that changes from call to call, or a set of such names.
type variable uint8

const (
	literal variable = 0
	key     variable = 1 << (iota - 1)
	cost
	now
	id
	computed // by an expression of the others
	actual
	start
	replied // an element of the start's reply
)

type part struct {
	kind variable
	text string
	of   int // only for key: the part of a joined key, 0 for the whole key; only for replied: the element, from 1
	// only for now: the clock is floored to floorUS microseconds, and counted in units of unitUS
	floorUS, unitUS int64
	sum             *term // only for computed
}

var plainClock = part{kind: now, floorUS: 1, unitUS: 1}

// Template is one element of KEYS or ARGV: literal text and variables, such as "rate:{key}" or "{now_ms}".
type Template struct {
	parts   []part
	changed *change // nil: the template does not change
}

// Literal returns a template that is always text.
func Literal(text string) Template { return Template{parts: []part{{text: text}}} }

// KeyIn returns KEYS[1] of the built-in scripts: a prefix, and the key as the hash tag.
func KeyIn(prefix string) Template {
	return Template{parts: []part{{text: prefix + "{"}, {kind: key}, {text: "}"}}}
}

// PartIn is KeyIn for a part of a joined key; 0 is the whole key.
func PartIn(prefix string, part int) Template {
	t := KeyIn(prefix)
	t.parts[1].of = part
	return t
}

// Cost returns a template for the request's cost in decimal.
func Cost() Template { return Template{parts: []part{{kind: cost}}} }

// Actual returns a template for the cost that is known at a request's end.
func Actual() Template { return Template{parts: []part{{kind: actual}}} }

// StartUS returns a template for the time when an ended request was admitted, in µs since 1970.
func StartUS() Template { return Template{parts: []part{{kind: start, unitUS: 1}}} }

// ID returns a template for the request's {id}.
func ID() Template { return Template{parts: []part{{kind: id}}} }

// NowUS returns a template for the caller's clock in whole microseconds, floored to a granularity.
func NowUS(granularityUS int64) Template {
	return Template{parts: []part{{kind: now, floorUS: max(1, granularityUS), unitUS: 1}}}
}

// constants are the values of the names that stand for a limit in a binding. If the limit has no exact value for a
// name, its value is NaN.
type constants map[string]float64

// constantsOf returns the constants of p. {rate} is in requests per second, as the nearest double: 1000 per 3 s is
// 333.3333333333333.
//
// Note: for a window of 1.5 s, {window_s} could be rounded to 1 or 2. This would test another limit than the user's.
func constantsOf(p limit.Policy) constants {
	whole := func(unitUS int64) float64 {
		if p.WindowUS()%unitUS != 0 {
			return math.NaN()
		}
		return float64(p.WindowUS() / unitUS)
	}
	if p.Contract == limit.ByFlight { // there is no window
		return constants{"limit": float64(p.Requests)}
	}
	return constants{"limit": float64(p.Requests), "burst": float64(p.Capacity()),
		"rate":      float64(p.Requests) * 1e6 / float64(p.WindowUS()),
		"window_us": whole(1), "window_ms": whole(1000), "window_s": whole(1_000_000)}
}

// inexact says why {window_s} or {window_ms} has no value, and which name to use instead.
func (c constants) inexact() error {
	want, unit := "{window_ms}", "seconds"
	if math.IsNaN(c["window_ms"]) {
		want, unit = "{window_us}", "milliseconds"
	}
	return fmt.Errorf("the window %s is not whole %s; want %s, or a limit per whole %s",
		limit.FormatDuration(time.Duration(c["window_us"])*time.Microsecond), unit, want, unit)
}

var braces = regexp.MustCompile(`\{\{|\}\}|\{[^}]*\}|[{}]`)

// ParseTemplate reads text with {key}, {id} and {expressions}, which stand for values of a call. {{ and }} stand for
// braces. Values that known fixes are computed immediately.
func ParseTemplate(text string, known constants) (Template, error) {
	return parseTemplate(text, known, variables, limit.Limit{})
}

// parseTemplate is ParseTemplate for a limit, which may have a name and apply to a part of the key.
func parseTemplate(text string, known constants, names map[string]*term, l limit.Limit) (Template, error) {
	t := Template{parts: []part{}} // not nil, which would mean no template
	read := 0
	for _, at := range braces.FindAllStringIndex(text, -1) {
		t.add(part{text: text[read:at[0]]})
		found := text[at[0]:at[1]]
		read = at[1]
		switch found {
		case "{{", "}}":
			t.add(part{text: found[:1]})
		case "{name}":
			t.add(part{text: l.Name})
		case "}":
			return Template{}, fmt.Errorf("template %q: a single } has no meaning; write }} for a brace", text)
		case "{":
			return Template{}, fmt.Errorf("template %q: { is not closed; write {{ for a brace", text)
		default:
			if m := ofReply.FindStringSubmatch(found); m != nil && names["start_us"] != nil {
				n, _ := strconv.Atoi(m[1])
				t.add(part{kind: replied, of: n})
				continue
			}
			sum, err := parseExpression(found[1:len(found)-1], known, names)
			if err != nil {
				return Template{}, fmt.Errorf("template %q: %w", text, err)
			}
			p := sum.part()
			if p.kind == key {
				p.of = l.Part
			}
			t.add(p)
		}
	}
	t.add(part{text: text[read:]})
	return t, nil
}

// part returns the template part that writes the term. It needs no arithmetic if that is possible.
func (t *term) part() part {
	switch {
	case t.names == 0:
		return part{text: string(appendNumber(nil, t.low))}
	case t.op != 0:
		return part{kind: t.names | computed, sum: t}
	case t.names == now:
		return part{kind: now, floorUS: 1, unitUS: t.unitUS}
	case t.names == start:
		return part{kind: start, unitUS: t.unitUS}
	}
	return part{kind: t.names}
}

// add appends p. Literal text is joined with literal text before it.
func (t *Template) add(p part) {
	last := len(t.parts) - 1
	switch {
	case p == part{}:
	case p.kind == literal && last >= 0 && t.parts[last].kind == literal:
		t.parts[last].text += p.text
	default:
		t.parts = append(t.parts, p)
	}
}

// WithPrefix returns t with text before it. An empty template stays empty, because it stands for no key.
func (t Template) WithPrefix(text string) Template {
	if text != "" && len(t.parts) > 0 {
		t.parts = append([]part{{text: text}}, t.parts...)
		if t.changed != nil {
			mine := *t.changed
			mine.then = append([]part{{text: text}}, mine.then...)
			t.changed = &mine
		}
	}
	return t
}

// Constant returns the template's text, and whether no call can change it.
func (t Template) Constant() (string, bool) {
	text := ""
	for _, p := range t.parts {
		text += p.text
	}
	return text, t.names() == 0
}

// names returns the set of variables in t.
func (t *Template) names() (all variable) {
	for i := range t.parts {
		all |= t.parts[i].kind
	}
	if t.changed != nil {
		for i := range t.changed.then {
			all |= t.changed.then[i].kind
		}
		all |= now
	}
	return all
}

// IsNow reports whether t is the plain clock in microseconds and nothing else.
func (t Template) IsNow() bool {
	return len(t.parts) == 1 && t.parts[0] == plainClock && t.changed == nil
}

// Same reports whether t certainly gives the same text for a and b. It does not write the text.
func (t Template) Same(a, b Vars) bool {
	names := t.names()
	return (names&key == 0 || a.Key == b.Key) && (names&cost == 0 || a.Cost == b.Cost) &&
		(names&now == 0 || a.NowUS == b.NowUS) && (names&id == 0 || a.ID == b.ID) &&
		(names&actual == 0 || a.Actual == b.Actual) && (names&start == 0 || a.StartUS == b.StartUS) &&
		names&replied == 0
}

// Append writes the template's text for one call to dst. v is a pointer because Vars do not fit into registers, and
// copying them costs a fifth.
func (t Template) Append(dst []byte, v *Vars) []byte {
	parts := t.parts
	if t.changed != nil {
		parts = t.partsAt(v.NowUS)
	}
	for i := range parts {
		switch p := &parts[i]; p.kind {
		case literal:
			dst = append(dst, p.text...)
		case key:
			text := v.Key
			if p.of > 0 { // every key has this part: see limit.Limit.View
				text, _ = limit.KeyPart(text, p.of)
			}
			dst = append(dst, text...)
		case cost:
			dst = strconv.AppendInt(dst, v.Cost, 10)
		case now:
			dst = strconv.AppendInt(dst, (v.NowUS-v.NowUS%p.floorUS)/p.unitUS, 10)
		case actual:
			dst = strconv.AppendInt(dst, v.Actual, 10)
		case start:
			dst = strconv.AppendInt(dst, v.StartUS/p.unitUS, 10)
		case replied:
			if p.of <= len(v.Reply) { // otherwise the start's reply had no such element
				dst = append(dst, v.Reply[p.of-1]...)
			}
		case id:
			for digit := int64(1e15); digit > 0; digit /= 10 { // constant length: some results are in bytes
				dst = append(dst, byte('0'+v.ID/digit%10))
			}
		default:
			dst = appendNumber(dst, p.sum.at(v))
		}
	}
	return dst
}
