package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ratelab/internal/atomicfile"
	"ratelab/internal/benchchart"
	"ratelab/internal/benchresult"
	"ratelab/internal/commandline"
	"ratelab/internal/curves"
	"ratelab/internal/message"
	"ratelab/internal/page"
	"ratelab/internal/report"
	"ratelab/internal/scenario"
	"ratelab/internal/simchart"
	"ratelab/internal/simulate"
)

// golden is the committed document, in the folder of the results, or in that of somebody's own scenarios.
const golden = "simulate.json"

// errDiffers is check's verdict.
var errDiffers = commandline.Exit(commandline.ExitMissed, errors.New("the results differ"))

const aboutCheck = `Decide everything again and compare with the committed results, exactly.

Without an argument: every built-in scenario with every algorithm, in virtual time on the embedded
server; each figure and each digest of decisions is compared with the committed results. Exit code
1 names the first difference. If the change is meant, --accept writes the results anew: the
document, and the pages with the pictures that they show. The pages also show what bench run
measured, where the folder has a bench/bench.json.

With a FOLDER of your own: every scenario in it meets every script in it, and the rows that the
scenarios expect something of. What they expect must hold, and the figures must be those of the
simulate.json in the folder, which --accept writes. NAME.lua is a script, NAME.yaml beside it its
binding, every other YAML file a scenario.`

const examplesCheck = `  simulate check                             the results of this project
  simulate check limits --accept             write limits/simulate.json: a folder of your own
  simulate check limits                      in CI: exit code 1 names the first difference
  simulate check limits --script lua/limiter.lua -a gcra   one that lies elsewhere`

const closingCheck = `Exit codes: 0 ok · 1 the results differ, or an expectation is missed · 2 usage or invalid input ·
3 the harness could not run · 130 interrupted: nothing was compared and nothing accepted.
`

// checkFlags are those of check.
type checkFlags struct {
	*commandline.Groups
	results    string
	accept     bool
	quiet      bool
	scripts    []string
	algorithms []string
}

// check is the exact gate.
func (a *app) check() *cobra.Command {
	var f checkFlags
	c := &cobra.Command{
		Use:     "check [FOLDER] [flags]",
		Short:   "Decide everything again and compare with the committed results, exactly",
		Long:    aboutCheck,
		Example: examplesCheck,
		Args:    cobra.ArbitraryArgs,
	}
	c.DisableFlagsInUseLine = true
	f.Groups = commandline.NewGroups(c)
	f.Add("Flags", func(fs *pflag.FlagSet) {
		fs.BoolVar(&f.accept, "accept", false, "write the results anew instead of comparing")
		fs.StringVar(&f.results, "results", "results", "without a FOLDER: `DIR` of the committed results")
		fs.StringArrayVar(&f.scripts, "script", nil,
			"with a FOLDER: a script that lies elsewhere, `FILE.lua`, with its binding beside it; may be repeated")
		fs.StringSliceVarP(&f.algorithms, "algorithms", "a", nil,
			"with a FOLDER: built-in `NAMES` as further rows, comma separated")
		fs.BoolVarP(&f.quiet, "quiet", "q", false, "only the results: no progress, no notes")
	})
	f.Complete(c, map[string][]string{"algorithms": commandline.Labels()})
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.Empty(); err != nil {
			return err
		}
		switch {
		case len(args) > 1:
			return commandline.Usage("check: %s: want one folder", message.Quote(args[1]))
		case len(args) == 1:
			return a.checkOwn(cmd.Context(), args[0], &f)
		}
		if stray := f.FirstGiven(func(name string) bool {
			return name == "script" ||
				name == "algorithms"
		}); stray != "" {
			return commandline.Usage("--%s: goes with a FOLDER of your own", stray)
		}
		return a.checkResults(cmd.Context(), f.results, f.accept, f.quiet)
	}
	commandline.Help(c, f.Groups, closingCheck)
	return c
}

func (a *app) checkResults(ctx context.Context, dir string, accept, quiet bool) error {
	if accept {
		return a.acceptResults(ctx, dir, quiet)
	}
	path := filepath.Join(dir, golden)
	want, err := readGolden(path, "run in the project's folder, name the folder with --results, or make it with "+
		"--accept")
	if err != nil {
		return err
	}
	result, err := a.decideBuiltin(ctx, quiet)
	if err != nil {
		return err
	}
	if err := sameAs(path, want, result, "simulate check --accept"); err != nil {
		return err
	}
	if err := checkPage(dir, result); err != nil {
		return err
	}
	return a.sayEqual(path, result)
}

// sameAs is nil where the results are those of the golden document in the file path; accept is the command that takes
// new ones.
func sameAs(path string, want *report.Document, result *simulate.Result, accept string) error {
	difference, equal := report.Compare(want, &result.Document, message.Path(path))
	if equal {
		return nil
	}
	return fmt.Errorf("%w: %s (%s takes the new figures, if they are meant)", errDiffers, difference, accept)
}

func (a *app) sayEqual(path string, result *simulate.Result) error {
	return commandline.Println(a.Stdout,
		fmt.Sprintf("ok: %s as in %s", decide(len(result.Document.Runs)), message.Path(path)))
}

func decide(scenarios int) string {
	if scenarios == 1 {
		return "1 scenario decides"
	}
	return fmt.Sprintf("%d scenarios decide", scenarios)
}

// checkOwn is the gate for a folder of somebody's own: what the scenarios expect first, then the golden document.
func (a *app) checkOwn(ctx context.Context, dir string, f *checkFlags) error {
	if f.Given("results") {
		return commandline.Usage("--results: goes without a FOLDER; that of %s is the file %s in it", message.Path(dir),
			golden)
	}
	path := filepath.Join(dir, golden)
	job, err := a.ownJob(dir, f)
	if err != nil {
		return err
	}
	again := f.Again("simulate check", []string{dir}, "accept", "quiet") + " --accept"
	var want *report.Document
	if !f.accept {
		if want, err = readGolden(path, "make it with "+again); err != nil {
			return err
		}
	} else if err := commandline.RefuseForeign("check", dir, golden); err != nil {
		return err
	}
	result, err := a.decideAgain(ctx, job, f.quiet)
	if err != nil {
		return err
	}
	anonymous(&result.Document)
	if !f.quiet {
		for _, w := range result.Warnings {
			fmt.Fprintf(a.Stderr, "simulate: warning: %s\n", message.Shown(w))
		}
	}
	if err := verdict(&result.Document); err != nil {
		if f.accept {
			err = fmt.Errorf("not accepted: %w", err)
		}
		return err
	}
	if f.accept {
		write := func(w io.Writer) error { return report.WriteJSON(w, &result.Document) }
		if err := atomicfile.Write(path, write); err != nil {
			return err
		}
		return commandline.Println(a.Stdout, fmt.Sprintf("accepted: %s as %s says from now on",
			decide(len(result.Document.Runs)), message.Path(path)))
	}
	anonymous(want)
	if err := sameAs(path, want, result, again); err != nil {
		return err
	}
	return a.sayEqual(path, result)
}

// anonymous takes the hashes of scripts away: somebody's own may be written otherwise, as long as it decides the same.
func anonymous(doc *report.Document) {
	for i := range doc.Runs {
		for k := range doc.Runs[i].Results {
			doc.Runs[i].Results[k].ScriptSHA1 = ""
		}
	}
	for i := range doc.Examinations {
		doc.Examinations[i].ScriptSHA1 = ""
	}
}

// ownJob is every scenario of a folder with every script in it.
func (a *app) ownJob(dir string, f *checkFlags) (*simulate.Job, error) {
	folder, err := readOwnFolder(dir)
	if err != nil {
		return nil, err
	}
	choices, err := commandline.Choices("--algorithms", f.algorithms)
	if err != nil {
		return nil, err
	}
	list, err := commandline.LoadScenarios(folder.scenarios)
	if err != nil {
		return nil, err
	}
	job := a.newJob(list)
	job.Version = "" // the golden file changes with the figures, not with every version
	job.Scripts = slices.Concat(folder.scripts, f.scripts)
	job.Algorithms, job.Expected = choices, choices == nil
	return job, nil
}

// acceptedCommand makes the figures of the committed page.
const acceptedCommand = "simulate"

// checkPage compares the committed web page with the one that these results give, byte by byte.
func checkPage(dir string, result *simulate.Result) error {
	path := filepath.Join(dir, indexPage)
	have, err := os.ReadFile(path)
	if err != nil {
		return commandline.Usage("%s: %w; make it with --accept", message.Path(path), message.Unreadable(err))
	}
	bench, err := readMeasured(dir)
	if err != nil {
		return err
	}
	var want bytes.Buffer
	if err := page.Write(&want, pageInput(result, bench, acceptedCommand)); err != nil {
		return err
	}
	if !bytes.Equal(have, want.Bytes()) {
		return fmt.Errorf("%w: %s does not show these figures (simulate check --accept writes it anew)", errDiffers,
			message.Path(path))
	}
	return nil
}

func (a *app) acceptResults(ctx context.Context, dir string, quiet bool) error {
	if err := commandline.RefuseForeign("--results", dir, "README.md", indexPage, golden); err != nil {
		return err
	}
	giveBack, err := commandline.MakeFolder("--results", dir)
	if err != nil {
		return err
	}
	result, err := a.decideBuiltin(ctx, quiet)
	if err == nil {
		err = verdict(&result.Document)
	}
	if err != nil {
		giveBack()
		return fmt.Errorf("not accepted: %w", err)
	}
	return a.accept(dir, result)
}

// decideBuiltin runs everything that is built in, to its end.
func (a *app) decideBuiltin(ctx context.Context, quiet bool) (*simulate.Result, error) {
	all, err := scenario.Builtin()
	if err != nil {
		return nil, err
	}
	job := a.newJob(all)
	job.Version = "" // the committed results change with the figures, not with every commit
	return a.decideAgain(ctx, job, quiet)
}

// decideAgain does a job to its end.
func (a *app) decideAgain(ctx context.Context, job *simulate.Job, quiet bool) (*simulate.Result, error) {
	bar := a.NewBar(quiet)
	defer bar.Finish()
	job.Progress = progressOf(bar, job.Scenarios)
	result, err := job.Run(ctx)
	if err == nil && result.Interrupted {
		return nil, fmt.Errorf("%w: nothing was compared and nothing accepted", commandline.ErrInterrupted)
	}
	return result, err
}

// readGolden reads a golden document; remedy says what to do where there is none.
func readGolden(path, remedy string) (*report.Document, error) {
	doc, err := report.Read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, commandline.Usage("%s: no such file; %s", message.Path(path), remedy)
	case err != nil:
		return nil, commandline.Usage("%w", err)
	}
	return doc, nil
}

// measuredFolder is where in the folder of the results lies what a server's wall clock measured.
const measuredFolder = "bench"

// readMeasured is what was measured, or nil where nothing was.
func readMeasured(dir string) (*benchresult.Document, error) {
	doc, err := benchresult.Read(filepath.Join(dir, measuredFolder))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, commandline.Usage("%w; measure it anew, or delete it", err)
	}
	return doc, nil
}

// pictures are of the runs that were played.
func pictures(bench *benchresult.Document, doc *report.Document) map[string]report.Picture {
	all := map[string]report.Picture{}
	for i := range doc.Runs {
		r := &doc.Runs[i]
		if play := bench.Of(r.Scenario, r.Limit, r.Seed); play != nil && curves.NewPlayed(play) != nil {
			all[r.Scenario] = report.Picture{Path: measuredFolder + "/" + benchchart.PlayedName(r.Scenario) + ".svg",
				By: bench.Server.String(), Trust: bench.Trust()}
		}
	}
	return all
}

// accept writes the results: the document, and the pages with the pictures that they show.
func (a *app) accept(dir string, result *simulate.Result) error {
	bench, err := readMeasured(dir)
	if err != nil {
		return err
	}
	charts := filepath.Join(dir, "charts")
	if err := os.MkdirAll(charts, 0o755); err != nil {
		return err
	}
	if err := atomicfile.Sweep(charts); err != nil {
		return err
	}
	for _, in := range result.Charts {
		if _, err := simchart.WriteWindow(charts, in); err != nil {
			return err
		}
	}
	doc := &result.Document
	page := func(w io.Writer) error { return report.WritePage(w, doc, "charts", pictures(bench, doc)) }
	if err := atomicfile.Write(filepath.Join(dir, "README.md"), page); err != nil {
		return err
	}
	if err := writePage(dir, result, bench, acceptedCommand); err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(dir, golden), func(w io.Writer) error { return report.WriteJSON(w, doc) })
}
