// Package costs is the table of what a limiter takes of a server: instructions of a decision on each path, and bytes of
// a key, as a + b·x. make costs counts it anew and writes costs.csv, which is built into the programs.
package costs

import (
	_ "embed"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
)

// The figures of a limiter.
const (
	First    = "first"    // instructions of a decision that admits the first request of a key
	Admitted = "admitted" // of one that admits a later request
	Rejected = "rejected"
	Bytes    = "bytes" // of a full key with a name of KeyLength bytes
)

// Figures are all of them.
func Figures() []string { return []string{First, Admitted, Rejected, Bytes} }

// KeyLength is the length of the key's name when its bytes are measured, the same for every limiter.
const KeyLength = 16

// What x is.
const (
	Entries = "entries" // in a full log, the limit
	Parts   = "parts"   // sub-windows that hold something: at most those of a window, and the limit
)

// Figure is one line: A + B·x.
type Figure struct {
	Limiter string  // the algorithm's name
	SHA1    string  // of the script that was counted
	Figure  string  // one of Figures
	X       string  // what x is; "": the figure does not depend on it
	A, B    float64 // B is 0 without X
	Within  float64 // the largest relative distance of a count from the line
}

// At is the figure for an x.
func (f *Figure) At(x float64) float64 { return f.A + f.B*x }

var header = []string{"limiter", "sha1", "figure", "x", "a", "b", "within"}

//go:embed costs.csv
var committed string

// Table is the committed one.
func Table() []Figure {
	lines, err := csv.NewReader(strings.NewReader(committed)).ReadAll()
	var all []Figure
	for _, line := range lines[1:] {
		f := Figure{Limiter: line[0], SHA1: line[1], Figure: line[2], X: line[3]}
		for i, to := range []*float64{&f.A, &f.B, &f.Within} {
			var failed error
			*to, failed = strconv.ParseFloat(line[4+i], 64)
			err = errors.Join(err, failed)
		}
		all = append(all, f)
	}
	if err != nil {
		panic(err) // the file is part of the program, and a test reads it
	}
	return all
}

// Of is a figure of a limiter; nil where it was not counted.
func Of(all []Figure, limiter, figure string) *Figure {
	for i := range all {
		if all[i].Limiter == limiter && all[i].Figure == figure {
			return &all[i]
		}
	}
	return nil
}

// Write writes the table as costs.csv has it.
func Write(w io.Writer, all []Figure) error {
	out := csv.NewWriter(w)
	lines := [][]string{header}
	for _, f := range all {
		lines = append(lines, []string{f.Limiter, f.SHA1, f.Figure, f.X, digits(f.A, 1), digits(f.B, 2),
			digits(f.Within, 3)})
	}
	return out.WriteAll(lines)
}

func digits(v float64, n int) string { return strconv.FormatFloat(v, 'f', n, 64) }

// Point is one count.
type Point struct{ X, Y float64 }

// Fit sets A, B and Within to the line whose largest relative distance from the points is least. Where all points have
// one x, or X is "", B is 0.
func (f *Figure) Fit(points []Point) {
	weights := make([]float64, len(points))
	for i, p := range points {
		weights[i] = 1 / (p.Y * p.Y)
	}
	// Lawson: least squares, with the weights of distant points growing, until the distances are balanced. No weight
	// vanishes: where the points of one x are near each other, they alone say where the line is there.
	for range 2000 {
		var n, sx, sy, sxx, sxy float64
		for i, p := range points {
			w := weights[i]
			n, sx, sy, sxx, sxy = n+w, sx+w*p.X, sy+w*p.Y, sxx+w*p.X*p.X, sxy+w*p.X*p.Y
		}
		f.A, f.B = sy/n, 0
		if d := n*sxx - sx*sx; f.X != "" && d > 1e-12*n*sxx {
			f.B = (n*sxy - sx*sy) / d
			f.A = (sy - f.B*sx) / n
		}
		sum := 0.0
		for i, p := range points {
			weights[i] *= math.Abs(f.At(p.X)-p.Y)/p.Y + 1e-9
			sum += weights[i] * p.Y * p.Y
		}
		for i, p := range points {
			weights[i] = max(weights[i]/sum, 1e-7/(p.Y*p.Y))
		}
	}
	f.Within = 0
	for _, p := range points {
		f.Within = max(f.Within, math.Abs(f.At(p.X)-p.Y)/p.Y)
	}
}
