package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"ratelab/internal/atomicfile"
	"ratelab/internal/commandline"
	"ratelab/internal/message"
	"ratelab/internal/recommend"
	"ratelab/internal/redisserver"
	"ratelab/internal/report"
	"ratelab/internal/result"
	"ratelab/internal/simulate"
)

const aboutRecommend = `Say which algorithm to take, twice, the cheapest first. On this traffic: which candidates keep a stated
tolerance of it, in at least 19 of 20 seeds. On any traffic: which promise to keep it, with their shortfall here as
the price. What is in neither has the figure that excludes it.

Candidates are all algorithms with the limit's own burst and, where they take one, with bursts of L/2, L/10 and 1 (L
being the limit's requests), gcra with the largest burst that promises what is tolerated of a window, and finer
sub-windows; -a names others instead, --script adds your own. Bursts are shown, because rows with different bursts
keep different promises. The Go models decide with every seed, and a short search looks for traffic that breaks a
promise; those in an answer, and the nearest, decide again with their Lua on --redis, and must decide alike.

Of several scenarios a candidate must keep the tolerance in each, and its worst figure counts. Traffic with nothing
random in it, such as a recorded trace, is played once. A shaper is taken only under --max-delay. Where no file and
no --contract says how the limit is read, the window decides, and one line says what the bucket would choose.`

const examplesRecommend = `  simulate recommend extreme-case-1                                 what keeps 1000 per 3 s at a window's edge?
  simulate recommend poisson daily-sine --max-overshoot 1           never above the limit, in either
  simulate recommend --limit 100/1m --trace access.log.gz           for your own traffic
  simulate recommend on-off --contract bucket                       the limit is a burst and a rate
  simulate recommend extreme-case-1 --costs bench.json --max-cost 20us
  simulate recommend poisson -a gcra,gcra:burst=20 --script my.lua  these two, and yours
  simulate recommend extreme-case-1 --format markdown --out choice  for a design document, with the picture`

const closingRecommend = `Orders: cheap is fewest Redis commands to admit a request, then to reject one, then fewest bytes a key and
least of the server's time (--costs), where these are known of all, then the name; where clients
react, first of all fewest commands for a success. strict is least let through (on any traffic:
promised), then least excess, then least shortfall, then cheap; generous is least shortfall, then
cheap. Scenarios about clocks, sequences and faults are refused.

Exit codes: 0 something keeps the tolerance on this traffic · 1 nothing does, and what comes nearest is said ·
2 usage or invalid input · 3 the harness could not run, or a script does not decide as its model · 130 interrupted.
`

// errNobodyQualifies is the verdict where there is no recommendation.
var errNobodyQualifies = errors.New("nothing qualifies")

// errNothingRecommended is what an interrupt leaves.
var errNothingRecommended = fmt.Errorf("%w: nothing is recommended", commandline.ErrInterrupted)

// recommend says which algorithm to take.
func (a *app) recommend() *cobra.Command {
	var f recommendFlags
	f.Streams = a.Streams
	c := &cobra.Command{
		Use:     "recommend [scenario or file …] [flags]",
		Short:   "Say which algorithm to take: for this traffic, and for any",
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
	if question.Server != simulate.ModelServer {
		if err := redisserver.CheckKind(question.Server); err != nil {
			return commandline.ServerFlag(err, "redis", serverKinds)
		}
	}
	pictures, err := f.ChartFormats(false)
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
	question.Early = func(doc *recommend.Document) {
		if !f.Quiet {
			a.early(briefly(doc))
		}
	}
	doc, err := question.Answer(ctx, a.replay(f))
	if err == nil {
		err = a.choosesOtherwise(ctx, f, question, doc)
	}
	if errors.Is(err, recommend.ErrNobody) || errors.Is(err, recommend.ErrName) {
		err = commandline.Usage("recommend: %w", err)
	}
	if err != nil {
		giveBack()
		return commandline.ServerFlag(err, "redis", serverKinds)
	}
	return a.deliverRecommendation(f, doc, pictures)
}

// briefly is an answer in a few words.
func briefly(doc *recommend.Document) string {
	return fmt.Sprintf("%s on this traffic, %s on any", orNothing(doc.OnThisTraffic.First()),
		orNothing(doc.OnAnyTraffic.First()))
}

// orNothing is a candidate, or nothing.
func orNothing(candidate string) string {
	if candidate == "" {
		return "nothing"
	}
	return message.Shown(candidate)
}

// replay runs a job of candidates on a server, with its progress on a terminal.
func (a *app) replay(f *recommendFlags) recommend.Replay {
	warned := false
	return func(ctx context.Context, play recommend.Play) (*report.Document, error) {
		if a.stopped() {
			return nil, errNothingRecommended
		}
		job := a.newJob(play.Scenarios)
		job.Algorithms, job.Server, job.AllowEviction = play.Choices, play.Server, f.eviction
		job.Instead, job.Only = play.Instead, play.Only
		if play.Server != recommend.Models {
			job.Scripts = f.Scripts
		}
		bar := a.NewBar(f.Quiet)
		defer bar.Finish()
		job.Progress, job.Notice = progressOf(bar, job.Scenarios), a.Notices("simulate", f.Quiet)
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
	if doc.OnThisTraffic.First() == "" {
		verdict = commandline.Exit(commandline.ExitMissed, fmt.Errorf("%w: %s", errNobodyQualifies, doc.Nearest()))
	}
	figures := func() error { return recommend.Forms.Write(a.Stdout, f.Format, doc, f.Terminal(a.Stdout)) }
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
