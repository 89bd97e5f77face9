package script

import (
	"cmp"
	"math"
	"math/big"
	"regexp"
	"strconv"

	"ratelab/internal/resp"
)

// number is an exact number of a reply or an expression. It is whole, unless fraction is set. Nearly all replies are
// whole numbers, which cost no allocation.
type number struct {
	whole    int64
	fraction *big.Rat
}

// numberText matches numbers as Lua and Redis write them as text. It does not match nan and inf.
var numberText = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// parseNumber reads text as a decimal number. If the text is not an int64, the script wrote a double, and doubles have
// many spellings: with %.17g, 0.4 is 0.40000000000000002. The number is the shortest of these spellings. Otherwise
// rounding up could add a microsecond that the script did not mean.
func parseNumber(text string) (number, bool) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && text[0] != '+' {
		return number{whole: n}, true
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !numberText.MatchString(text) {
		return number{}, false
	}
	return double(x)
}

// double returns the shortest decimal number whose nearest double is x. It refuses numbers of 1e100 and more. No figure
// of a limiter is that large, and their arithmetic is slow.
func double(x float64) (number, bool) {
	if math.IsNaN(x) || math.Abs(x) >= 1e100 {
		return number{}, false
	}
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64))
	if ok && r.IsInt() && r.Num().IsInt64() {
		return number{whole: r.Num().Int64()}, true
	}
	return number{fraction: r}, ok
}

// numberOf returns the number that a reply contains, as a number or as text.
func numberOf(r resp.Value) (number, bool) {
	switch r.Kind {
	case resp.Int:
		return number{whole: r.Int}, true
	case resp.String:
		return parseNumber(r.Text)
	}
	return number{}, false
}

func (n number) rat() *big.Rat {
	if n.fraction != nil {
		return n.fraction
	}
	return new(big.Rat).SetInt64(n.whole)
}

// compare returns -1, 0 or 1 if n is less than, equal to or greater than m.
func (n number) compare(m number) int {
	if n.fraction == nil && m.fraction == nil {
		return cmp.Compare(n.whole, m.whole)
	}
	return n.rat().Cmp(m.rat())
}

// times returns n times unit, rounded down or up, or false if the result is no int64. unit must be at least 1.
func (n number) times(unit int64, up bool) (int64, bool) {
	if n.fraction == nil && n.whole >= math.MinInt64/unit && n.whole <= math.MaxInt64/unit {
		return n.whole * unit, true
	}
	product := new(big.Rat).Mul(n.rat(), new(big.Rat).SetInt64(unit))
	q := new(big.Int).Div(product.Num(), product.Denom()) // Euclidean: rounds down, as the denominator is positive
	if up && !product.IsInt() {
		q.Add(q, big.NewInt(1))
	}
	return q.Int64(), q.IsInt64()
}
