package script

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
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
	nowUS
	nowMS
	nowS
)

var variables = map[string]variable{"key": key, "cost": cost, "now_us": nowUS, "now_ms": nowMS, "now_s": nowS}

type part struct {
	kind variable
	text string
}

// Template is one element of KEYS or ARGV: literal text and variables, such as "rate:{key}" or "{now_ms}".
type Template struct {
	parts []part
	// granularityUS floors the clock before it is written; 0 and 1 leave it alone.
	granularityUS int64
}

// Literal is a template that is always text.
func Literal(text string) Template { return Template{parts: []part{{literal, text}}} }

// KeyIn is the built-in scripts' KEYS[1]: a prefix, and the key as the hash tag.
func KeyIn(prefix string) Template {
	return Template{parts: []part{{literal, prefix + "{"}, {kind: key}, {literal, "}"}}}
}

// Cost is the request's cost in decimal.
func Cost() Template { return Template{parts: []part{{kind: cost}}} }

// NowUS is the caller's clock in whole microseconds, floored to a granularity.
func NowUS(granularityUS int64) Template {
	return Template{parts: []part{{kind: nowUS}}, granularityUS: granularityUS}
}

// ParseTemplate reads text in which {name} stands for a variable, {{ and }} for braces. The names are key,
// cost, now_us, now_ms, now_s and those of constants, whose values are filled in at once.
func ParseTemplate(text string, constants map[string]string) (Template, error) {
	var t Template
	var lit strings.Builder
	for rest := text; rest != ""; {
		switch i := strings.IndexAny(rest, "{}"); {
		case i < 0:
			lit.WriteString(rest)
			rest = ""
		case strings.HasPrefix(rest[i:], "{{"), strings.HasPrefix(rest[i:], "}}"):
			lit.WriteString(rest[:i+1])
			rest = rest[i+2:]
		case rest[i] == '}':
			return t, fmt.Errorf("template %q: a single } stands for nothing; write }} for a brace", text)
		default:
			lit.WriteString(rest[:i])
			name, after, closed := strings.Cut(rest[i+1:], "}")
			if !closed {
				return t, fmt.Errorf("template %q: { is not closed; write {{ for a brace", text)
			}
			rest = after
			if value, ok := constants[name]; ok {
				lit.WriteString(value)
				continue
			}
			kind, ok := variables[name]
			if !ok {
				return t, fmt.Errorf("template %q: unknown {%s}; want one of %s", text, name, names(constants))
			}
			t.flush(&lit)
			t.parts = append(t.parts, part{kind: kind})
		}
	}
	t.flush(&lit)
	return t, nil
}

func (t *Template) flush(lit *strings.Builder) {
	if lit.Len() > 0 {
		t.parts = append(t.parts, part{literal, lit.String()})
		lit.Reset()
	}
}

func names(constants map[string]string) string {
	var all []string
	for name := range variables {
		all = append(all, "{"+name+"}")
	}
	for name := range constants {
		all = append(all, "{"+name+"}")
	}
	sort.Strings(all)
	return strings.Join(all, " ")
}

// WithPrefix is t with text before it.
func (t Template) WithPrefix(text string) Template {
	if text != "" {
		t.parts = append([]part{{literal, text}}, t.parts...)
	}
	return t
}

// Constant gives the template's text if no call can change it.
func (t Template) Constant() (string, bool) {
	text := ""
	for _, p := range t.parts {
		if p.kind != literal {
			return "", false
		}
		text += p.text
	}
	return text, true
}

// IsNow reports whether t is the plain clock in microseconds and nothing else.
func (t Template) IsNow() bool {
	return len(t.parts) == 1 && t.parts[0].kind == nowUS && t.granularityUS <= 1
}

// Same reports whether t gives the same text for a and b, as far as can be told without writing it.
func (t Template) Same(a, b Vars) bool {
	for _, p := range t.parts {
		switch p.kind {
		case literal:
		case key:
			if a.Key != b.Key {
				return false
			}
		case cost:
			if a.Cost != b.Cost {
				return false
			}
		default:
			if a.NowUS != b.NowUS {
				return false
			}
		}
	}
	return true
}

// Append writes the template's text for one call to dst.
func (t Template) Append(dst []byte, v Vars) []byte {
	now := v.NowUS
	if t.granularityUS > 1 {
		now -= now % t.granularityUS
	}
	for _, p := range t.parts {
		switch p.kind {
		case literal:
			dst = append(dst, p.text...)
		case key:
			dst = append(dst, v.Key...)
		case cost:
			dst = strconv.AppendInt(dst, v.Cost, 10)
		case nowUS:
			dst = strconv.AppendInt(dst, now, 10)
		case nowMS:
			dst = strconv.AppendInt(dst, now/1000, 10)
		case nowS:
			dst = strconv.AppendInt(dst, now/1_000_000, 10)
		}
	}
	return dst
}
