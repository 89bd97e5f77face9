package script

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"ratelab/internal/limit"
)

// Vars are the facts of one call that a template may name.
type Vars struct {
	Key   string
	Cost  int64
	NowUS int64 // since 1970, as the script's clock shows it
}

// variable is one {name} of a template that changes from call to call.
type variable uint8

const (
	literal variable = iota
	key
	cost
	now
)

type part struct {
	kind variable
	text string
	// of now: the clock is floored to so many microseconds, and counts so many; 0: it is in seconds with a fraction
	floorUS, unitUS int64
}

var variables = map[string]part{"key": {kind: key}, "cost": {kind: cost}, "now_us": {now, "", 1, 1},
	"now_ms": {now, "", 1, 1000}, "now_s": {now, "", 1, 1_000_000}, "now_us / 1e6": {now, "", 1, 0}}

// Template is one element of KEYS or ARGV: literal text and variables, such as "rate:{key}" or "{now_ms}".
type Template struct {
	parts   []part
	changed *change // nil: never
}

// Literal is a template that is always text.
func Literal(text string) Template { return Template{parts: []part{{text: text}}} }

// KeyIn is the built-in scripts' KEYS[1]: a prefix, and the key as the hash tag.
func KeyIn(prefix string) Template {
	return Template{parts: []part{{text: prefix + "{"}, {kind: key}, {text: "}"}}}
}

// Cost is the request's cost in decimal.
func Cost() Template { return Template{parts: []part{{kind: cost}}} }

// NowUS is the caller's clock in whole microseconds, floored to a granularity.
func NowUS(granularityUS int64) Template {
	return Template{parts: []part{{kind: now, floorUS: max(1, granularityUS), unitUS: 1}}}
}

// constants are the names of a binding that stand for a limit. The text of what the limit has no exact one for is
// empty.
type constants map[string]string

// constantsOf are the names for p. {rate} is in requests per second, as the shortest decimal that is the nearest
// double: 1000 per 3 s is 333.3333333333333.
//
// Note: rounding a window of 1.5 s to the {window_s} of 1 or 2 was the alternative; it would test another limit than
// the one that is asked about.
func constantsOf(p limit.Policy) constants {
	whole := func(unit time.Duration) string {
		if p.Window%unit != 0 {
			return ""
		}
		return strconv.FormatInt(int64(p.Window/unit), 10)
	}
	return constants{
		"limit":     strconv.FormatInt(p.Requests, 10),
		"burst":     strconv.FormatInt(p.Capacity(), 10),
		"rate":      strconv.FormatFloat(float64(p.Requests)*1e6/float64(p.WindowUS()), 'f', -1, 64),
		"window_us": whole(time.Microsecond),
		"window_ms": whole(time.Millisecond),
		"window_s":  whole(time.Second),
	}
}

// inexact says why {window_s} or {window_ms} has no value, and what has one.
func (c constants) inexact() error {
	us, _ := strconv.ParseInt(c["window_us"], 10, 64)
	want, unit := "{window_ms}", "seconds"
	if c["window_ms"] == "" {
		want, unit = "{window_us}", "milliseconds"
	}
	return fmt.Errorf("the window %s is not whole %s; want %s, or a limit per whole %s",
		limit.FormatDuration(time.Duration(us)*time.Microsecond), unit, want, unit)
}

var braces = regexp.MustCompile(`\{\{|\}\}|\{[^}]*\}|[{}]`)

// ParseTemplate reads text in which {name} stands for a variable, {{ and }} for braces. The names are key,
// cost, now_us, now_ms, now_s, "now_us / 1e6" (seconds as the shortest decimal of the nearest double) and those of
// constants, whose values are filled in at once.
func ParseTemplate(text string, known constants) (t Template, err error) {
	read := 0
	for _, at := range braces.FindAllStringIndex(text, -1) {
		t.add(part{text: text[read:at[0]]})
		found := text[at[0]:at[1]]
		read = at[1]
		name := strings.Trim(found, "{}")
		value, constant := known[name]
		p, varies := variables[name]
		switch {
		case found == "{{" || found == "}}":
			t.add(part{text: found[:1]})
		case found == "}":
			return Template{}, fmt.Errorf("template %q: a single } stands for nothing; write }} for a brace", text)
		case found == "{":
			return Template{}, fmt.Errorf("template %q: { is not closed; write {{ for a brace", text)
		case constant && value == "":
			return Template{}, fmt.Errorf("template %q: %w", text, known.inexact())
		case constant:
			t.add(part{text: value})
		case varies:
			t.add(p)
		default:
			return Template{}, fmt.Errorf("template %q: unknown {%s}; want one of %s", text, name,
				listed(slices.Concat(slices.Collect(maps.Keys(known)), slices.Collect(maps.Keys(variables)))))
		}
	}
	t.add(part{text: text[read:]})
	return t, nil
}

// listed is "{a} {b}".
func listed(names []string) string {
	for i, name := range names {
		names[i] = "{" + name + "}"
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// add appends p, literal text to the text before it.
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

// WithPrefix is t with text before it.
func (t Template) WithPrefix(text string) Template {
	if text != "" {
		t.parts = append([]part{{text: text}}, t.parts...)
		if t.changed != nil {
			mine := *t.changed
			mine.then = append([]part{{text: text}}, mine.then...)
			t.changed = &mine
		}
	}
	return t
}

// Constant gives the template's text if no call can change it.
func (t Template) Constant() (string, bool) {
	text := ""
	for _, p := range t.parts {
		text += p.text
	}
	return text, !t.names(key, cost, now)
}

// names reports whether t has any of the variables.
func (t Template) names(any ...variable) bool {
	if t.changed != nil && (slices.Contains(any, now) || Template{parts: t.changed.then}.names(any...)) {
		return true
	}
	return slices.ContainsFunc(t.parts, func(p part) bool { return slices.Contains(any, p.kind) })
}

// IsNow reports whether t is the plain clock in microseconds and nothing else.
func (t Template) IsNow() bool {
	return len(t.parts) == 1 && t.parts[0] == variables["now_us"] && t.changed == nil
}

// Same reports whether t gives the same text for a and b, as far as can be told without writing it.
func (t Template) Same(a, b Vars) bool {
	return (a.Key == b.Key || !t.names(key)) && (a.Cost == b.Cost || !t.names(cost)) &&
		(a.NowUS == b.NowUS || !t.names(now))
}

// Append writes the template's text for one call to dst.
func (t Template) Append(dst []byte, v Vars) []byte {
	parts := t.parts
	if t.changed != nil {
		parts = t.partsAt(v.NowUS)
	}
	for i := range parts {
		switch p := &parts[i]; p.kind {
		case literal:
			dst = append(dst, p.text...)
		case key:
			dst = append(dst, v.Key...)
		case cost:
			dst = strconv.AppendInt(dst, v.Cost, 10)
		case now:
			if p.unitUS == 0 {
				dst = strconv.AppendFloat(dst, float64(v.NowUS)/1e6, 'f', -1, 64)
				continue
			}
			dst = strconv.AppendInt(dst, (v.NowUS-v.NowUS%p.floorUS)/p.unitUS, 10)
		}
	}
	return dst
}
