package main

import (
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ratelab/internal/bench"
	"ratelab/internal/benchresult"
	"ratelab/internal/commandline"
	"ratelab/internal/limit"
	"ratelab/internal/play"
)

// defaultFolder is where results go, and git ignores them.
const defaultFolder = "results/latest-bench"

// defaultScenarios differ in what they ask of a limiter: the one has demand on both sides of a window's edge, in
// which algorithms admit very differently; the other ten times what is allowed, most of which is rejected.
var defaultScenarios = []string{"extreme-case-1", "ten-times-over"}

// runFlags are those of bench run.
type runFlags struct {
	*commandline.Groups
	commandline.Limiters
	commandline.Traffic
	commandline.Output

	redis         string
	eviction      bool
	quick         bool
	rounds        commandline.Count
	from          commandline.Duration
	length        commandline.Duration
	whole         bool
	warmUp        commandline.Duration
	segment       commandline.Duration
	connections   commandline.Count
	sweep         commandline.Counts
	noSweep       bool
	noMemory      bool
	repeatInvalid commandline.Count
	shard         commandline.Shard
	run           string
	wait          commandline.Duration
}

func (f *runFlags) register(c *cobra.Command) {
	f.rounds = commandline.Count{Value: bench.DefaultRounds, Least: 1, Most: 1000}
	f.from = commandline.Duration{Value: -1, Least: 0, Most: limit.MaxWindow}
	f.length = segmentTime(0)
	f.warmUp = warmUpTime(bench.DefaultWarmUp)
	f.segment = segmentTime(bench.DefaultSegment)
	f.connections = connections()
	f.sweep = commandline.Counts{Values: bench.DefaultSweep(), Most: mostConnections}
	f.repeatInvalid = commandline.Count{Least: 0, Most: 100}
	f.wait = commandline.Duration{Value: time.Minute, Least: time.Second, Most: time.Hour}
	f.Groups = commandline.NewGroups(c)
	f.Add("What is limited, and by what", f.Limiters.Register)
	f.Add("Recorded traffic instead of a scenario", f.Traffic.Register)
	f.Add("What is measured, and how long", f.measured)
	f.Add("Load from several processes", f.sharded)
	f.Add("Output", f.output)
	f.Complete(c, f.Completions())
	f.Complete(c, map[string][]string{
		"algorithms": commandline.Labels(),
		"format":     benchresult.Forms.Names(),
		"charts":     commandline.Charts,
		"redis":      serverWords,
	})
}

// mostConnections is the most that may be asked for.
const mostConnections = 1000

func connections() commandline.Count {
	return commandline.Count{Value: bench.DefaultConnections, Least: 1, Most: mostConnections}
}

func segmentTime(value time.Duration) commandline.Duration {
	return commandline.Duration{Value: value, Least: 10 * time.Millisecond, Most: time.Hour}
}

func warmUpTime(value time.Duration) commandline.Duration {
	return commandline.Duration{Value: value, Least: 0, Most: time.Hour}
}

func (f *runFlags) measured(fs *pflag.FlagSet) {
	fs.StringVar(&f.redis, "redis", "",
		"`SERVER`: "+serverKinds+" (default: a container where Docker answers, else a process)")
	commandline.EvictionFlag(fs, &f.eviction)
	fs.BoolVar(&f.quick, "quick", false,
		"the complete run in small, two minutes: ten-times-over, 2 short rounds; other flags go on top")
	fs.Var(&f.rounds, "rounds", "measure everything `N` times, in another order each time")
	fs.Var(&f.from, "from", "play what is due from so much `TIME` after the scenario's start (default: where most is "+
		"asked for)")
	fs.Var(&f.length, "for", "play so much `TIME` of each scenario (default: "+limit.FormatDuration(play.DefaultLength)+
		", or with --from all that is left)")
	fs.BoolVar(&f.whole, "whole", false, "play each scenario from its start to its end")
	fs.Var(&f.warmUp, "warm-up", "`TIME` before each measurement that is not counted")
	fs.Var(&f.segment, "segment", "`TIME` of one closed-loop measurement")
	fs.Var(&f.connections, "connections", "`N` connections, but for the sweep")
	fs.Var(&f.sweep, "sweep", "numbers of connections such as `N,N`, one closed-loop measurement each")
	fs.BoolVar(&f.noSweep, "no-sweep", false, "leave the sweep out")
	fs.BoolVar(&f.noMemory, "no-memory", false, "leave the memory of keys out")
	fs.Var(&f.repeatInvalid, "repeat-invalid",
		"repeat a measurement in which the generator was at fault, or the server stood still, at most `N` times")
}

func (f *runFlags) sharded(fs *pflag.FlagSet) {
	fs.Var(&f.shard, "shard", "play shard `I/N` of the requests, such as 2/4, together with the other shards, each in "+
		"a process of its own: bench merge puts them together")
	fs.StringVar(&f.run, "run", defaultRun, "the `NAME` under which the shards of a run find each other on the server")
	fs.Var(&f.wait, "wait", "so much `TIME` for all shards to come")
}

func (f *runFlags) output(fs *pflag.FlagSet) {
	f.FormatFlag(fs, benchresult.Forms.Names())
	f.FolderFlag(fs, defaultFolder, "bench.json, histograms, samples and charts")
	f.ChartsFlag(fs, "")
	f.QuietFlag(fs)
}

// check looks at the flags that are one of a few words, and at those that exclude each other.
func (f *runFlags) check() error {
	if err := f.Empty(); err != nil {
		return err
	}
	if f.noSweep && f.Given("sweep") {
		return commandline.Usage("--no-sweep: --sweep says the contrary; leave one of them out")
	}
	if f.whole && (f.Given("from") || f.Given("for")) {
		return commandline.Usage("--whole: --from and --for play a part; leave them out, or --whole")
	}
	if err := f.checkShard(); err != nil {
		return err
	}
	return f.CheckFormat(benchresult.Forms.Names())
}

// wish is what is to be played of a scenario.
func (f *runFlags) wish() play.Wish {
	w := play.Wish{For: f.length.Value, Whole: f.whole}
	if f.Given("from") {
		w.From = &f.from.Value
	}
	return w
}

// shrink sets what --quick stands for, where nothing else is said.
func (f *runFlags) shrink() {
	if !f.quick {
		return
	}
	set := func(name string, to func()) {
		if !f.Given(name) {
			to()
		}
	}
	set("rounds", func() { f.rounds.Value = 2 })
	if !f.Given("from") && !f.whole {
		set("for", func() { f.length.Value = 2 * time.Second })
	}
	set("warm-up", func() { f.warmUp.Value = 100 * time.Millisecond })
	set("segment", func() { f.segment.Value = 200 * time.Millisecond })
	set("sweep", func() { f.sweep.Values = []int{1, 8, 64} })
}
