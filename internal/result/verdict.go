package result

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Fault says whose fault it is that a run is invalid; empty: it is valid.
func (m *Measurement) Fault() string {
	if m.Validity.Valid {
		return ""
	}
	return fmt.Sprintf("INVALID: %s was at fault; do not rely on the times", Culprit(m.Validity.Reasons))
}

// TheServer is the Culprit of a run whose generator worked correctly.
const TheServer = "the server"

// culprits maps reasons to their causes, if these are not the generator.
var culprits = map[string]string{"silence": TheServer, "nothing": "the measurement", "control": "the measurement",
	"noise": "the machine"}

// Culprit is the cause of the reasons why figures are invalid.
func Culprit(reasons []Reason) string {
	var all []string
	for _, r := range reasons {
		if who := cmp.Or(culprits[r.Code], "the generator"); !slices.Contains(all, who) {
			all = append(all, who)
		}
	}
	if all == nil {
		return "the generator"
	}
	slices.Sort(all)
	return strings.Join(all, " or ")
}

// Summary is a line for each kind of reason: how often there was one, and the worst, or the first where they have no
// length.
func (v Validity) Summary() []string {
	var codes []string
	count, worst := map[string]int{}, map[string]Reason{}
	for _, r := range v.Reasons {
		if count[r.Code]++; count[r.Code] == 1 {
			codes = append(codes, r.Code)
		}
		if count[r.Code] == 1 || r.lasted() > worst[r.Code].lasted() {
			worst[r.Code] = r
		}
	}
	var lines []string
	for _, code := range codes {
		r, times := worst[code], ""
		if n := count[code]; n > 1 {
			times = fmt.Sprintf(" (%d times, %s)", n, r.which())
		}
		lines = append(lines, fmt.Sprintf("%s%s in %s: %s", code, times, r.Where, r.Statement))
	}
	return lines
}

// lasted is how long what the reason speaks of lasted, 0 where it has no length.
func (r Reason) lasted() int64 {
	if r.LastedUS == nil {
		return 0
	}
	return *r.LastedUS
}

// which says which of several reasons it is.
func (r Reason) which() string {
	if r.LastedUS == nil {
		return "first"
	}
	return "worst"
}
