package chart

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/plot/plotter"

	"ratelab/internal/report"
	"ratelab/internal/result"
)

// memory shows what a client's state takes as it fills: what is constant, and what grows with every request.
func memory(r *result.Document) (*Figure, string) {
	const name = "memory"
	var all []ending
	var lines [][]any
	low, high, most := math.Inf(1), 0.0, 0.0
	for i := range r.Costs {
		c := &r.Costs[i]
		e := ending{label: c.Algorithm}
		for _, f := range c.Memory {
			lines = append(lines, []any{serverName(r), c.Algorithm, f.Entries, f.Bytes, f.Keys})
			if f.Bytes <= 0 {
				continue // no state at all
			}
			at := plotter.XY{X: float64(f.Entries), Y: float64(f.Bytes)}
			low, high, most = min(low, at.Y), max(high, at.Y), max(most, at.X)
			e.line, e.text = append(e.line, at), c.Algorithm+"  "+inBytes(at.Y)
		}
		if e.line != nil {
			all = append(all, e)
		}
	}
	if all == nil {
		return nil, name + ": no fill was measured, or the server does not tell what a key takes"
	}
	f := benchFigure(r, nil, name, "What does a client's state take as it fills?", fmt.Sprintf("Memory of one "+
		"client's keys, as the server counts it. Limit %s, requests spread evenly over the window.",
		policy(r.Settings.FillLimit)))
	f.Data = rows("server,algorithm,entries,bytes,keys", lines)
	f.overlay(Logarithmic(1, most, 44, "admitted requests within the window, logarithmic", report.Short),
		Logarithmic(low, high, 30, "memory, logarithmic", inBytes), all)
	return f, ""
}

// inBytes writes at most three digits: 88 B, 2.21 kB, 210 kB.
func inBytes(v float64) string {
	for _, unit := range []struct {
		factor float64
		name   string
	}{{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}} {
		if v >= unit.factor {
			return strconv.FormatFloat(v/unit.factor, 'g', 3, 64) + " " + unit.name
		}
	}
	return strconv.FormatFloat(v, 'f', 0, 64) + " B"
}
