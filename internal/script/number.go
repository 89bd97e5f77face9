package script

import (
	"cmp"
	"math"
	"math/big"
	"regexp"
	"strconv"

	"ratelab/internal/resp"
)

// number is a number of a reply or of an expression, exact: whole, unless fraction is set. Replies of whole numbers,
// nearly all there are, cost no allocation.
type number struct {
	whole    int64
	fraction *big.Rat
}

// numberText is how Lua and Redis write numbers as text; nan and inf are no numbers.
var numberText = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// parseNumber reads a decimal number, all of text. Text that is no int64 is how a script wrote a double, of which there
// are many spellings: 0.40000000000000002 is 0.4 under %.17g. It counts as the shortest of them, or rounding up would
// find a microsecond that the script never meant.
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

// double is the number that x is the nearest double of, with the fewest digits. What is larger than any figure of a
// limiter, or smaller than the least that counts, would take much work and says nothing.
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

// numberOf is the number that a reply is, as a number or as text.
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

// compare is -1, 0 or 1 as n is less than, equal to or greater than m.
func (n number) compare(m number) int {
	if n.fraction == nil && m.fraction == nil {
		return cmp.Compare(n.whole, m.whole)
	}
	return n.rat().Cmp(m.rat())
}

// times is n times unit, rounded down or up; false where that is no int64. unit is at least 1.
func (n number) times(unit int64, up bool) (int64, bool) {
	if n.fraction == nil && n.whole >= math.MinInt64/unit && n.whole <= math.MaxInt64/unit {
		return n.whole * unit, true
	}
	product := new(big.Rat).Mul(n.rat(), new(big.Rat).SetInt64(unit))
	q := new(big.Int).Div(product.Num(), product.Denom()) // Euclidean: down, since a denominator is positive
	if up && !product.IsInt() {
		q.Add(q, big.NewInt(1))
	}
	return q.Int64(), q.IsInt64()
}
