package recordingtest

import (
	"fmt"

	"ratelab/internal/recording"
	"ratelab/internal/result"
)

// Paired is a valid comparison of two scripts on one server: 20 pairs for each of two algorithms. The head of the first
// is slowdown times as dear for the server (1 for the same code, 1.2 for 20 % more); that of the second is the same.
func Paired(slowdown float64) *recording.Paired {
	p := &recording.Paired{Header: header(result.Paired.Kind)}
	p.Notes = []string{}
	p.NoiseFloor = recording.NoiseFloor{Pairs: 60, ServerUS: 1.061, ClientP50US: 1.11}
	p.Base = recording.Side{Name: "old/gcra.lua", Server: server()}
	p.Head = recording.Side{Name: "lua/gcra.lua", Server: server()}
	all := profiles()
	p.Rows = []recording.PairedRow{pairedRow(&all[5], slowdown), pairedRow(&all[1], 1)}
	return p
}

func pairedRow(p *profile, slowdown float64) recording.PairedRow {
	row := recording.PairedRow{Name: p.label, Base: side(p), Head: side(p)}
	row.Head.ScriptSHA1 = sha256Of(fmt.Sprint(p.label, slowdown))[:40]
	row.Pairs = pairs(p, slowdown, newDraw("pairs"+p.label))
	row.Confirm = []recording.Pair{}
	if slowdown > 1 {
		row.Confirm = pairs(p, slowdown, newDraw("confirm"+p.label))
	}
	return row
}

func side(p *profile) recording.PairedSide {
	all := situations()
	exact := all[0].exact(p)
	return recording.PairedSide{
		Identity: p.identity(), Work: work(p, exact),
		Exact: []recording.ExactRun{{Scenario: all[0].name, ScenarioSHA256: sha256Of(all[0].name), Result: *exact}},
	}
}

func pairs(p *profile, slowdown float64, d draw) []recording.Pair {
	var list []recording.Pair
	control := profiles()[0]
	for n := 1; n <= 20; n++ {
		head := *p
		head.acceptedUS, head.rejectedUS = p.acceptedUS*slowdown, p.rejectedUS*slowdown
		list = append(list, recording.Pair{
			HeadFirst: n%2 == 0, Base: half(p, d, n), Head: half(&head, d, n), Controls: []recording.Sample{half(&control, d, n)},
		})
	}
	return list
}

func half(p *profile, d draw, n int) recording.Sample {
	share := 0.5
	if p.isControl() {
		share = 1
	}
	return sample(p, d, n, (p.acceptedUS+p.rejectedUS)/2, share, recording.NewHistogram())
}
