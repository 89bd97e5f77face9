package script

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ratelab/internal/limit"
	"ratelab/internal/resp"
)

func num(n int64) resp.Value               { return resp.Value{Kind: resp.Int, Int: n} }
func words(s string) resp.Value            { return resp.Value{Kind: resp.String, Text: s} }
func table(items ...resp.Value) resp.Value { return resp.Value{Kind: resp.Array, Items: items} }

// mustParse reads an expression under a limit of 1000 per 3 s.
func mustParse(t interface{ Fatal(...any) }, text string) *condition {
	c, err := parseCondition(text, constantsOf(threeSeconds))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestExpressions(t *testing.T) {
	const (
		yes  = "holds"
		no   = "does not hold"
		cant = "cannot judge"
	)
	cases := []struct {
		expression string
		reply      resp.Value
		want       string
	}{
		{">= 0", num(0), yes},
		{">= 0", num(-1), no},
		{">=0", num(7), yes},
		{"  >   0 ", num(0), no},
		{"!= 0", num(1), yes},
		{"!= 0", resp.Value{}, no}, // nil is Lua's no
		{"== 1", num(1), yes},
		{"== 1", words("1"), yes}, // an expression is about numbers
		{"== 1", words("1.0"), yes},
		{"== 1", words("OK"), cant},
		{"== 1", words(""), cant},
		{"== 1", words("0x1"), cant},
		{"== 1", words("+1"), cant},
		{"== 1", words(" 1"), cant},
		{"== 1", words("nan"), cant},
		{"< 1", words("-inf"), cant},
		{"< 1", words("1e999999999"), cant},
		{"< 1", words("5e-05"), yes},
		{"<= {limit}", num(1000), yes},
		{"< {limit}", num(1000), no},
		{"< {rate}", num(333), yes},
		{"> {rate}", num(334), yes},
		{"< 9223372036854775807", num(math.MaxInt64 - 1), yes}, // doubles could not tell these apart
		{"< 9223372036854775808", num(math.MaxInt64), yes},
		{"> -1.5", num(-1), yes},
		{"> 0", table(num(1)), cant},
		{"nil", resp.Value{}, yes},
		{"nil", num(0), no},
		{"not  nil", resp.Value{}, no},
		{"not nil", words(""), yes},
		{"not nil", table(), yes},
		{"not nil", resp.Value{Kind: resp.Error, Text: "ERR"}, cant},
	}
	for _, c := range cases {
		e := mustParse(t, c.expression)
		got := no
		switch {
		case e.holds(c.reply):
			got = yes
		case !e.judges(c.reply):
			got = cant
		}
		if got != c.want {
			t.Errorf("%s of the reply %v: %s; want: %s", c.expression, c.reply, got, c.want)
		}
	}
}

// Whole numbers compare as Go's do, whichever way the reply writes them.
func TestComparisonsAgreeWithGo(t *testing.T) {
	holds := map[string]func(a, b int64) bool{
		">=": func(a, b int64) bool { return a >= b }, ">": func(a, b int64) bool { return a > b },
		"<=": func(a, b int64) bool { return a <= b }, "<": func(a, b int64) bool { return a < b },
		"==": func(a, b int64) bool { return a == b }, "!=": func(a, b int64) bool { return a != b },
	}
	rapid.Check(t, func(rt *rapid.T) {
		operator := rapid.SampledFrom([]string{">=", "<=", "==", "!=", ">", "<"}).Draw(rt, "operator")
		b := rapid.Int64().Draw(rt, "operand")
		a := rapid.OneOf(rapid.Int64(), rapid.Just(b), rapid.Int64Range(-2, 2)).Draw(rt, "reply")
		e := mustParse(rt, fmt.Sprintf("%s %d", operator, b))
		want := holds[operator](a, b)
		replies := []resp.Value{num(a), words(fmt.Sprint(a))}
		if a >= -limit.MaxExact && a <= limit.MaxExact { // with a fraction it is a double's text
			replies = append(replies, words(fmt.Sprintf("%d.0", a)))
		}
		for _, r := range replies {
			if e.holds(r) != want {
				rt.Errorf("%v of the reply %v: %t", e, r, !want)
			}
		}
	})
}

// An expression that is read is read again from what messages show of it, and speaks of every number.
func FuzzExpression(f *testing.F) {
	for _, seed := range []string{">= 0", "nil", "not nil", "== {limit}", "< 1e5", "= 1", ">= {", "> }", "=>1",
		"!=-0.5"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		known := constantsOf(threeSeconds)
		e, err := parseCondition(text, known)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("message %q", err)
			}
			return
		}
		again, err := parseCondition(e.String(), known)
		if err != nil || again.String() != e.String() {
			t.Errorf("%q is shown as %q, which is read as %v, %v", text, e, again, err)
		}
		for _, r := range []resp.Value{num(0), num(1000), words("0.5"), {}} {
			if !e.judges(r) || e.holds(r) != again.holds(r) {
				t.Errorf("%q of the reply %v", text, r)
			}
		}
	})
}

// What is rounded down and up lies within one of the exact product, on either side, for text of up to 15 digits, which
// a double keeps.
func TestRounding(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringMatching(`-?[0-9]{1,8}(\.[0-9]{1,7})?(e-?[0-9]{1,2})?`).Draw(rt, "number")
		unit := rapid.SampledFrom([]int64{1, 1000, 1_000_000}).Draw(rt, "unit")
		n, ok := parseNumber(text)
		if x, _ := strconv.ParseFloat(text, 64); math.Abs(x) >= 1e100 {
			if ok {
				rt.Fatalf("%s is a number", text)
			}
			return
		}
		floor, ok1 := n.times(unit, false)
		ceil, ok2 := n.times(unit, true)
		exact, _ := new(big.Rat).SetString(text)
		exact.Mul(exact, new(big.Rat).SetInt64(unit))
		inside := new(big.Rat).Abs(exact).Cmp(new(big.Rat).SetInt64(math.MaxInt64)) < 0
		if !ok || inside != ok1 || inside != ok2 {
			rt.Fatalf("%s: %t, %t, %t", text, ok, ok1, ok2)
		}
		if !inside {
			return
		}
		down, up := new(big.Rat).SetInt64(floor), new(big.Rat).SetInt64(ceil)
		if down.Cmp(exact) > 0 || up.Cmp(exact) < 0 || ceil-floor > 1 || exact.IsInt() && ceil != floor {
			rt.Errorf("%s times %d: %d to %d", text, unit, floor, ceil)
		}
	})
}

// However many digits a script writes of a double, it is the same number.
func TestSpellingsOfOneDouble(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		x := rapid.Float64Range(-1e15, 1e15).Draw(rt, "x")
		plain, ok := parseNumber(strconv.FormatFloat(x, 'e', -1, 64))
		long, ok1 := parseNumber(strconv.FormatFloat(x, 'e', 16, 64))
		if !ok || !ok1 || plain.compare(long) != 0 {
			rt.Errorf("%v, %v", plain.rat(), long.rat())
		}
	})
}
