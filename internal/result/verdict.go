package result

import (
	"cmp"
	"fmt"
	"slices"
)

// Remedy is what to do about a run that is invalid.
const Remedy = "Measure again with --repeat-invalid 9, while nothing else uses the machine and the server."

// Fault is one line for an invalid measurement: the reason that lasted longest, or the first; empty: it is valid.
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
