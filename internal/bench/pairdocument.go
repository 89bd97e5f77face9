package bench

import (
	"context"
	"fmt"

	"ratelab/internal/recording"
)

// document writes everything down.
func (r *pairRun) document(ctx context.Context) *recording.Paired {
	s := r.servers[base]
	for _, note := range r.servers[head].notes {
		s.note(note)
	}
	d := &recording.Paired{Header: s.header(recording.KindPaired, r.Version), Rows: r.rows}
	d.Partial = r.partial
	d.Validity = validity(r.reasons)
	d.Settings = recording.Settings{
		Rounds: r.Pairs, WarmUpUS: max(r.WarmUp, 0).Microseconds(), SegmentUS: r.Segment.Microseconds(), Connections: r.Connections,
		Sweep: []int{}, CostLimit: spelled(costLimit), FillLimit: spelled(fillLimit), RepeatedRound: r.repeated,
	}
	d.Notes = append(d.Notes, fmt.Sprintf("closed loop of the mix %s", r.Mix))
	if r.repeated > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("%d pairs were measured again: the generator was at fault", r.repeated))
	}
	for i, into := range []*recording.Side{&d.Base, &d.Head} {
		*into = recording.Side{Name: r.sides[i].name, Server: describe(ctx, r.servers[i].server, r.servers[i].spec)}
	}
	d.NoiseFloor = recording.NoiseFloorOf(neighbours(r.rows)...)
	return d
}

// neighbours are the measurements of the same code that follow each other: the last of a pair and the first of the
// next one.
func neighbours(rows []recording.PairedRow) [][]recording.Sample {
	var all [][]recording.Sample
	for _, row := range rows {
		for _, pairs := range [][]recording.Pair{row.Pairs, row.Confirm} {
			for i := 1; i < len(pairs); i++ {
				if pairs[i].HeadFirst {
					all = append(all, []recording.Sample{pairs[i-1].Head, pairs[i].Head})
				} else {
					all = append(all, []recording.Sample{pairs[i-1].Base, pairs[i].Base})
				}
			}
		}
	}
	return all
}
