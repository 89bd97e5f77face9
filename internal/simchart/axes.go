package simchart

import "ratelab/internal/chart"

// axes are a panel's, with the lines that a series in bins makes on them.
type axes struct{ *chart.Axes }

// steps draws a value that holds for a whole bin; equal neighbours become one line.
func (a axes) steps(values []float64, binUS float64) []chart.Point {
	line := []chart.Point{chart.At(a.Left, a.Y(values[0]))}
	for i := 1; i < len(values); i++ {
		if values[i] != values[i-1] {
			x := a.X(float64(i) * binUS)
			line = append(line, chart.At(x, a.Y(values[i-1])), chart.At(x, a.Y(values[i])))
		}
	}
	return append(line, chart.At(a.Right, a.Y(values[len(values)-1])))
}

// rise draws a total that starts at nothing and reaches each value at its bin's end.
func (a axes) rise(totals []float64, binUS float64) []chart.Point {
	line := []chart.Point{chart.At(a.Left, a.Y(0))}
	for i, v := range totals {
		line = append(line, chart.At(min(a.X(float64(i+1)*binUS), a.Right), a.Y(v)))
	}
	return chart.Simplify(line)
}

// profile draws a level that changes within the bins, from the middle of one to the middle of the next.
// Note: steps, which say no more than is known, turn every slope into a saw.
func (a axes) profile(values []float64, binUS float64) []chart.Point {
	line := []chart.Point{chart.At(a.Left, a.Y(values[0]))}
	for i, v := range values {
		line = append(line, chart.At(a.binMiddle(i, binUS), a.Y(v)))
	}
	return chart.Simplify(append(line, chart.At(a.Right, a.Y(values[len(values)-1]))))
}

func (a axes) binMiddle(i int, binUS float64) float64 {
	return min(a.X((float64(i)+0.5)*binUS), a.Right)
}

// closedAt closes a line with a level to an area.
func (a axes) closedAt(line []chart.Point, v float64) []chart.Point {
	area := append([]chart.Point{}, line...)
	return append(area, chart.At(line[len(line)-1].X, a.Y(v)), chart.At(line[0].X, a.Y(v)))
}
