package main

import (
	"context"
	"fmt"

	"ratelab/internal/report"
	"ratelab/internal/scenario"
	"ratelab/internal/simulate"
	"ratelab/internal/worst"
)

// confirm lets the algorithms' scripts decide the files on a server, and the models as well, and compares. What a
// server has confirmed is marked so in the rows; differs says what it decides otherwise. After an interrupt nothing is
// confirmed.
func (a *app) confirm(ctx context.Context, f *worstFlags, all []*finding, doc *worst.Document) (differs, err error) {
	if doc.Partial || len(all) == 0 {
		return nil, nil
	}
	var list []*scenario.Scenario
	for _, one := range all {
		list = append(list, one.scenario)
	}
	model, err := a.decideFiles(ctx, f, simulate.ModelServer, list, nil)
	if err != nil {
		return nil, err
	}
	scripts, err := a.decideFiles(ctx, f, f.redis, list, f.scripts)
	if err != nil {
		return nil, err
	}
	for _, w := range scripts.Warnings {
		if !f.Quiet {
			fmt.Fprintf(a.Stderr, "simulate: warning: %s\n", w)
		}
	}
	if model.Interrupted || scripts.Interrupted {
		doc.Partial = true
		return nil, nil
	}
	doc.Server = scripts.Document.Runs[0].Server
	for i, one := range all {
		by, with := &scripts.Document.Runs[i], &model.Document.Runs[i]
		if differs := agree(one, by, with); differs != nil {
			return differs, nil
		}
		one.row.Confirmed, one.row.DecisionsDigest = true, by.Results[0].DecisionsDigest
		for _, own := range by.Results[1:] {
			doc.Meet(&one.row, own.Algorithm, &own.Result)
		}
	}
	return nil, nil
}

// decideFiles runs the scenarios, each with the algorithm that it is about, and with scripts of the user's own.
func (a *app) decideFiles(ctx context.Context, f *worstFlags, server string, list []*scenario.Scenario,
	scripts []string) (*simulate.Result, error) {
	job := a.newJob(list)
	job.Scripts = scripts
	job.Server, job.AllowEviction, job.Expected = server, f.eviction, true
	bar := a.NewBar(f.Quiet) // a flood of a million takes a script some time
	defer bar.Finish()
	job.Progress, job.Notice = progressOf(bar, job.Scenarios), a.Notices("simulate", f.Quiet)
	return job.Run(ctx)
}

// agree reports where script, model and search do not: one of them is wrong, and no figure is to be trusted.
func agree(one *finding, script, model *report.Run) error {
	s, m := script.Results[0], model.Results[0]
	if s.DecisionsDigest != m.DecisionsDigest || peakOfArrivals(&s) != peakOfArrivals(&m) {
		return fmt.Errorf("%s: the script decides otherwise than the model: %d in a window on %s, decisions %.12s…; "+
			"%d in the model, decisions %.12s…; see %s",
			s.Algorithm, peakOfArrivals(&s), script.Server, s.DecisionsDigest, peakOfArrivals(&m),
			m.DecisionsDigest, one.row.File)
	}
	if peakOfArrivals(&s) != one.row.PeakWindowAdmitted {
		return fmt.Errorf("%s: the file admits %d in a window, the search found %d; see %s",
			s.Algorithm, peakOfArrivals(&s), one.row.PeakWindowAdmitted, one.row.File)
	}
	return nil
}

// peakOfArrivals is the most that a row admitted in a window, whenever it left.
func peakOfArrivals(row *report.Row) int64 {
	if row.Shaping != nil {
		return row.Shaping.PeakOfArrivals
	}
	return row.PeakWindowAdmitted
}
