package counting

import (
	"fmt"
	"math"
	"strconv"

	"ratelab/internal/report"
)

// A value is one side's figure: a float64, a text such as a hash, or nil where there is none.

func optional[T int64 | float64](n *T) any {
	if n == nil {
		return nil
	}
	return float64(*n)
}

// equal allows numbers the rounding of a division or two.
func equal(a, b any) bool {
	x, isNumber := a.(float64)
	y, areNumbers := b.(float64)
	if !isNumber || !areNumbers {
		return a == b
	}
	return math.Abs(x-y) <= 1e-9*math.Abs(x)
}

// shown is a value as people read it: counts in full, what is measured with three digits at least, of a hash its
// beginning.
func shown(value any) string {
	const most = 12
	switch v := value.(type) {
	case nil:
		return report.Absent
	case float64:
		if (v == math.Trunc(v) || math.Abs(v) >= 1000) && math.Abs(v) < 1e15 {
			return strconv.FormatFloat(v, 'f', 0, 64)
		}
		return report.Significant(v)
	}
	return fmt.Sprintf("%.*s", most, value)
}
