package script

import (
	"fmt"
	"slices"
	"strings"

	"ratelab/internal/resp"
)

// condition is what a binding says of the replies that mean admitted, or rejected.
type condition interface {
	// holds reports whether v means it.
	holds(v resp.Value) bool
	// judges reports whether v is a reply of which the condition can tell that it does not hold, rather than one
	// that has nothing to do with it.
	judges(v resp.Value) bool
	// others says what else than a reply for which it holds it can judge.
	others() string
	String() string
}

// nilness is the expression nil (true) or not nil (false). It judges whatever a script can return.
type nilness bool

func (n nilness) holds(v resp.Value) bool  { return n.judges(v) && (v.Kind == resp.Nil) == bool(n) }
func (n nilness) judges(v resp.Value) bool { return v.Kind != resp.Error }

func (n nilness) others() string { return (!n).String() }

func (n nilness) String() string {
	if n {
		return "nil"
	}
	return "not nil"
}

// anyError is the expression error: an error reply, whatever it says, which no other condition judges.
type anyError struct{}

func (anyError) holds(v resp.Value) bool  { return v.Kind == resp.Error }
func (anyError) judges(v resp.Value) bool { return true }

func (anyError) others() string { return "a reply" }

func (anyError) String() string { return "error" }

// comparison is an expression such as >= 0. It judges numbers, also those that come as text, and nil, for which no
// comparison holds: Lua's nil and false are how scripts say no.
type comparison struct {
	operator string
	operand  number
	text     string
}

// operators are the comparisons, those of two signs first: none is found within another by its beginning.
var operators = []string{">=", "<=", "==", "!=", ">", "<"}

func (c comparison) holds(v resp.Value) bool {
	n, ok := numberOf(v)
	if !ok {
		return false
	}
	order := n.compare(c.operand)
	switch c.operator {
	case ">=":
		return order >= 0
	case "<=":
		return order <= 0
	case "==":
		return order == 0
	case "!=":
		return order != 0
	case ">":
		return order > 0
	}
	return order < 0
}

func (c comparison) judges(v resp.Value) bool {
	_, ok := numberOf(v)
	return ok || v.Kind == resp.Nil
}

func (c comparison) others() string { return "another number or nil" }

func (c comparison) String() string { return c.text }

// oneOf is a list of values. It judges values of the kinds that it lists, and nil. Unlike a comparison it takes "1"
// and 1 for two things, as Lua does: a script whose author did not know which of them it returns is one to look at.
type oneOf []resp.Value

func (l oneOf) holds(v resp.Value) bool {
	return slices.ContainsFunc(l, func(w resp.Value) bool { return same(v, w) })
}

// same reports whether two scalars are the same value.
func same(v, w resp.Value) bool {
	switch v.Kind {
	case resp.Nil:
		return w.Kind == resp.Nil
	case resp.Int:
		return w.Kind == resp.Int && v.Int == w.Int
	case resp.String:
		return w.Kind == resp.String && v.Text == w.Text
	}
	return false
}

func (l oneOf) lists(k resp.Kind) bool {
	return slices.ContainsFunc(l, func(w resp.Value) bool { return w.Kind == k })
}

func (l oneOf) judges(v resp.Value) bool {
	return v.Kind == resp.Nil || (v.Kind == resp.Int || v.Kind == resp.String) && l.lists(v.Kind)
}

func (l oneOf) others() string {
	var kinds []string
	if l.lists(resp.Int) {
		kinds = append(kinds, "another number")
	}
	if l.lists(resp.String) {
		kinds = append(kinds, "another text")
	}
	if !l.lists(resp.Nil) {
		kinds = append(kinds, "nil")
	}
	return strings.Join(kinds, " or ")
}

func (l oneOf) String() string {
	texts := make([]string, len(l))
	for i, v := range l {
		texts[i] = strings.Trim(v.String(), "()") // (nil), as redis-cli has it, is nil in a binding
	}
	return strings.Join(texts, " or ")
}

// parseExpression reads nil, not nil, or a comparison with a number or with one of the policy's {names}.
func parseExpression(text string, known constants) (condition, error) {
	switch strings.Join(strings.Fields(text), " ") {
	case "nil":
		return nilness(true), nil
	case "not nil":
		return nilness(false), nil
	}
	trimmed := strings.TrimSpace(text)
	i := slices.IndexFunc(operators, func(o string) bool { return strings.HasPrefix(trimmed, o) })
	if i < 0 {
		return nil, fmt.Errorf("expression %q: want nil, not nil, or one of >= > <= < == != and a number, such as %q",
			text, ">= 0")
	}
	operand, err := known.operand(strings.TrimSpace(trimmed[len(operators[i]):]))
	if err != nil {
		return nil, fmt.Errorf("expression %q: %w", text, err)
	}
	return comparison{operators[i], operand, trimmed}, nil
}
