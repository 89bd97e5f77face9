package report

import (
	"fmt"

	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/sheet"
)

// column is one measure as people read it; headings may have two lines, so that a table stays narrow.
type column struct {
	heading string
	leaves  int // where there is no room: see sheet.Column
	text    func(*measure.Result) string
	alarms  func(*measure.Result) bool // nil for never
}

func (c column) cell(m *measure.Result) sheet.Cell {
	cell := sheet.Cell{Text: c.text(m)}
	if c.alarms != nil && c.alarms(m) {
		cell.Style = sheet.Alarm
	}
	return cell
}

// columns chooses what a run's table shows: costs only where they are not the counts again, and errors only
// where there are any.
func (r *Run) columns() []column {
	list := []column{
		{"offered", 6, func(m *measure.Result) string { return integer(m.Offered) }, nil},
		{"admitted", 0, func(m *measure.Result) string { return integer(m.Admitted) }, nil},
		{"rejected", 4, func(m *measure.Result) string { return integer(m.Rejected) }, nil},
	}
	if r.anyRow(func(m *measure.Result) bool { return m.Errors != 0 }) {
		list = append(list, column{"errors", 0, func(m *measure.Result) string { return integer(m.Errors) }, nil})
	}
	if r.HasCosts() {
		list = append(list,
			column{"offered\ncost", 6, func(m *measure.Result) string { return integer(m.OfferedCost) }, nil},
			column{"admitted\ncost", 1, func(m *measure.Result) string { return integer(m.AdmittedCost) }, nil})
	}
	window := limit.FormatDuration(microseconds(r.Limit.WindowUS))
	return append(list,
		column{"peak\nin " + window, 1, func(m *measure.Result) string { return integer(m.PeakWindowAdmitted) }, nil},
		column{"x\nlimit", 0, func(m *measure.Result) string { return sheet.Times(m.Overshoot) }, func(m *measure.Result) bool { return m.Overshoot > 1 }},
		column{"false\nadmits", 3, func(m *measure.Result) string { return integer(m.FalseAdmits) }, nil},
		column{"false\nrejects", 2, func(m *measure.Result) string { return integer(m.FalseRejects) }, nil},
		column{"used", 5, func(m *measure.Result) string { return used(m.Utilization) }, nil})
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
