// Package curves computes the content of the charts of one run: the values of each curve, its texts, and the data for
// CSV. The packages chart and page only draw it, so that a run looks the same in pictures and on the page. Package
// curves has no pixels, colours or image formats, reads no clock, and does not depend on any algorithm.
package curves

import (
	"bytes"
	"slices"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// Input is one run and its course over time. All series and the traffic have the same number of buckets, at least one,
// of the same width, from the scenario's start.
type Input struct {
	Run        *result.Run
	Version    string // of this program, for a picture's footer; may be empty
	Traffic    measure.Traffic
	Reference  *measure.Series // of the exact limiter; nil if each row had requests of its own
	Algorithms []Limiter
	// ReferenceLimits has the exact limiter's series by each of several limits.
	ReferenceLimits []measure.Series
}

// Limiter is one limiter's course over time.
type Limiter struct {
	Label   string
	Series  measure.Series
	Traffic *measure.Traffic // its own offered traffic, with the Input's buckets; nil: the Input's
	Limits  []measure.Series // by each of several limits
}

// Chart is the common part of all charts.
type Chart struct {
	Caption string // what the chart shows, with its unit
	Unit    string // requests, or tokens if costs differ from 1
	Limit   result.Limit
	Curves  []Curve // of the rows, in the order of the run
	columns []column
}

// Curve is one row's curve.
type Curve struct {
	Label   string
	Values  []int64 // for each bin
	Top     int64   // the highest of Values
	Fact    string  // the main figure of the row, in words
	Offered []int64 // in a Flow, the offered cost in the same bins; Top is then the highest of these
}

func newChart(run *result.Run) Chart {
	if run.HasCosts() {
		return Chart{Unit: "tokens", Limit: run.Limit}
	}
	return Chart{Unit: "requests", Limit: run.Limit}
}

// Shown returns the curves that are drawn at first. It excludes the floor and its variants, which admit everything and
// would make the others flat, unless there are no others.
func (c Chart) Shown() []Curve {
	others := slices.DeleteFunc(slices.Clone(c.Curves), func(c Curve) bool { return algorithms.IsFloor(c.Label) })
	if len(others) == 0 {
		return c.Curves
	}
	return others
}

// Allows returns the most that the contract allows for one key in the limit's window, and its name in a chart.
func (c Chart) Allows() (allowed int64, name string) {
	if c.Limit.Contract == limit.ByBucket {
		return c.Limit.Requests + c.Limit.Burst, "limit + burst"
	}
	return c.Limit.Requests, "limit"
}

// kept returns the fact about a curve with that top.
func (c Chart) kept(top int64) string {
	allowed, name := c.Allows()
	if top > allowed {
		return times(top, allowed) + " the " + name
	}
	return "within the " + name
}

// fact returns the fact about a curve with that top and a row's x_limit. A bucket contract may be broken in an interval
// that is shorter or longer than the window.
func (c Chart) fact(top int64, xLimit float64) string {
	if c.Limit.Contract == limit.ByBucket && xLimit > 1 {
		return report.Times(xLimit) + " × the contract"
	}
	return c.kept(top)
}

// times formats a multiple of what is allowed: 1.98 ×.
func times(most, allowed int64) string { return report.Times(float64(most)/float64(allowed)) + " ×" }

// column is a column of a chart's data. The first is the longest; missing values of others are empty.
type column struct {
	name   string
	values []int64
}

// CSV returns the data of the chart, with all rows and all buckets.
func (c Chart) CSV() []byte {
	lines := make([][]string, 1+len(c.columns[0].values))
	for _, col := range c.columns {
		lines[0] = append(lines[0], col.name)
		for n := range lines[1:] {
			cell := ""
			if n < len(col.values) {
				cell = report.Integer(col.values[n])
			}
			lines[1+n] = append(lines[1+n], cell)
		}
	}
	var out bytes.Buffer
	_ = report.WriteCSV(&out, lines) // writing to a bytes.Buffer never fails
	return out.Bytes()
}
