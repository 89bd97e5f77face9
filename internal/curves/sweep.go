package curves

import (
	"bytes"
	"math"

	"ratelab/algorithms"
	"ratelab/internal/measure"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// Sweep is the chart of figures by the value of a parameter, with a curve for each sweep.
type Sweep struct {
	Parameter string
	Duration  bool
	Figures   []SweptFigure
	Curves    []SweptCurve
}

// SweptFigure is a figure of a sweep: a panel.
type SweptFigure struct {
	Name, Unit string
	Line       float64 // drawn across the panel; 0: no line
}

// SweptCurve has the figures of one sweep, by value.
type SweptCurve struct {
	Label, Row string      // the sweep, and its first row
	X          []float64   // NaN: no number, such as none
	Y          [][]float64 // by figure, by value
	Guarantee  []float64   // the largest x limit under any traffic, by value; NaN: unknown
}

// OfLimit is the Parameter of a sweep over the limit: each row is judged by its own limit.
const OfLimit = "limit"

// NewSweep returns the chart of the run's sweeps over one parameter. It returns nil if the run has no sweeps.
func NewSweep(run *result.Run) *Sweep {
	if len(run.Sweeps) == 0 {
		return nil
	}
	s := &Sweep{Parameter: run.Sweeps[0].Parameter, Duration: run.Sweeps[0].Duration}
	s.Figures = []SweptFigure{{"x limit", "× limit", 1}, {"lost", "% lost", 0}}
	for i := range run.Sweeps {
		of := &run.Sweeps[i]
		if of.Parameter != s.Parameter {
			continue
		}
		c := SweptCurve{Label: of.Of, Row: of.Rows[0], Y: make([][]float64, 3)}
		for k, label := range of.Rows {
			row := run.Find(label)
			if row == nil {
				continue
			}
			x := math.NaN()
			if v := of.Values[k]; v != nil {
				x = *v
			}
			c.X = append(c.X, x)
			calls := measure.Value{}
			if row.Ends != nil {
				calls = measure.Known(row.Ends.Calls)
			}
			c.Y[0], c.Y[1] = append(c.Y[0], row.XLimit), append(c.Y[1], 100*row.Lost)
			c.Y[2] = append(c.Y[2], calls.Number)
			guarantee := math.NaN()
			if row.Guarantee != nil {
				guarantee = *row.Guarantee
			}
			c.Guarantee = append(c.Guarantee, guarantee)
		}
		s.Curves = append(s.Curves, c)
	}
	renews := false
	for _, c := range s.Curves {
		for _, y := range c.Y[2] {
			renews = renews || y > 0
		}
	}
	if renews {
		s.Figures = append(s.Figures, SweptFigure{"calls", "calls per request", 0})
	}
	return s
}

// NoNumber is the label of a value that is no number.
const NoNumber = algorithms.ReservesNothing

// CSV returns a line for each value of each sweep.
func (s *Sweep) CSV() []byte {
	lines := [][]string{{"sweep", s.Parameter}}
	for _, f := range s.Figures {
		lines[0] = append(lines[0], f.Name)
	}
	for _, c := range s.Curves {
		for k, x := range c.X {
			line := []string{c.Label, NoNumber}
			if !math.IsNaN(x) {
				line[1] = report.Float(x)
			}
			for i := range s.Figures {
				line = append(line, report.Float(c.Y[i][k]))
			}
			lines = append(lines, line)
		}
	}
	var out bytes.Buffer
	_ = report.WriteCSV(&out, lines) // writing to a bytes.Buffer never fails
	return out.Bytes()
}
