package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"ratelab/algorithms"
	"ratelab/internal/atomicfile"
	"ratelab/internal/commandline"
	"ratelab/internal/message"
	"ratelab/internal/recommend"
	"ratelab/internal/report"
	"ratelab/internal/result"
	"ratelab/internal/scenario"
)

const aboutRecommend = `Say which algorithm to take for some traffic: which candidates keep a stated tolerance, in which order,
and which figure excludes each of the others.

Candidates are all algorithms with the limit's own burst and, where they take one, with bursts of L/2, L/10 and 1
(L being the limit's requests), and finer sub-windows; -a names others instead, --script adds your own. Bursts are
shown, because rows with different bursts keep different promises. The Go models decide first; those that qualify, and
the nearest that does not, decide again with their Lua on --redis, and must decide alike.

Of several scenarios a candidate must qualify in each, and its worst figure counts.`

const examplesRecommend = `  simulate recommend extreme-case-1                                 what keeps 1000 per 3 s at a window's edge?
  simulate recommend poisson daily-sine --max-overshoot 1           never above the limit, in either
  simulate recommend --limit 100/1m --trace access.log.gz           for your own traffic
  simulate recommend extreme-case-1 --prefer cheap --costs bench.json --max-cost 20us
  simulate recommend poisson -a gcra,gcra:burst=20 --script my.lua  these two, and yours
  simulate recommend extreme-case-1 --format markdown --out choice  for a design document, with the picture`

const closingRecommend = `Orders: balanced is fewest false rejects, then least overshoot; strict is least overshoot, then fewest false admits,
then fewest false rejects; generous is fewest false rejects, then most used; cheap is least cost, then fewest false
rejects. After that comes who promises least for a window whatever the traffic, then who costs least: the server's time
where --costs has it, else Redis calls. The name decides last. Scenarios whose clients react are refused: each algorithm
would have other requests.

Exit codes: 0 something is recommended · 1 nothing qualifies, and what comes nearest is said · 2 usage or invalid
input · 3 the harness could not run, or a script does not decide as its model · 130 interrupted.
`

// errNobodyQualifies is the verdict where there is no recommendation.
var errNobodyQualifies = errors.New("nothing qualifies")

// errNothingRecommended is what an interrupt leaves.
var errNothingRecommended = fmt.Errorf("%w: nothing is recommended", commandline.ErrInterrupted)

// recommend says which algorithm to take.
func (a *app) recommend() *cobra.Command {
	var f recommendFlags
	c := &cobra.Command{
		Use:     "recommend [scenario or file …] [flags]",
		Short:   "Say which algorithms keep a tolerance under some traffic, and which one to take",
		Long:    aboutRecommend,
		Example: examplesRecommend,
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.recommended(cmd.Context(), &f, args)
		},
		ValidArgsFunction: commandline.CompleteScenarios,
	}
	f.register(c)
	commandline.Help(c, f.Groups, closingRecommend)
	return c
}

// recommended answers. If the question fails nothing is printed and the files are as they were.
func (a *app) recommended(ctx context.Context, f *recommendFlags, args []string) error {
	question, err := f.question(args)
	if err != nil {
		return err
	}
	pictures, err := f.ChartFormats()
	if err != nil {
		return err
	}
	giveBack := func() {}
	if f.Folder != "" {
		if err := commandline.RefuseForeign("--out", f.Folder, recommendationNames(pictures)...); err != nil {
			return err
		}
		if giveBack, err = commandline.MakeFolder("--out", f.Folder); err != nil {
			return err
		}
	}
	question.Tool = result.Tool{Name: "simulate", Version: commandline.Version(version)}
	doc, err := question.Answer(ctx, a.replay(f))
	if errors.Is(err, recommend.ErrNobody) || errors.Is(err, recommend.ErrName) {
		err = commandline.Usage("recommend: %w", err)
	}
	if err != nil {
		giveBack()
		return commandline.ServerFlag(err, "redis", serverKinds)
	}
	return a.deliverRecommendation(f, doc, pictures)
}

// replay runs a job of candidates on a server, with its progress on a terminal.
func (a *app) replay(f *recommendFlags) recommend.Replay {
	warned := false
	return func(ctx context.Context, server string, list []*scenario.Scenario,
		choices []algorithms.Choice) (*report.Document, error) {
		if a.stopped() {
			return nil, errNothingRecommended
		}
		job := a.newJob(list)
		job.Algorithms, job.Server, job.Seed = choices, server, f.Seed.Value
		var err error
		job.AllowEviction = f.eviction
		if job.Limit, err = f.Policy(f.Groups); err != nil {
			return nil, err
		}
		if server != recommend.Models {
			job.Scripts = f.Scripts
		}
		bar := commandline.NewBar(a.Stderr, f.Quiet)
		defer bar.Finish()
		job.Progress, job.Notice = progress{bar}, a.Notices("simulate", f.Quiet)
		result, err := job.Run(ctx)
		if err != nil {
			return nil, err
		}
		bar.Finish()
		if !f.Quiet && !warned {
			for _, w := range result.Warnings {
				fmt.Fprintf(a.Stderr, "simulate: warning: %s\n", message.Shown(w))
			}
			warned = len(result.Warnings) > 0
		}
		if result.Interrupted || a.stopped() {
			return nil, errNothingRecommended
		}
		return &result.Document, nil
	}
}

// deliverRecommendation prints the answer, writes the files, and gives the verdict.
func (a *app) deliverRecommendation(f *recommendFlags, doc *recommend.Document, pictures []string) error {
	var verdict error
	if doc.Recommended == "" {
		verdict = commandline.Exit(commandline.ExitMissed, fmt.Errorf("%w: %s", errNobodyQualifies, doc.Nearest()))
	}
	figures := func() error { return recommend.Forms.Write(a.Stdout, f.Format, doc, commandline.Terminal(a.Stdout)) }
	files := func() error {
		if f.Folder == "" {
			return nil
		}
		if err := commandline.RefuseForeign("--out", f.Folder, recommendationNames(pictures)...); err != nil {
			return err
		}
		if err := recommendationFiles(f.Folder, doc, pictures); err != nil {
			return fmt.Errorf("--out: %w", err)
		}
		if !f.Quiet {
			fmt.Fprintf(a.Stderr, "simulate: the recommendation and its picture are in %s\n", message.Path(f.Folder))
		}
		return nil
	}
	return commandline.Deliver(a.Stdout, figures, files, verdict)
}

// recommendationFile is the answer for machines.
const recommendationFile = "recommendation.json"

// recommendationNames are the names of the files that recommendationFiles writes.
func recommendationNames(pictures []string) []string {
	names := []string{recommendationFile}
	for _, extension := range append([]string{"csv"}, pictures...) {
		if len(pictures) > 0 {
			names = append(names, recommend.PictureName+"."+extension)
		}
	}
	return names
}

func recommendationFiles(folder string, doc *recommend.Document, pictures []string) error {
	json := func(w io.Writer) error { return recommend.WriteJSON(w, doc) }
	if err := atomicfile.Write(filepath.Join(folder, recommendationFile), json); err != nil || len(pictures) == 0 {
		return err
	}
	_, err := recommend.WritePicture(folder, doc, pictures...)
	return err
}
