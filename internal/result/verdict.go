package result

import (
	"cmp"
	"fmt"
	"slices"
)

// Remedy is the advice for an invalid run.
const Remedy = "Measure again with --repeat-invalid 9, while nothing else uses the machine and the server."

// Fault returns one line for an invalid measurement, or "" for a valid one. It has the reason that lasted longest, or
// the first.
func (m *Measurement) Fault() string {
	v := m.Validity
	switch {
	case v.Valid:
		return ""
	case len(v.Reasons) == 0:
		return "INVALID; do not use the times"
	}
	worst := slices.MaxFunc(v.Reasons, func(a, b Reason) int { return cmp.Compare(a.LastedUS, b.LastedUS) })
	more := ""
	if n := len(v.Reasons) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	return fmt.Sprintf("INVALID: %s in %s%s; do not use the times", worst.Statement, worst.Where, more)
}
