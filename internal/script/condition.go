package script

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ratelab/internal/resp"
	"ratelab/internal/strictyaml"
)

// condition recognises the replies that mean one outcome.
type condition struct {
	text   string       // as in the binding
	terms  string       // the same, with the limit's values
	listed []resp.Value // the values of a list
	others string       // describes the replies that it judges and for which it does not hold

	// holds reports whether a reply means the outcome. judges reports whether the condition applies to a reply. If it
	// applies and does not hold, the reply means the opposite.
	holds, judges func(resp.Value) bool
}

func (c *condition) String() string { return c.text }

// The expressions nil and not nil judge all replies except errors.
var isNil, isNotNil = nilness("nil", "not nil", true), nilness("not nil", "nil", false)

func nilness(text, others string, want bool) *condition {
	return &condition{text: text, others: others,
		holds:  func(v resp.Value) bool { return v.Kind != resp.Error && (v.Kind == resp.Nil) == want },
		judges: func(v resp.Value) bool { return v.Kind != resp.Error }}
}

// anyError is the expression error: it holds for all error replies. No other condition judges error replies.
var anyError = &condition{text: "error", others: "a reply",
	holds:  func(v resp.Value) bool { return v.Kind == resp.Error },
	judges: func(resp.Value) bool { return true }}

// comparison returns a condition for an expression such as >= 0. It judges numbers, also numbers that come as text, and
// nil. No comparison holds for nil, because scripts return nil and false to reject.
func comparison(text, operator string, operand number) *condition {
	orders := map[string][]int{">=": {0, 1}, "<=": {-1, 0}, "==": {0}, "!=": {-1, 1}, ">": {1}, "<": {-1}}[operator]
	return &condition{text: text, others: "another number or nil",
		holds: func(v resp.Value) bool {
			n, ok := numberOf(v)
			return ok && slices.Contains(orders, n.compare(operand))
		},
		judges: func(v resp.Value) bool {
			_, ok := numberOf(v)
			return ok || v.Kind == resp.Nil
		}}
}

// oneOf returns a condition for a list of values. It judges nil, and values of the kinds that are in the list. Unlike a
// comparison, it distinguishes "1" from 1, as Lua does. An author who does not know which of them the script returns
// should check.
func oneOf(list []resp.Value) *condition {
	lists := func(k resp.Kind) bool {
		return slices.ContainsFunc(list, func(w resp.Value) bool { return w.Kind == k })
	}
	number, text := lists(resp.Int), lists(resp.String)
	if !number && !text {
		return isNil // a value that is not nil is of no listed kind, but its meaning is clear
	}
	var others, texts []string
	for name, among := range map[string]bool{"another number": number, "another text": text, "nil": !lists(resp.Nil)} {
		if among {
			others = append(others, name)
		}
	}
	slices.Sort(others)
	for _, v := range list {
		texts = append(texts, strings.Trim(v.String(), "()")) // redis-cli writes (nil), and bindings write nil
	}
	return &condition{text: strings.Join(texts, " or "), listed: list, others: strings.Join(others, " or "),
		holds: func(v resp.Value) bool {
			return slices.ContainsFunc(list, func(w resp.Value) bool {
				return v.Kind == w.Kind && (v.Kind == resp.Nil || v.Kind == resp.Int && v.Int == w.Int ||
					v.Kind == resp.String && v.Text == w.Text)
			})
		},
		judges: func(v resp.Value) bool {
			return v.Kind == resp.Nil || v.Kind == resp.Int && number || v.Kind == resp.String && text
		}}
}

const wantReplies = `a list of replies such as [1] or an expression such as ">= 0"`

// readCondition reads a list of values, or an expression. It returns nil if v is neither.
func readCondition(v strictyaml.Value, known constants) *condition {
	if v.IsList() {
		var list []resp.Value
		for _, item := range v.List(wantReplies, maxElements) {
			list = append(list, readValue(item))
		}
		return oneOf(list)
	}
	if !v.IsText() || len(v.Node.Value) > maxTemplate {
		v.Bad("%s; want %s", v.Shown(), wantReplies)
		return nil
	}
	c, err := parseCondition(v.Node.Value, known)
	if err != nil {
		v.Bad("expression %q: %v", v.Node.Value, err)
		return nil
	}
	return c
}

// readValue converts one value as Redis converts Lua's values to replies: true becomes 1, false and nil become nil.
func readValue(v strictyaml.Value) resp.Value {
	switch {
	case v.IsNull(), v.IsText() && !v.IsQuoted() && v.Node.Value == "nil":
		return resp.Value{}
	case v.IsText():
		return resp.Value{Kind: resp.String, Text: v.Node.Value}
	case v.IsTruth():
		if strings.EqualFold(v.Node.Value, "false") {
			return resp.Value{}
		}
		return resp.Value{Kind: resp.Int, Int: 1}
	case v.IsNumber():
		n, _ := plainNumber(v)
		return resp.Value{Kind: resp.Int, Int: n}
	}
	v.Bad("%s; want a reply: a whole number, text in quotes, true, false or nil", v.Shown())
	return resp.Value{}
}

var comparisonText = regexp.MustCompile(`^(>=|<=|==|!=|>|<)\s*(\{(.*)\}|.*)$`)

// parseCondition reads nil, not nil, or a comparison with a number or an expression of values that the limit fixes.
func parseCondition(text string, known constants) (*condition, error) {
	switch strings.Join(strings.Fields(text), " ") {
	case "nil":
		return isNil, nil
	case "not nil":
		return isNotNil, nil
	}
	text = strings.TrimSpace(text)
	parts := comparisonText.FindStringSubmatch(text)
	if parts == nil {
		return nil, fmt.Errorf("want nil, not nil, or one of >= > <= < == != and a number, such as %q", ">= 0")
	}
	n, ok := parseNumber(parts[2])
	if sum := parts[3]; sum != "" {
		t, err := parseExpression(sum, known, nil)
		if err != nil {
			return nil, err
		}
		n, ok = double(t.low)
	}
	if !ok {
		return nil, fmt.Errorf("%q is not a number; want one such as 0 or {limit}; text goes into a list, such "+
			"as [\"OK\"]", parts[2])
	}
	c := comparison(text, parts[1], n)
	c.terms = parts[1] + n.rat().RatString()
	return c, nil
}
