package script

import (
	"cmp"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"ratelab/internal/resp"
)

// number is a number of a reply or of an expression, exact: whole, unless fraction is set. Replies of whole numbers,
// nearly all there are, cost no allocation.
type number struct {
	whole    int64
	fraction *big.Rat
}

// numberText is how Lua and Redis write numbers as text. It bounds the digits and the exponent, so that no reply
// can ask for the work of 1e999999999; nan and inf are no numbers.
var numberText = regexp.MustCompile(`^-?[0-9]{1,30}(\.[0-9]{1,30})?([eE][-+]?[0-9]{1,2})?$`)

// parseNumber reads a decimal number, all of text. Text with a fraction or an exponent is how a script wrote a
// double, of which there are many spellings: 0.40000000000000002 is 0.4 under %.17g. It counts as the shortest of
// them, or rounding up would find a microsecond that the script never meant.
func parseNumber(text string) (number, bool) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && text[0] != '+' {
		return number{whole: n}, true
	}
	if !numberText.MatchString(text) {
		return number{}, false
	}
	if strings.ContainsAny(text, ".eE") {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return number{}, false
		}
		return double(x), true
	}
	r, ok := new(big.Rat).SetString(text)
	return number{fraction: r}, ok
}

// double is the number that x, which is finite, is the nearest double of, with the fewest digits.
func double(x float64) number {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64))
	return number{fraction: r}
}

// numberOf is the number that a reply is, as a number or as text.
func numberOf(r resp.Value) (number, bool) {
	switch r.Kind {
	case resp.Int:
		return number{whole: r.Int}, true
	case resp.String:
		return parseNumber(r.Text)
	case resp.Double:
		if math.IsNaN(r.Float) || math.Abs(r.Float) >= tooLarge {
			return number{}, false
		}
		return double(r.Float), true
	}
	return number{}, false
}

// tooLarge bounds doubles as numberText bounds text.
const tooLarge = 1e100

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

// floor is n times unit, rounded down; false where that is no int64. unit is at least 1.
func (n number) floor(unit int64) (int64, bool) {
	if n.fraction == nil && n.whole >= math.MinInt64/unit && n.whole <= math.MaxInt64/unit {
		return n.whole * unit, true
	}
	product := new(big.Rat).Mul(n.rat(), new(big.Rat).SetInt64(unit))
	q := new(big.Int).Div(product.Num(), product.Denom()) // Euclidean: down, since a denominator is positive
	return q.Int64(), q.IsInt64()
}

// ceil is n times unit, rounded up; false where that is no int64.
func (n number) ceil(unit int64) (int64, bool) {
	if n.fraction == nil {
		return n.floor(unit)
	}
	down, ok := number{fraction: new(big.Rat).Neg(n.fraction)}.floor(unit)
	return -down, ok && down != math.MinInt64
}
