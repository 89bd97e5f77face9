package result

import "fmt"

// Fault is one line for an invalid measurement: the reason that lasted longest, or the first; empty: it is valid.
func (m *Measurement) Fault() string {
	v := m.Validity
	switch {
	case v.Valid:
		return ""
	case len(v.Reasons) == 0:
		return "INVALID; do not use the times"
	}
	worst := v.Reasons[0]
	for _, r := range v.Reasons {
		if r.LastedUS > worst.LastedUS {
			worst = r
		}
	}
	more := ""
	if n := len(v.Reasons) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	return fmt.Sprintf("INVALID: %s in %s%s; do not use the times", worst.Statement, worst.Where, more)
}
