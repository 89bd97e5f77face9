// Command simulate replays traffic scenarios against rate limiters' Lua in virtual time and shows what each
// admits. See simulate --help.
package main

import (
	"context"
	"errors"
	"os"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"

	"ratelab/internal/cli"
	"ratelab/internal/examine"
	"ratelab/internal/host"
	"ratelab/internal/limit"
	"ratelab/internal/load"
	"ratelab/internal/message"
	"ratelab/internal/result"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
	"ratelab/scenarios"
)

// version is set by the linker.
var version = ""

// gcPercent: scripts on the embedded server make much garbage, and little of what they make stays. A collection at
// three times what is in use, and not at twice, saves a twelfth of the processor time, for some 200 MB.
const gcPercent = 200

// modelsGCPercent is for the models, which make little garbage, and keep much of what they make where keys are many.
const modelsGCPercent = 75

// collectAt sets when garbage is collected, unless the environment says so.
func collectAt(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}

func main() {
	collectAt(gcPercent)
	os.Exit(program(os.Args[1:], cli.Streams{Stdout: os.Stdout, Stderr: os.Stderr,
		Stdin: &cli.Stdin{From: os.Stdin}, Stop: cli.Interrupts(os.Exit)}))
}

// program takes arguments and streams, and gives the exit code.
func program(args []string, s cli.Streams) int { return cli.Run(args, s, newRoot) }

// app is what the commands share.
type app struct{ cli.Streams }

// The groups of commands in help.
const (
	questions = "questions"
	reference = "reference"
)

func newRoot(s cli.Streams) *cobra.Command {
	a := &app{s}
	root := a.simulate()
	root.SetHelpCommandGroupID(reference)
	root.AddGroup(&cobra.Group{ID: questions, Title: "Other commands:"},
		&cobra.Group{ID: reference, Title: "Reference:"})
	for _, c := range []*cobra.Command{a.limits(), a.recommend(), a.examine(), a.compare(), a.check(),
		a.proxy()} {
		c.GroupID = questions
		root.AddCommand(c)
	}
	schema := a.SchemaCommand("Print a JSON Schema",
		[]string{"result", "scenario"}, map[string][]byte{"result": result.Schema, "scenario": scenarios.Schema})
	for _, c := range []*cobra.Command{a.list(), a.validate(), schema} {
		c.GroupID = reference
		root.AddCommand(c)
	}
	return root
}

// newJob is a job on the server of that kind. Foreign says that users' scripts take part.
func (a *app) newJob(list []*scenario.Scenario, server string, foreign bool) *run.Ask {
	job := &run.Ask{Scenarios: list, Version: cli.Version(version), Stop: a.Stop}
	if server != run.ModelServer {
		job.Server = a.server(server, foreign)
	}
	return job
}

// server is the server of that kind, not started yet.
func (a *app) server(kind string, foreign bool) *host.Server {
	return &host.Server{Spec: kind, Foreign: foreign, Clock: load.Wall, Stop: a.Stop}
}

// decide does the job, and examines the users' scripts: at the limit of each scenario in a folder of their own, and at
// that of the first otherwise.
func decide(ctx context.Context, job *run.Ask) (*run.Result, error) {
	found, err := job.Run(ctx)
	if err != nil || found.Interrupted || len(job.Scripts) == 0 {
		return found, err
	}
	doc := &found.Document
	costly := slices.ContainsFunc(doc.Runs, func(r result.Run) bool {
		return slices.ContainsFunc(r.Results, func(x result.Row) bool { return x.OfferedCost != x.Offered })
	})
	var limits []limit.Policy
	for i := range doc.Runs {
		if p := doc.Runs[i].Limit.Policy(); !slices.Contains(limits, p) && (i == 0 || job.Expected) {
			limits = append(limits, p)
		}
	}
	doc.Examinations, err = examine.Scripts(ctx, job.Scripts, limits, costly, job.Server)
	if errors.Is(err, message.ErrStopped) {
		found.Interrupted, err = true, nil
	}
	return found, err
}

// byModels is what the models alone find of the job.
func (a *app) byModels(ctx context.Context, job *run.Ask, progress run.Progress) (*run.Result, error) {
	models := *job
	models.Server, models.Scripts, models.Watch = nil, nil, nil
	models.Decided, models.OtherRule, models.Progress = nil, false, progress
	return models.Run(ctx)
}
