package recording

import "fmt"

// warnings are the lines that stand above and below the figures of a run that must not be taken for what it is not:
// interrupted, or measured by a generator that was at fault.
func (h *Header) warnings() []string {
	var lines []string
	if !h.Validity.Valid {
		lines = append(lines, "INVALID: the generator was at fault; do not rely on the times")
		for _, r := range h.Validity.Reasons {
			lines = append(lines, fmt.Sprintf("INVALID: %s in %s: %s", r.Code, r.Where, r.Statement))
		}
	}
	if h.Partial {
		lines = append(lines, "PARTIAL: interrupted; the figures are of the rounds that were finished")
	}
	return lines
}
