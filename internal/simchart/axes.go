package simchart

import (
	"image/color"

	"ratelab/internal/chart"
)

// axes are a panel's, with the lines that values in bins make on them.
type axes struct {
	*chart.Axes
	color color.NRGBA // of its curve
	first bool        // of the panels: it says what the lines are that all have
	top   int64       // of the scale: what is higher is cut off
	from  int64       // of the time axis, where the first bin begins, µs
}

func (a axes) y(v int64) float64 { return a.Y(float64(v)) }

// steps draws a value that holds for a whole bin; equal neighbours become one line.
func (a axes) steps(values []int64, binUS int64) []chart.Point {
	line := []chart.Point{chart.At(a.Left, a.y(values[0]))}
	for i := 1; i < len(values); i++ {
		if values[i] != values[i-1] {
			x := a.X(float64(a.from + int64(i)*binUS))
			line = append(line, chart.At(x, a.y(values[i-1])), chart.At(x, a.y(values[i])))
		}
	}
	return append(line, chart.At(a.Right, a.y(values[len(values)-1])))
}

// rise draws a total that starts at nothing and reaches each value at its bin's end.
func (a axes) rise(totals []int64, binUS int64) []chart.Point {
	line := []chart.Point{chart.At(a.Left, a.y(0))}
	for i, v := range totals {
		line = append(line, chart.At(min(a.X(float64(a.from+int64(i+1)*binUS)), a.Right), a.y(v)))
	}
	return chart.Simplify(line)
}

// profile draws a level that changes within the bins, from the middle of one to the middle of the next.
// Note: steps, which say no more than is known, turn every slope into a saw.
func (a axes) profile(values []int64, binUS int64) []chart.Point {
	line := []chart.Point{chart.At(a.Left, a.y(values[0]))}
	for i, v := range values {
		line = append(line, chart.At(a.binMiddle(i, binUS), a.y(v)))
	}
	return chart.Simplify(append(line, chart.At(a.Right, a.y(values[len(values)-1]))))
}

func (a axes) binMiddle(i int, binUS int64) float64 {
	return min(a.X(float64(a.from)+(float64(i)+0.5)*float64(binUS)), a.Right)
}

// closedAt closes a line with a level to an area.
func (a axes) closedAt(line []chart.Point, v int64) []chart.Point {
	area := append([]chart.Point{}, line...)
	return append(area, chart.At(line[len(line)-1].X, a.y(v)), chart.At(line[0].X, a.y(v)))
}
