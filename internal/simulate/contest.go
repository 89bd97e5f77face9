package simulate

import (
	"slices"
	"time"

	"ratelab/internal/lineup"
	"ratelab/internal/sequence"
	"ratelab/internal/traffic"
)

// contest is one scenario with its rows.
type contest struct {
	lineup.Contest
	stream    *traffic.Stream
	sequences []sequence.Choice // rows beside the entries
	// asWritten: limit, seed and clock are those of the file, so that its expectations apply.
	asWritten bool
	// late is the most that a request of any row was sent after its time, on the wall clock.
	late time.Duration
}

// rows is how many rows the scenario has: some entries have two.
func (p *contest) rows() int {
	n := len(p.Entries) + len(p.sequences)
	for _, c := range p.Entries {
		if hasLocalFlag(p.Scenario) && c.NewModel != nil {
			n++
		}
	}
	return n
}

// endless reports whether only the end of its trace tells how long the scenario is.
func (p *contest) endless() bool {
	return slices.ContainsFunc(p.Scenario.Phases,
		func(ph traffic.Phase) bool { return ph.Trace != nil && ph.Duration == 0 })
}
