package main

import (
	"fmt"
	"slices"
	"strings"

	"ratelab/internal/cli"
	"ratelab/internal/message"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// further holds rows that were decided elsewhere, such as those of libraries.
type further struct {
	file   string
	runs   []result.Run
	placed []bool // by run
}

// with reads the document of --with, if the flag was given.
func (f *flags) with(job *job) (*further, error) {
	if f.more == "" {
		return &further{}, nil
	}
	doc, err := result.Read(f.more, result.OfSimulate)
	if err != nil {
		return nil, cli.Usage("--with: %w", err)
	}
	if f.Format.Value == report.TableFormat && f.atAGlance(job) {
		return nil, cli.Usage("--with: the matrix cannot show more rows; name at most %d scenarios, or give --all",
			fewScenarios)
	}
	return &further{file: f.more, runs: doc.Runs, placed: make([]bool, len(doc.Runs))}, nil
}

// join appends the rows to the job's run of the same scenario, limit and seed, once the run is finished.
func (more *further) join(job *job) {
	decided := job.Decided
	job.Decided = func(r *result.Run) {
		for i, o := range more.runs {
			if o.Scenario != r.Scenario || o.Limit != r.Limit || o.Seed != r.Seed || r.Partial || o.Partial {
				continue
			}
			more.placed[i] = true
			mine := slices.DeleteFunc(o.Results, func(l result.Row) bool { return r.Find(l.Algorithm) != nil })
			r.Results = append(r.Results, mine...)
			r.Notes = append(r.Notes, fmt.Sprintf("%s, decided on %s %s, from %s", message.Count(len(mine), "row"),
				o.Server.Name, o.Server.Version, message.Path(more.file)))
		}
		if decided != nil {
			decided(r)
		}
	}
}

// left names the runs whose rows were not appended. It returns "" if all were appended.
func (more *further) left() string {
	var all []string
	for i, o := range more.runs {
		if !more.placed[i] {
			all = append(all, fmt.Sprintf("%s at %v, seed %d", message.Quote(o.Scenario), o.Limit.Policy(), o.Seed))
		}
	}
	return strings.Join(all, "; ")
}
