package chart

import (
	"bytes"
	"fmt"

	"ratelab/internal/curves"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// OfFinding draws the traffic that shows a fault of a script. The upper panel has the requests and the admitted ones.
// The lower panel has the admitted cost in the last window. Both panels compare the script with a right limiter. name
// is the name of the files without an extension. The data has a line for each request. OfFinding returns nil if the
// fault is not about what is admitted.
func OfFinding(e *result.Examination, f *result.Finding, name string) *Figure {
	charts := curves.Counterexample(e.Algorithm, f)
	if charts == nil {
		return nil
	}
	flow, window := charts[0], charts[1]
	allowed, line := window.Allows()
	per := flow.Unit + " per " + report.Each(flow.BinUS)
	top := max(allowed, window.Reference.Top, window.Curves[0].Top)
	color := Color(e.Algorithm)
	in := "in the last " + report.Each(f.Limit.WindowUS)
	out := &Figure{Name: name, Title: e.Algorithm + ": " + f.String() + ".", Footer: name + ".yaml has this traffic",
		Subtitle: fmt.Sprintf("Above: %s. Below: admitted %s. The right limiter is %s. Limit %s.", per, in,
			f.Counterexample.Rule, policy(f.Limit)),
		Data: counterexampleData(f), height: 150,
		x: Time(0, float64(window.FromUS), float64(window.EndUS), 52),
		keys: []key{areaKey("requests", Offered), areaKey("admitted", tint(color, 0.55)),
			lineKey("a right limiter admits", Reference, 1.3), lineKey(line, Ink, 0.9, limitDashes...)},
	}
	out.strips = []Axis{Counts(float64(flow.Curves[0].Top), out.height, per),
		Counts(float64(top), out.height, flow.Unit+" "+in)}
	out.columns = []column{{color: color, draw: []func(*panel){
		func(p *panel) {
			b := bins{flow.FromUS, flow.BinUS, flow.EndUS, float64(flow.Curves[0].Top)}
			p.flow(steps(b, flow.Curves[0].Offered), steps(b, flow.Curves[0].Values))
			p.line(steps(b, flow.Reference.Values), Reference, 1.3)
		},
		func(p *panel) {
			b := bins{window.FromUS, window.BinUS, window.EndUS, float64(top)}
			p.overshoot(b, window.Curves[0], float64(allowed), window.Reference)
			p.peak(b, window.Curves[0], "", "nothing admitted")
		},
	}}}
	return out
}

// counterexampleData returns a line for each request, with both decisions.
func counterexampleData(f *result.Finding) []byte {
	lines := [][]string{{"t_us", "key", "cost", "admitted", "right"}}
	p := f.Counterexample
	for i, q := range p.Requests {
		line := []string{report.Integer(q.AtUS), q.Key, report.Integer(q.Cost), "0", "0"}
		for k, decided := range []bool{p.Script[i].Allowed(), p.Right[i].Allowed()} {
			if decided {
				line[3+k] = "1"
			}
		}
		lines = append(lines, line)
	}
	var out bytes.Buffer
	_ = report.WriteCSV(&out, lines) // writing to a bytes.Buffer never fails
	return out.Bytes()
}
