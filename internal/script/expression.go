package script

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ratelab/internal/limit"
	"ratelab/internal/message"
)

// term is an expression in braces, or a part of one: an operation on two terms, a variable, or a number. Its values are
// doubles from low to high. If the limit fixes the value, low and high are equal. No call can fail, because
// parseExpression refuses values that could reach 2^53 and divisors that could be 0.
type term struct {
	op          byte // one of + - * / f % =, f for //, = for ==; 0: no operation
	left, right *term
	names       variable // variables that it depends on; none: its value is low
	unitUS      int64    // unit of the time, if there is no operation
	low, high   float64
}

// latestUS lies in the year 2223, later than the end of any scenario.
const latestUS = 8e15

func clock(unitUS int64) *term {
	return &term{names: now, unitUS: unitUS, high: latestUS / float64(unitUS)}
}

// variables are the names whose values change from request to request.
var variables = map[string]*term{"key": {names: key}, "id": {names: id}, "cost": {names: cost, low: 1,
	high: limit.MaxRequests}, "now_us": clock(1), "now_ms": clock(1000), "now_s": clock(1_000_000)}

// atEnd are the names that a call at the end of a request has besides.
var atEnd = map[string]*term{"actual": {names: actual, high: limit.MaxRequests},
	"reserved": {names: cost, high: limit.MaxRequests}, "start_us": began(1), "start_ms": began(1000),
	"start_s": began(1_000_000)}

// ofReply matches an element of the reply to the start.
var ofReply = regexp.MustCompile(`^\{reply\[([1-9][0-9]?)\]\}$`)

func began(unitUS int64) *term {
	return &term{names: start, unitUS: unitUS, high: latestUS / float64(unitUS)}
}

func init() { maps.Copy(atEnd, variables) }

// at returns the term's value for one call.
func (t *term) at(v *Vars) float64 {
	switch {
	case t.op != 0:
		return calculate(t.op, t.left.at(v), t.right.at(v))
	case t.names == now:
		return float64(v.NowUS / t.unitUS)
	case t.names == cost:
		return float64(v.Cost)
	case t.names == actual:
		return float64(v.Actual)
	case t.names == start:
		return float64(v.StartUS / t.unitUS)
	}
	return t.low
}

func calculate(op byte, a, b float64) float64 {
	switch op {
	case '+':
		return a + b
	case '-':
		return a - b
	case '*':
		return a * b
	case '/':
		return a / b
	case '=':
		if a == b {
			return 1
		}
		return 0
	}
	quotient, rest := floored(a, b)
	if op == '%' {
		return rest
	}
	return quotient
}

// floored returns a // b and a % b, as Python does: the quotient rounded down, and a rest with the sign of b. Lua 5.3
// has the same results for whole numbers.
func floored(a, b float64) (quotient, rest float64) {
	if x, y := int64(a), int64(b); float64(x) == a && float64(y) == b {
		rest = float64(x % y)
	} else {
		rest = math.Mod(a, b)
	}
	if rest != 0 && rest < 0 != (b < 0) {
		rest += b
	}
	q := (a - rest) / b // a whole number, except for rounding errors
	quotient = math.Floor(q)
	if q-quotient > 0.5 {
		quotient++
	}
	return quotient, rest
}

// appendNumber writes the shortest decimal that reads back as x.
func appendNumber(dst []byte, x float64) []byte {
	if x == math.Trunc(x) {
		return strconv.AppendInt(dst, int64(x), 10)
	}
	return strconv.AppendFloat(dst, x, 'f', -1, 64)
}

// parser reads one expression, one word at a time.
type parser struct {
	known      constants
	variables  map[string]*term
	word, rest string
	err        error // the first error; reading ends there
}

// parseExpression reads the text between braces: numbers, names of known and of variables, operators, parentheses.
func parseExpression(text string, known constants, variables map[string]*term) (*term, error) {
	p := &parser{known: known, variables: variables, rest: text}
	p.next()
	t := p.equation()
	if p.word != "" {
		p.fail("%s follows a number; want an operator: + - * / // %% ==", message.Quote(p.word))
	}
	return t, p.err
}

var wordText = regexp.MustCompile(`^ *([0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?|\w+|//|==|[^ ])? *`)

func (p *parser) next() {
	found := wordText.FindStringSubmatch(p.rest)
	p.word, p.rest = found[1], p.rest[len(found[0]):]
}

func (p *parser) fail(format string, args ...any) *term {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
	p.word, p.rest = "", ""
	return &term{}
}

// equation is 1 if both sides are equal, and otherwise 0.
func (p *parser) equation() *term { return p.chain("==", p.sum) }

func (p *parser) sum() *term     { return p.chain("+ -", p.product) }
func (p *parser) product() *term { return p.chain("* / // %", p.operand) }

// chain reads operands with any of the operators between them, from left to right.
func (p *parser) chain(operators string, operand func() *term) *term {
	t := operand()
	for slices.Contains(strings.Fields(operators), p.word) {
		op := p.word
		p.next()
		t = p.apply(op, t, operand())
	}
	return t
}

func (p *parser) operand() *term {
	word := p.word
	p.next()
	value, constant := p.known[word]
	t, varies := p.variables[word]
	x, err := strconv.ParseFloat(word, 64)
	switch {
	case word == "-":
		return p.apply("-", &term{}, p.operand())
	case word == "(":
		t = p.equation()
		if p.word != ")" {
			return p.fail("( is not closed; want a ) for each")
		}
		p.next()
		return t
	case numberText.MatchString(word) && err == nil:
		return p.within(&term{low: x, high: x}, word)
	case constant && math.IsNaN(value):
		return p.fail("%w", p.known.inexact())
	case constant:
		return &term{low: value, high: value}
	case varies:
		return t
	case word == "" || strings.Contains("+*///%)==", word):
		return p.fail("a number or a name is missing; want one before and after each operator")
	}
	names := slices.Sorted(maps.Keys(p.known))
	return p.fail("unknown %s; %s", message.Quote(word), message.OneOf(word,
		slices.Concat(names, slices.Sorted(maps.Keys(p.variables)))))
}

// apply returns the term left op right. It is a number if both sides are numbers.
func (p *parser) apply(operator string, left, right *term) *term {
	op := operator[0]
	if operator == "//" {
		op = 'f'
	}
	t := &term{op: op, left: left, right: right, names: left.names | right.names}
	switch divides := strings.IndexByte("/f%", op) >= 0; {
	case p.err != nil:
		return t
	case t.names&(key|id) != 0:
		return p.fail("key and id are text, not numbers; want each in its own braces")
	case divides && right.low == 0 && right.high == 0:
		return p.fail("divides by 0; want another divisor")
	case divides && right.low <= 0 && right.high >= 0:
		return p.fail("the divisor may be 0 in some calls; want a divisor that is never 0, such as limit or window_ms")
	}
	if op == '=' && t.names != 0 {
		t.high = 1
		return t
	}
	if op == '%' && t.names != 0 {
		t.low, t.high = min(0, right.low), max(0, right.high)
		return t
	}
	t.low, t.high = math.Inf(1), math.Inf(-1)
	for _, a := range []float64{left.low, left.high} {
		for _, b := range []float64{right.low, right.high} {
			x := calculate(op, a, b)
			t.low, t.high = min(t.low, x), max(t.high, x)
		}
	}
	if t.names == 0 {
		t = &term{low: t.low, high: t.high}
	}
	return p.within(t, "the result of "+operator)
}

// within refuses terms that may be larger than the range in which a double represents every whole number.
func (p *parser) within(t *term, what string) *term {
	if most := max(-t.low, t.high); most >= float64(limit.MaxExact) {
		return p.fail("%s is up to %.3g, and numbers are exact below 2^53 = %d; want a larger unit or a smaller number",
			what, most, limit.MaxExact)
	}
	return t
}
