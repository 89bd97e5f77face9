package virtualtime

import (
	"fmt"
	"slices"
	"strings"

	"ratelab/internal/script"
)

// layout divides the elements of KEYS and ARGV. Varying elements can be sent with each arrival, and fixed elements are
// sent once per batch. The wrapper's source contains no element, except those beyond mostFixed. So the server caches
// one wrapper of a script for all limits.
type layout struct {
	varying   []script.Template // elements that can change, in the order in which they are sent: KEYS first
	fixed     []string          // constant elements, in the same order
	tellsTime bool              // some element is the plain clock; a client's time is sent if it differs
}

// mostVarying keeps the wrapper below 60 outer variables, the limit of a Lua 5.1 function.
const mostVarying = 16

// mostFixed keeps the wrapper below 200 local variables, the limit of a Lua 5.1 function.
const mostFixed = 40

// newLayout divides the elements of a call into varying and fixed ones.
func newLayout(c script.Call) (l layout) {
	for _, t := range slices.Concat(c.Keys, c.Args) {
		text, constant := t.Constant()
		switch {
		case t.IsNow():
			l.tellsTime = true
		case !constant:
			l.varying = append(l.varying, t)
		case len(l.fixed) < mostFixed:
			l.fixed = append(l.fixed, text)
		}
	}
	return l
}

// slots returns code that declares a local for each element. A varying element has its value for the batch. each1,
// each2 … are true for elements that are sent with each arrival. Then the code grants the keys.
func (l *layout) slots(c script.Call) string {
	var b strings.Builder
	for i := range l.varying {
		fmt.Fprintf(&b, "local v%d, each%d = A[p + %d], byte(A[4], %d) == 49 ", i+1, i+1, i, i+1)
	}
	for i := range l.fixed {
		fmt.Fprintf(&b, "local f%d = A[p + %d] ", i+1, len(l.varying)+i)
	}
	n := len(l.varying) + len(l.fixed)
	fmt.Fprintf(&b, "for i = p, p + %d do numbers[A[i]] = tonumber(A[i]) end p = p + %d", n-1, n)
	if l.tellsTime {
		fmt.Fprintf(&b, " local client_s, apart = now_s, byte(A[4], %d) == 49", len(l.varying)+1)
	}
	keys, _ := elements(c)
	fmt.Fprintf(&b, " granted = {%s}", strings.Join(keys, ", "))
	return b.String()
}

// assign returns the code that makes KEYS and ARGV for one arrival. If reuse is true, the script cannot see a
// difference, and the last arrival's tables get new contents. Otherwise the tables are new. If the keys differ from the
// last arrival's, the code grants the new keys and begins a new turn.
func (l *layout) assign(c script.Call, reuse bool) string {
	var b strings.Builder
	if l.tellsTime {
		b.WriteString("client_s = now_s if apart then client_s = A[p] p = p + 1 end ")
	}
	n := 0
	for i, t := range slices.Concat(c.Keys, c.Args) {
		_, constant := t.Constant()
		isKey := i < len(c.Keys)
		switch {
		case t.IsNow() && isKey:
			fmt.Fprintf(&b, "turn = turn + 1 granted[%d] = client_s ", i+1)
		case constant || t.IsNow():
		case isKey:
			n++
			fmt.Fprintf(&b, "if each%d then if A[p] ~= v%d then turn = turn + 1 granted[%d] = A[p] end "+
				"v%d = A[p] p = p + 1 end ", n, n, i+1, n)
		default:
			n++
			fmt.Fprintf(&b, "if each%d then v%d = A[p] p = p + 1 end ", n, n)
		}
	}
	if !reuse {
		return b.String() + "give(" + tables(c) + ")"
	}
	keys, args := elements(c)
	renew := func(table string, templates []script.Template, values []string) {
		for i, t := range templates {
			if _, constant := t.Constant(); !constant {
				fmt.Fprintf(&b, "%s[%d] = %s ", table, i+1, values[i])
			}
		}
	}
	renew("keys", c.Keys, keys)
	renew("args", c.Args, args)
	return b.String()
}

// tables returns the constructors of KEYS and ARGV.
func tables(c script.Call) string {
	keys, args := elements(c)
	return "{" + strings.Join(keys, ", ") + "}, {" + strings.Join(args, ", ") + "}"
}

// elements returns the Lua expressions for the elements of KEYS and ARGV.
func elements(c script.Call) (keys, args []string) {
	n, f := 0, 0
	list := func(templates []script.Template) []string {
		elements := make([]string, len(templates))
		for i, t := range templates {
			text, constant := t.Constant()
			switch {
			case constant && f < mostFixed:
				f++
				elements[i] = fmt.Sprintf("f%d", f)
			case constant:
				elements[i] = script.Quote(text)
			case t.IsNow():
				elements[i] = "client_s"
			default:
				n++
				elements[i] = fmt.Sprintf("v%d", n)
			}
		}
		return elements
	}
	keys = list(c.Keys)
	return keys, list(c.Args)
}

// initCode returns the code that runs the init body. The entry of the call in A has all elements of its KEYS and ARGV.
// Afterwards, the code restores KEYS and ARGV of the decision.
func (l *layout) initCode(c *script.Call, s settings) string {
	if c == nil {
		return ""
	}
	l.varying = slices.Concat(c.Keys, c.Args)
	from := func(first, count int) string {
		var elements []string
		for i := range count {
			elements = append(elements, fmt.Sprintf("A[p + %d]", first+i))
		}
		return "{" + strings.Join(elements, ", ") + "}"
	}
	var b strings.Builder
	keys := from(1, len(c.Keys))
	fmt.Fprintf(&b, "now_s = A[p] now = tonumber(now_s) local before = granted granted = %s give(%s, %s) ",
		keys, keys, from(len(c.Keys)+1, len(c.Args)))
	fmt.Fprintf(&b, "p = p + %d turn, no_writes = turn + 1, %t ", len(l.varying)+1, readOnly(s.init))
	b.WriteString("if draws then reseed(now) end answer = reply(prepare()) " + s.intact() +
		" if refusal then error(refusal, 0) end ")
	b.WriteString("if type(answer) == 'table' and answer.err then error(answer, 0) end ")
	fmt.Fprintf(&b, "granted, turn, no_writes = before, turn + 1, %t", readOnly(s.facts))
	if s.facts.ReadsArguments {
		b.WriteString(" give(keys, args)")
	}
	return b.String()
}
