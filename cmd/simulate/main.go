// Command simulate replays traffic scenarios in virtual time against the Lua scripts of rate limiters, and shows what
// each limiter admits. See simulate --help.
package main

import (
	"context"
	"errors"
	"os"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"

	"ratelab/internal/cli"
	"ratelab/internal/engine"
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

// gcPercent: scripts on the embedded server make much garbage, and little of it stays in use. A collection at three
// times the memory in use, instead of twice, saves a twelfth of the processor time. It takes some 200 MB more.
const gcPercent = 200

// modelsGCPercent is for the models, which make little garbage but keep much memory if there are many keys.
const modelsGCPercent = 75

// collectAt sets when garbage is collected, unless the environment has GOGC.
func collectAt(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}

func main() {
	collectAt(gcPercent)
	os.Exit(program(cli.Interrupts(os.Exit), os.Args[1:], cli.Streams{Stdout: os.Stdout, Stderr: os.Stderr,
		Stdin: &cli.Stdin{From: os.Stdin}}))
}

// program runs the program with the given arguments and streams, and returns the exit code.
func program(ctx context.Context, args []string, s cli.Streams) int {
	return cli.Run(ctx, args, s, newRoot)
}

// app is shared by all commands.
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

// job holds the request of the user, and the server that decides.
type job struct {
	run.Ask
	server engine.Spec
	kept   string // names the keys that an interrupted run left on a given server; "": none
}

// newJob returns a job on a server of the given kind. foreign tells that users' scripts take part.
func newJob(list []*scenario.Scenario, server string, foreign bool) *job {
	return &job{Ask: run.Ask{Scenarios: list, Version: cli.Version(version)}, server: serverOf(server, foreign)}
}

func serverOf(kind string, foreign bool) engine.Spec {
	return engine.Spec{Redis: kind, Foreign: foreign, Clock: load.Wall}
}

// byModels reports whether no script decides.
func (j *job) byModels() bool { return j.server.Redis == run.ModelServer }

// on starts the server and calls f. f gets nil if the models decide.
func (j *job) on(ctx context.Context, f func(run.Engine) error) error {
	if j.byModels() {
		return f(nil)
	}
	e, err := engine.Start(ctx, j.server)
	if err != nil {
		return err
	}
	defer e.Close()
	err = f(e)
	j.kept = e.Kept()
	return err
}

// decide does the job, and examines the users' scripts. For a folder of the user's own, they are examined at the limit
// of each scenario. Otherwise they are examined at the limit of the first scenario.
func (j *job) decide(ctx context.Context) (found *run.Result, err error) {
	plans, err := j.Plans()
	if err != nil {
		return nil, err
	}
	err = j.on(ctx, func(e run.Engine) (err error) {
		found, err = j.Play(ctx, plans, e)
		return err
	})
	if err != nil || found.Interrupted || len(j.Scripts) == 0 {
		return found, err
	}
	doc := &found.Document
	costly := slices.ContainsFunc(doc.Runs, func(r result.Run) bool {
		return slices.ContainsFunc(r.Results, func(x result.Row) bool { return x.OfferedCost != x.Offered })
	})
	var limits []limit.Policy
	for i := range doc.Runs {
		p := doc.Runs[i].Limit.Policy()
		if p.Contract != limit.ByFlight && !slices.Contains(limits, p) && (i == 0 || j.Expected) {
			limits = append(limits, p)
		}
	}
	var several []limit.Limit // of one run: other runs have other limits
	if len(plans) == 1 {
		several = plans[0].Limits
	}
	doc.Examinations, err = examined(ctx, j.Scripts, limits, shownAt(plans, limits), costly, several, j.server)
	if errors.Is(err, message.ErrInterrupted) {
		found.Interrupted, err = true, nil
	}
	return found, err
}

// models does the job with the models only.
func (j *job) models(ctx context.Context, progress run.Progress) (*run.Result, error) {
	models := j.Ask
	models.Scripts, models.Watch = nil, nil
	models.Decided, models.OtherRule, models.Progress = nil, false, progress
	return models.Run(ctx, nil)
}
