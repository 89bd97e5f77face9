// Package costs has the table of a limiter's costs on a server: the instructions of a decision on each path, and the
// bytes of a key, as a + b·x. make costs counts them again and writes costs.csv, which is built into the programs.
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
	Admitted = "admitted" // the same for a later request
	Rejected = "rejected"
	Bytes    = "bytes" // of a full key whose name has KeyLength bytes
)

// Figures returns the names of all figures.
func Figures() []string { return []string{First, Admitted, Rejected, Bytes} }

// KeyLength is the length of the key's name when its bytes are measured. It is the same for all limiters.
const KeyLength = 16

// The possible meanings of x.
const (
	Entries = "entries" // entries of a full log: the limit
	Parts   = "parts"   // sub-windows in use: at most those of a window, and at most the limit
)

// Figure is a linear cost model: A + B·x.
type Figure struct {
	Limiter string  // the algorithm's name
	SHA1    string  // of the script whose instructions were counted
	Figure  string  // one of Figures
	X       string  // the meaning of x; "": the figure does not depend on x
	A, B    float64 // B is 0 without X
	Within  float64 // the largest relative distance of a count from the line
}

// At returns the figure for an x.
func (f *Figure) At(x float64) float64 { return f.A + f.B*x }

var header = []string{"limiter", "sha1", "figure", "x", "a", "b", "within"}

//go:embed costs.csv
var committed string

// Table returns the table in costs.csv.
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
		panic(err) // the file is part of the program; a test reads it
	}
	return all
}

// Of returns a figure of a limiter, or nil if it was not counted.
func Of(all []Figure, limiter, figure string) *Figure {
	for i := range all {
		if all[i].Limiter == limiter && all[i].Figure == figure {
			return &all[i]
		}
	}
	return nil
}

// Write writes the table in the format of costs.csv.
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

// Fit sets A, B and Within to the line with the smallest maximum of the relative distances from the points. If all
// points have the same x, or X is "", B is 0.
func (f *Figure) Fit(points []Point) {
	weights := make([]float64, len(points))
	for i, p := range points {
		weights[i] = 1 / (p.Y * p.Y)
	}
	// Lawson's algorithm: least squares with growing weights for distant points, until the distances are balanced. No
	// weight becomes 0: if the points of one x are close to each other, only they determine the line there.
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
