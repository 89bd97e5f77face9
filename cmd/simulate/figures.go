package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"ratelab/internal/commandline"
	"ratelab/internal/report"
	"ratelab/internal/sheet"
	"ratelab/internal/simulate"
)

// fewScenarios are as many as people want to read a table of each.
const fewScenarios = 5

// atAGlance reports whether the answer is one matrix, and not a table for each scenario: scenarios in which clients
// react have no place in it.
func (f *flags) atAGlance(job *simulate.Job) bool {
	if f.all || f.Format != report.TableForm || f.clock != simulate.VirtualClock {
		return false
	}
	placed := 0
	for _, s := range job.Scenarios {
		if s.Clients == nil {
			placed++
		}
	}
	return placed > fewScenarios
}

// figures prints what can be printed at once, and has the job print the rest: more than a few scenarios are one matrix,
// by the models; of a few each has its table as soon as it is decided. Other forms come whole. It gives what is to be
// printed at the end.
func (a *app) figures(ctx context.Context, f *flags, job *simulate.Job, p *commandline.Printer) (
	atTheEnd func(*report.Document) error, err error) {
	terminal := f.Terminal(a.Stdout)
	switch {
	case len(f.columns) > 0:
		return func(d *report.Document) error { return report.WriteColumns(a.Stdout, d, f.columns) }, nil
	case f.Format != report.TableForm:
		return func(d *report.Document) error { return report.Forms.Write(a.Stdout, f.Format, d, terminal) }, nil
	case f.atAGlance(job):
		models, err := a.byModels(ctx, job)
		if err != nil {
			return nil, err
		}
		p.Print(func() error { return report.WriteMatrix(a.Stdout, models, terminal) })
		return func(d *report.Document) error {
			if err := report.WriteConfirmation(a.Stdout, d, models, terminal); err != nil {
				return err
			}
			return report.WriteExaminations(a.Stdout, d, terminal)
		}, nil
	}
	first := true
	job.Decided = func(r *report.Run) {
		p.Print(func() error { return report.WriteNext(a.Stdout, r, first, terminal) })
		first = false
	}
	return func(d *report.Document) error { return report.WriteExaminations(a.Stdout, d, terminal) }, nil
}

// print prints a document that is complete: what figures prints of it in the end.
func (f *forms) print(w io.Writer, format string, doc *report.Document, terminal sheet.Terminal) error {
	switch {
	case len(f.columns) > 0:
		return report.WriteColumns(w, doc, f.columns)
	case format != report.TableForm:
		return report.Forms.Write(w, format, doc, terminal)
	case !f.all && len(doc.Runs) > fewScenarios:
		return errors.Join(report.WriteMatrix(w, doc, terminal), report.WriteConfirmation(w, doc, doc, terminal))
	}
	for i := range doc.Runs {
		if err := report.WriteNext(w, &doc.Runs[i], i == 0, terminal); err != nil {
			return err
		}
	}
	return nil
}

// byModels is what the models alone find of the job, in a second or two.
func (a *app) byModels(ctx context.Context, job *simulate.Job) (*report.Document, error) {
	models := *job
	models.Server, models.Scripts, models.Decisions, models.Progress = simulate.ModelServer, nil, nil, nil
	found, err := models.Run(ctx)
	if err != nil {
		return nil, err
	}
	if found.Interrupted {
		return nil, fmt.Errorf("%w: nothing was decided", commandline.ErrInterrupted)
	}
	return &found.Document, nil
}
