package run

import (
	"ratelab/internal/replay"
	"ratelab/internal/result"
)

// Joined is the document's run of a plan whose models decided elsewhere; part is that of all keys. atOnce is that under
// the other rule for whole seconds; nil where it is the same, or nobody asked.
func (a *Ask) Joined(p *Plan, part, atOnce *replay.Part) (*result.Run, error) {
	var rows []*row
	var labels []string
	for _, l := range p.Limiters {
		rows, labels = append(rows, &row{Limiter: l}), append(labels, l.Label)
	}
	outcome, err := part.Outcome(p.Policy, labels)
	if err != nil {
		return nil, err
	}
	run := (&Ask{Server: models{a.Version}}).describe(p, rows, outcome)
	if atOnce != nil {
		other, err := a.Joined(p, atOnce, nil)
		if err != nil {
			return nil, err
		}
		run.Notes = append(run.Notes, wholeSeconds(run, other)...)
	}
	return run, nil
}
