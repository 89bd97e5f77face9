package simulate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ratelab/internal/message"
	"ratelab/internal/replay"
	"ratelab/internal/report"
)

// WholeSeconds begins the note about what the other rules for whole seconds come to.
const WholeSeconds = "times are whole seconds, spread evenly within each (--within-second even); "

// Assumption is what the rows would reject under another rule for times that are whole seconds.
type Assumption struct {
	Rule     string           `json:"rule"`
	Rejected map[string]int64 `json:"rejected"` // by the row's label
}

// Rejected is what each row of the job's only scenario rejects, of the keys of a shard. It is not the whole of it where
// the job was stopped.
func (j *Job) Rejected(ctx context.Context, shard replay.Shard) (rejected map[string]int64, whole bool, err error) {
	rejected = map[string]int64{}
	if shard.Of > 0 {
		part, err := j.RunPart(ctx, shard)
		if err != nil {
			return nil, false, err
		}
		for i, row := range part.Runs[0].Rows {
			rejected[row.Algorithm] = part.Runs[0].Found.Lanes[i].Counts.Rejected
		}
		return rejected, true, nil
	}
	all, err := j.Run(ctx)
	if err != nil {
		return nil, false, err
	}
	for _, row := range all.Document.Runs[0].Results {
		rejected[row.Algorithm] = row.Rejected
	}
	return rejected, !all.Interrupted, nil
}

// plus is what two shards come to.
func (a Assumption) plus(o Assumption) Assumption {
	sum := Assumption{a.Rule, map[string]int64{}}
	for label, n := range a.Rejected {
		sum.Rejected[label] = n + o.Rejected[label]
	}
	return sum
}

// assumedNote says which rows decide otherwise under other rules; none where no row does.
func assumedNote(run *report.Run, all []Assumption) []string {
	var differ []string
	for _, a := range all {
		if text := a.otherwise(run); text != "" {
			differ = append(differ, a.Rule+" would reject "+text)
		}
	}
	if differ == nil {
		return nil
	}
	return []string{WholeSeconds + strings.Join(differ, "; ")}
}

// mostRowsNamed is how many rows that decide otherwise are named.
const mostRowsNamed = 3

// otherwise is "3 instead of 0 (gcra)", of the first few rows that do.
func (a Assumption) otherwise(run *report.Run) string {
	var all []string
	for i := range run.Results {
		row := &run.Results[i]
		if n, known := a.Rejected[row.Algorithm]; known && n != row.Rejected {
			all = append(all, fmt.Sprintf("%d instead of %d (%s)", n, row.Rejected, row.Algorithm))
		}
	}
	text := strings.Join(all[:min(len(all), mostRowsNamed)], ", ")
	if more := len(all) - mostRowsNamed; more > 0 {
		text += fmt.Sprintf(", and differently in %s", message.Count(more, "more row"))
	}
	return text
}

// sameRules reports whether two shards tried the same rules.
func sameRules(a, b []Assumption) bool {
	return slices.EqualFunc(a, b, func(a, b Assumption) bool { return a.Rule == b.Rule })
}
