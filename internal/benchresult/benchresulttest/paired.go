package benchresulttest

import (
	"fmt"

	"ratelab/internal/benchresult"
	"ratelab/internal/result"
)

// Paired is a valid comparison of two scripts on one server: 40 pairs for each of two algorithms. The head of the first
// is slowdown times as dear for the server (1 for the same code, 1.2 for 20 % more); that of the second is the same.
func Paired(slowdown float64) *benchresult.Paired {
	p := &benchresult.Paired{Header: header(result.Paired.Kind)}
	p.Notes = []string{}
	p.NoiseFloor = benchresult.NoiseFloor{Pairs: 60, ServerUS: 1.061, ClientP50US: 1.11}
	p.Base = benchresult.Side{Name: "old/gcra.lua", Server: server()}
	p.Head = benchresult.Side{Name: "lua/gcra.lua", Server: server()}
	all := profiles()
	p.Rows = []benchresult.PairedRow{pairedRow(&all[5], slowdown), pairedRow(&all[1], 1)}
	return p
}

func pairedRow(p *profile, slowdown float64) benchresult.PairedRow {
	row := benchresult.PairedRow{Name: p.label, Base: side(p), Head: side(p)}
	row.Head.ScriptSHA1 = sha256Of(fmt.Sprint(p.label, slowdown))[:40]
	row.Pairs = pairs(p, slowdown, newDraw("pairs"+p.label))
	row.Confirm = []benchresult.Pair{}
	if slowdown > 1 {
		row.Confirm = pairs(p, slowdown, newDraw("confirm"+p.label))
	}
	return row
}

func side(p *profile) benchresult.PairedSide {
	all := situations()
	exact := all[0].exact(p)
	return benchresult.PairedSide{
		Identity: p.identity(), Work: work(p, exact),
		Exact: []benchresult.ExactRun{{Scenario: all[0].name, ScenarioSHA256: sha256Of(all[0].name), Result: *exact}},
	}
}

func pairs(p *profile, slowdown float64, d draw) []benchresult.Pair {
	var list []benchresult.Pair
	control := profiles()[0]
	for n := 1; n <= 40; n++ {
		head := *p
		head.acceptedUS, head.rejectedUS = p.acceptedUS*slowdown, p.rejectedUS*slowdown
		list = append(list, benchresult.Pair{
			HeadFirst: n%2 == 0, Base: half(p, d, n), Head: half(&head, d,
				n), Controls: []benchresult.Sample{half(&control, d, n)},
		})
	}
	return list
}

func half(p *profile, d draw, n int) benchresult.Sample {
	share := 0.5
	if p.isControl() {
		share = 1
	}
	return sample(p, d, n, (p.acceptedUS+p.rejectedUS)/2, share, benchresult.NewHistogram())
}
