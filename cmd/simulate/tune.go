package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"ratelab/internal/atomicfile"
	"ratelab/internal/commandline"
	"ratelab/internal/message"
	"ratelab/internal/result"
	"ratelab/internal/traffic"
	"ratelab/internal/tune"
)

const aboutTune = `Say which limits and bursts keep what must hold: how many good users, or how many of their requests,
may be refused, and how much the backend takes in its worst second.

Curves that are exact for every limit at once, in one pass over the traffic, say whom windows and buckets refuse; models
of the algorithms decide at some twenty settings of each. It prints of each algorithm what keeps the wishes best, the
frontier between the two wishes with its knee, where the present setting (--limit) lies, and the chosen one as
configuration. Settings are fitted on one part of the traffic, and every figure is said of the other part as well.

Of a large log --sample 1% plays the heavy keys and one of a hundred others, and says how far its shares may be off.

With --who it says whom the present setting hits instead: the keys, how often, when first and last.`

const examplesTune = `  simulate tune --trace access.log.gz --refuse-at-most 0.1%users --protect 500/s
  simulate tune --trace access.log.gz --protect 500/s --limit 100/1m          and where 100/1m lies
  simulate tune --trace access.log.gz --refuse-at-most 1%requests -a gcra,fixed-window
  simulate tune --trace access.log.gz --protect 500/s --good-pattern '^10[.]' whom to spare
  simulate tune --trace access.log.gz --refuse-at-most 1%users --sample 5% --within 1%  a large log, by some keys
  simulate tune zipf-head --refuse-at-most 1%users                            a scenario, fitted on half of its seeds
  simulate tune --trace access.log.gz --limit 100/1m -a gcra --who            whom that hits`

const closingTune = `Exit codes: 0 some setting keeps the wishes on the fitted part · 1 none does, and what comes nearest is said ·
2 usage or invalid input · 3 the harness could not run · 4 a sample does not show that the chosen setting protects the
backend · 130 interrupted.
`

// errNoSetting is the verdict where no setting keeps the wishes.
var errNoSetting = errors.New("no setting keeps the wishes")

// tune turns what must hold into numbers.
func (a *app) tune() *cobra.Command {
	var f tuneFlags
	f.Streams = a.Streams
	c := &cobra.Command{
		Use:               "tune [scenario or file | --trace FILE] [flags]",
		Short:             "Say which limits and bursts keep what must hold",
		Long:              aboutTune,
		Example:           examplesTune,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: commandline.CompleteScenarios,
	}
	f.register(c)
	c.RunE = func(_ *cobra.Command, args []string) error { return a.tuned(&f, args) }
	commandline.Help(c, f.Groups, closingTune)
	return c
}

// tuned answers.
func (a *app) tuned(f *tuneFlags, args []string) error {
	collectAt(modelsGCPercent)
	bar := a.NewBar(f.Quiet)
	defer bar.Finish()
	shown := &reading{bar: bar, stop: a.Stop}
	question, log, err := f.question(args, shown)
	if err != nil {
		return err
	}
	if tell := a.Notices("simulate", f.Quiet); tell != nil {
		question.Notice = func(line string) {
			bar.Finish()
			tell(line)
		}
	}
	pictures, err := f.ChartFormats(false)
	if err != nil {
		return err
	}
	giveBack, err := f.folder(pictures)
	if err != nil {
		return err
	}
	doc, err := question.Answer()
	if err == nil && log.Spread() > 0 && !f.Given("within-second") && doc.Chosen != nil {
		doc.AtOnce, err = f.atOnce(*question, shown, doc.Rows[*doc.Chosen].Setting())
	}
	err = nameChanged(err, f.files)
	bar.Finish()
	if err != nil {
		giveBack()
	}
	var unread *tune.TrafficError
	switch {
	case errors.Is(err, commandline.ErrInterrupted):
		return err
	case errors.As(err, &unread), errors.Is(err, tune.ErrTraffic):
		return commandline.Exit(commandline.ExitUsage, err)
	case err != nil:
		return err
	}
	doc.Tool = result.Tool{Name: "simulate", Version: commandline.Version(version)}
	doc.Notes = append(doc.Notes, log.Notes()...)
	if log.Spread() > 0 && !f.Given("within-second") && doc.AtOnce == nil {
		doc.Notes = append(doc.Notes, "times are whole seconds, spread evenly within each (--within-second even): who "+
			"sends several at once needs a larger burst than is said here; --within-second at_once says how large at "+
			"most")
	}
	var verdict error
	if !f.who && doc.Chosen == nil {
		verdict = commandline.Exit(commandline.ExitMissed, fmt.Errorf("%w: %s", errNoSetting, doc.NearestText()))
	} else if !f.who && !doc.ShowsProtection(&doc.Rows[*doc.Chosen]) {
		verdict = commandline.Exit(commandline.ExitInconclusive, fmt.Errorf("--protect %s: a sample says of worst "+
			"seconds only that they are at least so much; have the chosen setting decided without --sample", f.protect))
	}
	figures := func() error { return tune.Forms.Write(a.Stdout, f.Format, doc, f.Terminal(a.Stdout)) }
	return commandline.Deliver(a.Stdout, figures, func() error { return a.tuneFiles(f, doc, pictures) }, verdict)
}

// atOnce is whom a setting hits if the requests of a second come at its beginning, for a log of whole seconds.
func (f *tuneFlags) atOnce(q tune.Question, shown *reading, chosen tune.Setting) (*tune.Touched, error) {
	q.Traffic, _ = f.streams(underRule(f.source, traffic.AtStart), shown)
	return q.Hits(chosen)
}

// tuneNames are the names of the files that tuneFiles writes.
func tuneNames(pictures []string) []string {
	names := []string{result.Tune.File}
	for _, extension := range append([]string{"csv"}, pictures...) {
		if len(pictures) > 0 {
			names = append(names, tune.PictureName+"."+extension)
		}
	}
	return names
}

// folder makes that of --out, if any. What it returns removes it again where nothing comes into it.
func (f *tuneFlags) folder(pictures []string) (giveBack func(), err error) {
	if f.Folder == "" {
		return func() {}, nil
	}
	if err := commandline.RefuseForeign("--out", f.Folder, tuneNames(pictures)...); err != nil {
		return nil, err
	}
	return commandline.MakeFolder("--out", f.Folder)
}

// tuneFiles writes the document and its picture.
func (a *app) tuneFiles(f *tuneFlags, doc *tune.Document, pictures []string) error {
	if f.Folder == "" {
		return nil
	}
	if err := commandline.RefuseForeign("--out", f.Folder, tuneNames(pictures)...); err != nil {
		return err
	}
	json := func(w io.Writer) error { return tune.WriteJSON(w, doc) }
	err := atomicfile.Write(filepath.Join(f.Folder, result.Tune.File), json)
	if err == nil && len(pictures) > 0 {
		_, err = tune.WritePicture(f.Folder, doc, pictures...)
	}
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	if !f.Quiet {
		fmt.Fprintf(a.Stderr, "simulate: the figures and their picture are in %s\n", message.Path(f.Folder))
	}
	return nil
}
