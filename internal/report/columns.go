package report

import (
	"fmt"
	"math"
	"strings"

	"ratelab/internal/limit"
	"ratelab/internal/measure"
)

// column is one measure as people read it; headings have two lines, so that a table stays narrow.
type column struct {
	over, under string // the heading's two lines
	text        func(*measure.Result) string
}

// heading is the column's name on one line.
func (c column) heading() string {
	if c.under == "" {
		return c.over
	}
	return c.over + " " + c.under
}

// columns chooses what a run's table shows: costs only where they are not the counts again, and errors only
// where there are any.
func (r *Run) columns() []column {
	list := []column{
		{"offered", "", func(m *measure.Result) string { return integer(m.Offered) }},
		{"admitted", "", func(m *measure.Result) string { return integer(m.Admitted) }},
		{"rejected", "", func(m *measure.Result) string { return integer(m.Rejected) }},
	}
	if r.anyRow(func(m *measure.Result) bool { return m.Errors != 0 }) {
		list = append(list, column{"errors", "", func(m *measure.Result) string { return integer(m.Errors) }})
	}
	if r.HasCosts() {
		list = append(list,
			column{"offered", "cost", func(m *measure.Result) string { return integer(m.OfferedCost) }},
			column{"admitted", "cost", func(m *measure.Result) string { return integer(m.AdmittedCost) }})
	}
	window := limit.FormatDuration(microseconds(r.Limit.WindowUS))
	return append(list,
		column{"peak", "in " + window, func(m *measure.Result) string { return integer(m.PeakWindowAdmitted) }},
		column{"x", "limit", func(m *measure.Result) string { return Times(m.Overshoot) }},
		column{"false", "admits", func(m *measure.Result) string { return integer(m.FalseAdmits) }},
		column{"false", "rejects", func(m *measure.Result) string { return integer(m.FalseRejects) }},
		column{"used", "", func(m *measure.Result) string { return used(m.Utilization) }})
}

// Times writes a multiple of the limit with two digits. A whole multiple that it is not quite it is not called: 1.0004
// is >1.00 and 1.999 is <2.00.
func Times(x float64) string {
	text := fmt.Sprintf("%.2f", x)
	switch whole := math.Round(x); {
	case !strings.HasSuffix(text, ".00") || x == whole:
		return text
	case x < whole:
		return "<" + text
	}
	return ">" + text
}

// used writes a utilization so that a little less than everything is not everything.
func used(share float64) string {
	text := fmt.Sprintf("%.1f%%", 100*share)
	if share < 1 && text == "100.0%" {
		return ">99.9%"
	}
	return text
}

// HasCosts reports whether permits and requests are not the same in r.
func (r *Run) HasCosts() bool {
	return r.anyRow(func(m *measure.Result) bool { return m.OfferedCost != m.Offered })
}

func (r *Run) anyRow(is func(*measure.Result) bool) bool {
	for i := range r.Results {
		if is(&r.Results[i].Result) {
			return true
		}
	}
	return is(&r.Reference)
}

// differsFromVirtual reports whether the run was on the real clock and compared with virtual time.
func (r *Run) differsFromVirtual() bool {
	for i := range r.Results {
		if r.Results[i].DiffersFromVirtual != nil {
			return true
		}
	}
	return false
}
