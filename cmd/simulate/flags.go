package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ratelab/internal/commandline"
	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/redisserver"
	"ratelab/internal/report"
	"ratelab/internal/simulate"
)

// serverKinds are the values of --redis.
const serverKinds = redisserver.Kinds + ", or model"

// csvForm is the form of which columns can be picked.
const csvForm = "csv"

// flags are those of the root command.
type flags struct {
	*commandline.Groups
	commandline.Limiters
	commandline.Traffic
	commandline.Output

	redis     string
	eviction  bool
	clock     string
	longReal  bool
	decisions string
	bench     string
	shard     commandline.Shard
	forms
}

// forms are the flags of what is printed.
type forms struct {
	all     bool
	columns []string
}

func (f *forms) register(fs *pflag.FlagSet) {
	fs.StringSliceVar(&f.columns, "columns", nil,
		"of --format csv: `NAMES` of columns, comma separated, such as scenario,algorithm,overshoot (default all)")
	fs.BoolVar(&f.all, "all", false, fmt.Sprintf("print a table for each scenario where there are more than %d: else "+
		"they are one matrix", fewScenarios))
}

// check looks at the columns, which go with one format.
func (f *forms) check(format string) error {
	if len(f.columns) > 0 && format != csvForm {
		return commandline.Usage("--columns: goes with --format csv")
	}
	for _, name := range f.columns {
		if all := report.CSVColumns(); !slices.Contains(all, name) {
			return commandline.Usage("--columns %s: %s", message.Quote(name), message.OneOf(name, all))
		}
	}
	return nil
}

func (f *flags) register(c *cobra.Command) {
	f.Groups = commandline.NewGroups(c)
	f.Add("What is limited, and by what", f.Limiters.Register)
	f.Add("Recorded traffic instead of a scenario", f.Traffic.Register)
	f.Add("What decides, and when", f.deciders)
	f.Add("Output", f.output)
	f.Complete(c, f.Completions())
	f.Complete(c, map[string][]string{
		"algorithms": commandline.Labels(),
		"format":     report.Forms.Names(),
		"charts":     commandline.Charts,
		"columns":    report.CSVColumns(),
		"clock":      {simulate.VirtualClock, simulate.RealClock},
		"redis":      {"embedded", "process", "container", "model", "redis://"},
	})
}

func (f *flags) deciders(fs *pflag.FlagSet) {
	fs.StringVar(&f.redis, "redis", redisserver.KindEmbedded, "`SERVER`: "+serverKinds+" (the Go models, no server)")
	commandline.EvictionFlag(fs, &f.eviction)
	fs.StringVar(&f.clock, "clock", simulate.VirtualClock,
		"`CLOCK`: virtual, or real to pace the same requests on the wall clock of a real server")
	fs.BoolVar(&f.longReal, "long-real", false,
		"let --clock real take more than "+limit.FormatDuration(simulate.MaxReal))
	fs.Var(&f.shard, "shard", "with --redis model: do the part of the job that falls on shard `I/N` of the keys, such "+
		"as 2/4, and write it to --out; simulate merge puts the parts together")
}

func (f *flags) output(fs *pflag.FlagSet) {
	f.FormatFlag(fs, report.Forms.Names())
	f.forms.register(fs)
	f.FolderFlag(fs, "results/latest", "index.html, charts, their data and result.json")
	f.ChartsFlag(fs, fmt.Sprintf(", svg of more than %d scenarios", fewScenarios))
	fs.StringVar(&f.bench, "bench", "",
		"show in index.html what bench run measured of the same scenarios: a bench.json, or the `FOLDER` that has one")
	fs.StringVar(&f.decisions, "decisions", "", "write one CSV row for each decision to `FILE`")
	f.QuietFlag(fs)
}

// check looks at the flags that are one of a few words.
func (f *flags) check() error {
	if err := f.Empty(); err != nil {
		return err
	}
	if err := f.CheckFormat(report.Forms.Names()); err != nil {
		return err
	}
	if err := f.forms.check(f.Format); err != nil {
		return err
	}
	if err := f.checkShard(); err != nil {
		return err
	}
	if f.clock != simulate.VirtualClock && f.clock != simulate.RealClock {
		return commandline.Usage("--clock %s: want virtual or real", message.Quote(f.clock))
	}
	if f.longReal && f.clock != simulate.RealClock {
		return commandline.Usage("--long-real: goes with --clock real")
	}
	return nil
}
