package bench

import (
	"context"
	"fmt"
	"slices"

	"ratelab/internal/benchresult"
	"ratelab/internal/message"
	"ratelab/internal/result"
)

// document writes everything down.
func (r *pairRun) document(ctx context.Context) *benchresult.Paired {
	s := r.servers[base]
	for _, note := range r.servers[head].notes {
		s.note(note)
	}
	d := &benchresult.Paired{Header: s.header(result.Paired.Kind, r.Version), Rows: r.rows, Counted: r.counted,
		Untimed: r.untimed}
	d.Partial = r.partial
	d.Settings = benchresult.Settings{
		Rounds: r.Pairs, WarmUpUS: max(r.WarmUp,
			0).Microseconds(), SegmentUS: r.Segment.Microseconds(), Connections: r.Connections,
		Sweep: []int{}, CostLimit: result.LimitOf(costLimit), FillLimit: result.LimitOf(fillLimit),
		RepeatedRound: r.void.pairs,
	}
	if r.untimed == "" {
		d.Notes = append(d.Notes, fmt.Sprintf("closed loop of the mix %s", r.Mix))
	}
	if r.void.pairs > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("%s, measured again: %s was at fault",
			message.Count(r.void.pairs, "void pair"), benchresult.Culprit(r.void.reasons)))
	}
	for i, into := range []*benchresult.Side{&d.Base, &d.Head} {
		*into = benchresult.Side{Name: r.sides[i].name, Server: describe(ctx, r.servers[i].server, r.servers[i].spec)}
	}
	d.NoiseFloor = benchresult.NoiseFloorOf(neighbours(r.rows)...)
	d.Validity = validity(slices.Concat(r.reasons, r.void.invalid(playedPairs(r.rows)), dearControlOfPairs(d)))
	return d
}

// playedPairs is how many pairs count, of both runs.
func playedPairs(rows []benchresult.PairedRow) (n int) {
	for _, row := range rows {
		n += len(row.Pairs) + len(row.Confirm)
	}
	return n
}

// neighbours are the two halves of each side's stretches: the same code, measured twice at the same time.
func neighbours(rows []benchresult.PairedRow) [][]benchresult.Sample {
	var all [][]benchresult.Sample
	for _, row := range rows {
		for _, pair := range slices.Concat(row.Pairs, row.Confirm) {
			for _, s := range []benchresult.Sample{pair.Base, pair.Head} {
				if s.Halves != nil {
					all = append(all, s.Halves)
				}
			}
		}
	}
	return all
}
