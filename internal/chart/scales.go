package chart

import (
	"math"
	"strconv"
	"time"

	"gonum.org/v1/plot"

	"ratelab/internal/report"
)

// Axis maps values to a side of a panel, here and on a page. To gonum/plot it is a plot.Normalizer.
type Axis struct {
	Unit     string
	Min, Max float64
	Log      bool                               // both ends are above 0
	Ticks    func(lengthPx float64) []plot.Tick // as many as there is room for
}

// Share returns 0 for the axis's start and 1 for its end. Values below the start of a logarithmic axis are at 0.
func (a Axis) Share(v float64) float64 {
	if a.Log {
		return math.Log(max(v, a.Min)/a.Min) / math.Log(a.Max/a.Min)
	}
	return (v - a.Min) / (a.Max - a.Min)
}

// middle returns the value in the middle of the side.
func (a Axis) middle() float64 {
	if a.Log {
		return math.Sqrt(a.Min * a.Max)
	}
	return (a.Min + a.Max) / 2
}

// Normalize is Share, with the signature that gonum/plot needs.
func (a Axis) Normalize(_, _, v float64) float64 { return a.Share(v) }

// Counts returns a vertical axis of whole numbers from 0 to top, at least 1. A panel of that height has room for a
// label above top.
func Counts(top, height float64, unit string) Axis {
	a := Axis{Unit: unit, Max: max(top, 1) * (1 + 17/(height-17))}
	a.Ticks = func(length float64) []plot.Tick { return labelled(multiples(a.Max, int(length/30), 1), report.Short) }
	return a
}

// Amounts returns an axis from 0 to a little more than top. Its marks need not be whole. Each label takes pitch px.
func Amounts(top, pitch float64, unit string) Axis {
	if top <= 0 {
		top = 1
	}
	a := Axis{Unit: unit, Max: top * 1.06}
	a.Ticks = func(length float64) []plot.Tick {
		return labelled(multiples(a.Max, max(int(length/pitch), 2), 0), report.Short)
	}
	return a
}

// multiples returns 0 and the multiples of a step up to top. The step is 1, 2 or 5 times a power of ten, and at least
// least. It is the smallest step with at most limit multiples besides 0.
func multiples(top float64, limit int, least float64) []float64 {
	power := math.Pow(10, math.Floor(math.Log10(top/float64(limit))))
	step := 10 * power
	for _, digit := range []float64{5, 2, 1} {
		if top/(digit*power) <= float64(limit) {
			step = digit * power
		}
	}
	step = max(step, least)
	var all []float64
	for i := 0.0; i*step <= top*(1+1e-9); i++ {
		v := i * step
		if step < 1 {
			v = math.Round(v/power) * power
		}
		all = append(all, v)
	}
	return all
}

func labelled(values []float64, label func(float64) string) []plot.Tick {
	var ticks []plot.Tick
	for _, v := range values {
		ticks = append(ticks, plot.Tick{Value: v, Label: label(v)})
	}
	return ticks
}

// Logarithmic returns an axis from low to high, both above 0. low is rounded down to 1, 2 or 5 times a power of ten.
// The ticks are such numbers too, formatted by label, and at least pitch px apart. Values below low are at the axis's
// start.
func Logarithmic(low, high, pitch float64, unit string, label func(float64) string) Axis {
	power := math.Pow(10, math.Floor(math.Log10(low)))
	start := power
	for _, digit := range []float64{2, 5} {
		if digit*power <= low {
			start = digit * power
		}
	}
	a := Axis{Unit: unit, Min: start, Max: max(high*1.1, start*4), Log: true}
	a.Ticks = func(length float64) []plot.Tick { return labelled(a.decades(max(int(length/pitch), 2)), label) }
	return a
}

// decades returns 1, 2 and 5 of each decade if these are at most limit values. Otherwise it returns the powers of ten,
// of a hundred, and so on.
func (a Axis) decades(limit int) []float64 {
	of := func(digits ...float64) (all []float64) {
		for e := math.Floor(math.Log10(a.Min)); e <= math.Ceil(math.Log10(a.Max)); e++ {
			for _, d := range digits {
				if v := d * math.Pow(10, e); v >= a.Min*(1-1e-9) && v <= a.Max*(1+1e-9) {
					all = append(all, v)
				}
			}
		}
		return all
	}
	if fine := of(1, 2, 5); len(fine) <= limit {
		return fine
	}
	return thinned(of(1), limit)
}

// thinned keeps every n-th value, beginning with the first, so that at most limit are left.
func thinned[T any](all []T, limit int) []T {
	var kept []T
	every := max(1, (len(all)+limit-1)/limit)
	for i := 0; i < len(all); i += every {
		kept = append(kept, all[i])
	}
	return kept
}

// timeUnits are the units of an axis of time. Each has the shortest axis that is marked in it, the layout of a time in
// a log with dates, and the distances between ticks that read well.
var timeUnits = []struct {
	us     float64
	name   string
	layout string
	fromUS float64
	steps  []float64
}{
	{1, "µs", "", 0, []float64{1, 2, 5, 10, 20, 50, 100, 200, 500}},
	{1e3, "ms", "", 1e3, []float64{0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500}},
	{1e6, "s", "15:04:05", 1e6, []float64{0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 20, 30, 60}},
	{60e6, "min", "15:04:05", 3 * 60e6, []float64{0.5, 1, 2, 5, 10, 15, 20, 30, 60}},
	{3600e6, "h", "15:04", 3 * 3600e6, []float64{0.5, 1, 2, 3, 4, 6, 8, 12, 24}},
	{86400e6, "d", "2 Jan", 3 * 86400e6, []float64{0.5, 1, 2, 5, 7, 10, 14, 20, 30, 50, 100, 200}},
}

// Dated reports whether the marks of an axis of time are dates and times. A short axis needs fractions of a second
// instead.
func Dated(originUS int64, fromUS, toUS float64) bool { return originUS != 0 && toUS-fromUS >= 20e6 }

// Time returns an axis from one instant to another, in µs since originUS, marked in the unit that suits its length. The
// origin counts from 1970. The marks of a Dated axis are in UTC. Each label takes pitch px.
func Time(originUS int64, fromUS, toUS, pitch float64) Axis {
	a := Axis{Min: fromUS, Max: toUS}
	if !Dated(originUS, fromUS, toUS) {
		originUS = 0
	}
	a.Ticks = func(length float64) []plot.Tick { return a.timeTicks(float64(originUS), max(int(length/pitch), 1)) }
	return a
}

// timeTicks returns at most limit+1 ticks, with the smallest step that allows it.
func (a Axis) timeTicks(originUS float64, limit int) []plot.Tick {
	unit := timeUnits[0]
	for _, u := range timeUnits {
		if a.Max-a.Min >= u.fromUS {
			unit = u
		}
	}
	for _, step := range unit.steps {
		first := int(math.Ceil((originUS+a.Min)/(step*unit.us) - 1e-9))
		last := int((originUS+a.Max)/(step*unit.us) + 1e-9)
		if last-first > limit {
			continue
		}
		var ticks []plot.Tick
		for i := first; i <= last; i++ {
			v := step * float64(i)
			label := "0"
			switch {
			case originUS != 0:
				label = dated(time.UnixMicro(int64(v*unit.us)).UTC(), unit.layout)
			case i != 0:
				label = strconv.FormatFloat(v, 'g', 10, 64) + " " + unit.name
			}
			ticks = append(ticks, plot.Tick{Value: v*unit.us - originUS, Label: label})
		}
		return ticks
	}
	return nil
}

// dated formats an instant without seconds that are 0. At midnight it returns the date.
func dated(t time.Time, layout string) string {
	switch {
	case t.Equal(t.Truncate(24 * time.Hour)):
		layout = "2 Jan"
	case t.Second() == 0 && layout == "15:04:05":
		layout = "15:04"
	}
	return t.Format(layout)
}
