package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ratelab/internal/atomicfile"
	"ratelab/internal/commandline"
	"ratelab/internal/cost"
	"ratelab/internal/costchart"
	"ratelab/internal/costresult"
	"ratelab/internal/load"
	"ratelab/internal/message"
	"ratelab/internal/redisserver"
	"ratelab/internal/result"
	"ratelab/internal/waiting"
)

const aboutCost = `Count what a decision costs a server: instructions, under valgrind's callgrind and on an unmodified
redis-server, for each path through a script. Counts repeat within half a percent, on a busy machine
too, where times do not.

A path is a state of the key and a limit. The states: first (a new key), steady (one request for
each permit's interval), burst (at one instant, on a new key), rejected, expired (the TTL has passed,
the key is still there), cost 2, cost B (the whole capacity at once), and full log. The limits: the
scenario's own, 10/1s, 100/1h, 333/1s and 1000000/24h. Paths of equal counts are shown once. Each
reply is compared with what the path must answer; a script that does otherwise is refused.

The empty script none is the first row: what network, parsing and EVALSHA take. Redis commands,
replicated bytes, memory and the server's allocations are counted as well. A count is no time. It
needs valgrind (apt-get install valgrind), and counts of two servers' versions are not comparable.`

// costFolder is where the document goes, and git ignores it.
const costFolder = "results/latest-cost"

// costFlags are those of bench cost.
type costFlags struct {
	*commandline.Groups
	commandline.Output

	algorithms []string
	scripts    []string
	redis      string
}

// costServers are the values of --redis here.
const costServers = "process, process=PATH, container or container=IMAGE"

func (f *costFlags) register(c *cobra.Command) {
	f.Groups = commandline.NewGroups(c)
	f.Add("What is counted", func(fs *pflag.FlagSet) {
		fs.StringSliceVarP(&f.algorithms, "algorithms", "a", nil,
			"`NAMES`, comma separated, each with :parameter=value where its default is not meant (default all)")
		fs.StringArrayVar(&f.scripts, "script", nil,
			"a Lua script of your own, `FILE.lua`, with its binding FILE.yaml beside it; may be repeated")
		fs.StringVar(&f.redis, "redis", redisserver.KindProcess, "`SERVER`, always a private one: "+costServers)
	})
	f.Add("Output", func(fs *pflag.FlagSet) {
		f.FormatFlag(fs, costresult.Forms.Names())
		f.FolderFlag(fs, costFolder, "cost.json and the chart")
		f.ChartsFlag(fs, "")
		f.QuietFlag(fs)
	})
	f.Complete(c, map[string][]string{
		"algorithms": commandline.Labels(),
		"format":     costresult.Forms.Names(),
		"charts":     commandline.Charts,
		"redis":      {redisserver.KindProcess, redisserver.KindContainer},
	})
}

// cost is the command that counts.
func (a *app) cost() *cobra.Command {
	var f costFlags
	c := &cobra.Command{
		Use:               "cost [scenario] [flags]",
		Short:             "Count what a decision costs, in instructions",
		Long:              aboutCost,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: commandline.CompleteScenarios,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.countCost(cmd.Context(), &f, args)
		},
	}
	f.register(c)
	commandline.Help(c, f.Groups, "")
	return c
}

// countCost is the job. If it fails nothing is printed and the files are as they were.
func (a *app) countCost(ctx context.Context, f *costFlags, args []string) error {
	job, err := a.costJob(f, args)
	if err != nil {
		return err
	}
	pictures, err := f.ChartFormats(false)
	if err != nil {
		return err
	}
	if err := job.Check(); err != nil {
		return err
	}
	if err := commandline.RefuseForeign("--out", f.Folder, costNames...); err != nil {
		return err
	}
	giveBack, err := commandline.MakeFolder("--out", f.Folder)
	if err != nil {
		return err
	}
	found, err := a.counted(ctx, f, job)
	if err != nil {
		giveBack()
		return costFault(err)
	}
	return a.deliverCost(f, pictures, found)
}

// counted does the job while a bar shows how far it is.
func (a *app) counted(ctx context.Context, f *costFlags, job *cost.Job) (*costresult.Document, error) {
	bar := a.NewBar(f.Quiet)
	defer bar.Finish()
	began := time.Now()
	job.Progress = func(where string, done, total int) {
		spent := time.Since(began)
		bar.Remaining(where, spent, spent*time.Duration(total)/time.Duration(max(1, done)))
	}
	return job.Run(waiting.With(ctx, waiting.Watch{Stop: a.Stop}))
}

// costNames are the files of the command.
var costNames = []string{result.Cost.File, costchart.Name + ".svg", costchart.Name + ".png", costchart.Name + ".csv"}

// costJob is what the flags and arguments ask for.
func (a *app) costJob(f *costFlags, args []string) (*cost.Job, error) {
	if err := f.Empty(); err != nil {
		return nil, err
	}
	if err := f.CheckFormat(costresult.Forms.Names()); err != nil {
		return nil, err
	}
	if len(args) > 1 {
		return nil, commandline.Usage("cost: got %d scenarios; want one, whose limit is counted with the others",
			len(args))
	}
	if len(args) == 0 {
		args = defaultScenarios[:1]
	}
	list, err := commandline.LoadScenarios(args)
	if err != nil {
		return nil, err
	}
	choices, err := commandline.Choices("--algorithms", f.algorithms)
	if err != nil {
		return nil, err
	}
	return &cost.Job{Subjects: cost.Subjects(choices, f.scripts), Limits: costresult.Limits(list[0].Limit),
		Server:  f.redis,
		Version: commandline.Version(version), Now: time.Now, Sleep: load.Wait, Stop: a.Stop}, nil
}

// costFault words what kept from counting.
func costFault(err error) error {
	var absent *redisserver.Unavailable
	if errors.As(err, &absent) {
		return serverFault(err)
	}
	return commandline.ServerFlag(err, "redis", costServers)
}

// deliverCost prints the document, writes it and its chart, and says where they are.
func (a *app) deliverCost(f *costFlags, pictures []string, found *costresult.Document) error {
	figures := func() error {
		return costresult.Forms.Write(a.Stdout, f.Format, found, f.Terminal(a.Stdout))
	}
	files := func() error {
		if err := commandline.RefuseForeign("--out", f.Folder, costNames...); err != nil { // it came during the run
			return err
		}
		if err := writeCost(f.Folder, pictures, found); err != nil {
			return fmt.Errorf("--out %s: %w", message.Path(f.Folder), commandline.WithoutPath(err))
		}
		if !f.Quiet {
			fmt.Fprintf(a.Stderr, "bench: cost.json and the chart are in %s\n", message.Path(f.Folder))
		}
		return nil
	}
	var verdict error
	if found.Partial {
		verdict = fmt.Errorf("%w: rows and paths are missing, and the document says so", commandline.ErrInterrupted)
	}
	return commandline.Deliver(a.Stdout, figures, files, verdict)
}

func writeCost(folder string, pictures []string, found *costresult.Document) error {
	if len(pictures) > 0 {
		if _, err := costchart.Write(folder, found, pictures...); err != nil {
			return err
		}
	}
	return atomicfile.Write(filepath.Join(folder, result.Cost.File), func(w io.Writer) error {
		return costresult.WriteJSON(w, found)
	})
}
