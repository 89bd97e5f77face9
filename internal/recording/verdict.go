package recording

import "fmt"

// warnings are the lines that stand above and below the figures of a run that must not be taken for what it is not:
// interrupted, or measured by a generator that was at fault.
func (h *Header) warnings() []string {
	var lines []string
	if !h.Validity.Valid {
		lines = append(lines, "INVALID: the generator was at fault; do not rely on the times")
		for _, reason := range h.Validity.Summary() {
			lines = append(lines, "INVALID: "+reason)
		}
	}
	if h.Partial {
		lines = append(lines, "PARTIAL: interrupted; the figures are of the rounds that were finished")
	}
	return lines
}

// Summary is a line for each kind of reason: how often there was one, and the first.
func (v Validity) Summary() []string {
	var codes []string
	count, first := map[string]int{}, map[string]Reason{}
	for _, r := range v.Reasons {
		if count[r.Code]++; count[r.Code] == 1 {
			codes = append(codes, r.Code)
			first[r.Code] = r
		}
	}
	var lines []string
	for _, code := range codes {
		r, times := first[code], ""
		if n := count[code]; n > 1 {
			times = fmt.Sprintf(" (%d times, first)", n)
		}
		lines = append(lines, fmt.Sprintf("%s%s in %s: %s", code, times, r.Where, r.Statement))
	}
	return lines
}
