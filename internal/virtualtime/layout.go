package virtualtime

import (
	"fmt"
	"slices"
	"strings"

	"ratelab/internal/script"
)

// layout says which elements of KEYS and ARGV travel with an arrival; the others are part of the source.
type layout struct {
	varying   []script.Template // in the order in which they travel, those of KEYS first
	tellsTime bool              // some element is the plain clock: the client's travels where it is not the server's
}

// mostVarying keeps the wrapper within the 60 outer variables that a Lua 5.1 function may use.
const mostVarying = 16

// tellsTime reports whether an element of the call is the plain clock.
func tellsTime(c script.Call) bool {
	return slices.ContainsFunc(slices.Concat(c.Keys, c.Args), script.Template.IsNow)
}

// varying are the elements that differ between calls, except the plain clock, which travels anyway.
func varying(c script.Call) []script.Template {
	return slices.DeleteFunc(slices.Concat(c.Keys, c.Args), func(t script.Template) bool {
		_, constant := t.Constant()
		return constant || t.IsNow()
	})
}

// slots declares a local for each varying element: its value for the whole batch, or nil where it travels with
// each arrival.
func (l *layout) slots() string {
	var b strings.Builder
	for i := range l.varying {
		fmt.Fprintf(&b, "local v%d, each%d = A[p + %d], byte(A[4], %d) == 49 ", i+1, i+1, i, i+1)
	}
	fmt.Fprintf(&b, "p = p + %d", len(l.varying))
	if l.tellsTime {
		fmt.Fprintf(&b, " local client_s, apart = now_s, byte(A[4], %d) == 49", len(l.varying)+1)
	}
	return b.String()
}

// assign is the code that makes KEYS and ARGV for one arrival: fresh tables, or the last arrival's tables with new
// contents where the script cannot tell. Other keys than the last arrival's begin a new turn.
func (l *layout) assign(c script.Call, reuse bool) string {
	keys := len(varying(script.Call{Keys: c.Keys}))
	var b strings.Builder
	if l.tellsTime {
		b.WriteString("client_s = now_s if apart then client_s = A[p] p = p + 1 end ")
	}
	for i := range l.varying {
		if i < keys {
			fmt.Fprintf(&b, "if each%d then if A[p] ~= v%d then turn = turn + 1 end v%d = A[p] p = p + 1 end ", i+1, i+1, i+1)
		} else {
			fmt.Fprintf(&b, "if each%d then v%d = A[p] p = p + 1 end ", i+1, i+1)
		}
	}
	if slices.ContainsFunc(c.Keys, script.Template.IsNow) {
		b.WriteString("turn = turn + 1 ")
	}
	if !reuse {
		return b.String() + "KEYS, ARGV = " + tables(c)
	}
	n := 0
	element := func(table string, i int, t script.Template) {
		if t.IsNow() {
			fmt.Fprintf(&b, "%s[%d] = client_s ", table, i+1)
		} else if _, constant := t.Constant(); !constant {
			n++
			fmt.Fprintf(&b, "%s[%d] = v%d ", table, i+1, n)
		}
	}
	for i, t := range c.Keys {
		element("KEYS", i, t)
	}
	for i, t := range c.Args {
		element("ARGV", i, t)
	}
	return b.String()
}

// once makes the tables that all arrivals share.
func once(c script.Call, reuse bool) string {
	if !reuse {
		return ""
	}
	return "KEYS, ARGV = " + tables(c)
}

// tables are the constructors of KEYS and ARGV.
func tables(c script.Call) string {
	n := 0
	list := func(templates []script.Template) string {
		var elements []string
		for _, t := range templates {
			text, constant := t.Constant()
			switch {
			case constant:
				elements = append(elements, script.Quote(text))
			case t.IsNow():
				elements = append(elements, "client_s")
			default:
				n++
				elements = append(elements, fmt.Sprintf("v%d", n))
			}
		}
		return "{" + strings.Join(elements, ", ") + "}"
	}
	keys := list(c.Keys)
	return keys + ", " + list(c.Args)
}

// initCode runs the init body with KEYS and ARGV that come whole with its entry, and puts the decision's back.
func (l *layout) initCode(c *script.Call, s settings) string {
	if c == nil {
		return ""
	}
	l.varying = slices.Concat(c.Keys, c.Args)
	var b strings.Builder
	b.WriteString("local keys, args = KEYS, ARGV now_s = A[p] now = tonumber(now_s) KEYS, ARGV = {}, {} ")
	for i := range c.Keys {
		fmt.Fprintf(&b, "KEYS[%d] = A[p + %d] ", i+1, i+1)
	}
	for i := range c.Args {
		fmt.Fprintf(&b, "ARGV[%d] = A[p + %d] ", i+1, len(c.Keys)+i+1)
	}
	fmt.Fprintf(&b, "p = p + %d turn, no_writes = turn + 1, %t ", len(l.varying)+1, readOnly(s.init))
	b.WriteString("if draws then reseed(now) end answer = ratelab_init() if refusal then error(refusal, 0) end ")
	b.WriteString("if type(answer) == 'table' and answer.err then error(answer, 0) end ")
	fmt.Fprintf(&b, "KEYS, ARGV, turn, no_writes = keys, args, turn + 1, %t", readOnly(s.facts))
	return b.String()
}
