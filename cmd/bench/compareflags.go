package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ratelab/algorithms"
	"ratelab/internal/bench"
	"ratelab/internal/benchresult"
	"ratelab/internal/commandline"
	"ratelab/internal/compare"
	"ratelab/internal/costresult"
	"ratelab/internal/message"
)

// compareFlags are those of bench compare.
type compareFlags struct {
	*commandline.Groups
	commandline.Output

	base, head, as string
	algorithms     []string
	redis          string
	eviction       bool
	pairs          commandline.Count
	segment        commandline.Duration
	warmUp         commandline.Duration
	connections    commandline.Count
	mix            string

	instructions, instructionsOnly bool
	states                         []string
	everyGate                      bool
	pinned                         string
}

func (f *compareFlags) register(c *cobra.Command) {
	f.pairs = commandline.Count{Value: bench.DefaultPairs, Least: 1, Most: 1000}
	f.segment = segmentTime(bench.DefaultPairSegment)
	f.warmUp = warmUpTime(bench.DefaultPairWarmUp)
	f.connections = connections()
	f.Groups = commandline.NewGroups(c)
	f.Add("Two sides, measured in turn", f.sides)
	f.Add("Instructions, counted under valgrind", f.counting)
	f.Add("Output", func(fs *pflag.FlagSet) {
		fs.String("shard", "", "is refused with the reason")
		_ = fs.MarkHidden("shard")
		f.FormatFlag(fs, compare.Forms.Names())
		f.FolderFlag(fs, defaultFolder, "comparison.json and .md, paired.json and samples for benchstat")
		f.QuietFlag(fs)
	})
	f.Complete(c, map[string][]string{
		"algorithms": commandline.Labels(),
		"as":         algorithms.Names(),
		"format":     compare.Forms.Names(),
		"mix":        benchresult.Mixes(),
		"redis":      serverWords,
		"states":     costresult.States(),
	})
}

func (f *compareFlags) sides(fs *pflag.FlagSet) {
	fs.StringVar(&f.base, "base", "", "the old `SIDE`: a script, an algorithm or a server")
	fs.StringVar(&f.head, "head", "", "the new `SIDE`")
	fs.StringVar(&f.as, "as", "", "call scripts without a binding as the built-in algorithm of this `LABEL` is called")
	fs.StringSliceVarP(&f.algorithms, "algorithms", "a", nil,
		"on two servers: `NAMES`, comma separated, of what to run (default all)")
	fs.StringVar(&f.redis, "redis", "",
		"of two scripts: `SERVER`: "+serverKinds+" (default: a container where Docker answers, else a process)")
	commandline.EvictionFlag(fs, &f.eviction)
	fs.Var(&f.pairs, "pairs", "measure each side at most `N` times; what is clear before ends it")
	fs.Var(&f.segment, "segment", "`TIME` of one measurement")
	fs.Var(&f.warmUp, "warm-up", "`TIME` before each measurement that is not counted")
	fs.Var(&f.connections, "connections", "`N` connections")
	fs.StringVar(&f.mix, "mix", benchresult.MixHalf, "`MIX` of the requests: "+strings.Join(benchresult.Mixes(), ", "))
}

func (f *compareFlags) counting(fs *pflag.FlagSet) {
	fs.BoolVar(&f.instructions, "instructions", false,
		"insist on counting (default: count where there is valgrind)")
	fs.BoolVar(&f.instructionsOnly, "instructions-only", false,
		"judge what is counted, and measure no times: for CI, and for busy machines")
	fs.StringSliceVar(&f.states, "states", nil,
		"count only in these `STATES` of a key: "+strings.Join(costresult.States(), ", ")+" (default all)")
	fs.StringVar(&f.pinned, "pinned", "",
		"judge head also against the script of its name in this `FOLDER`, a release's, and not by time")
	fs.BoolVar(&f.everyGate, "every-gate", false, "measure times also where a counted gate has failed already")
}

// ways is whether instructions are counted.
func (f *compareFlags) ways() bench.Counting {
	if f.instructions || f.instructionsOnly || f.Given("pinned") || f.Given("states") {
		return bench.CountOrFail
	}
	return bench.CountIfPossible
}

// check refuses flags that do not go together, and the lack of those without which there is nothing to do.
func (f *compareFlags) check(args []string) error {
	if err := f.Empty(); err != nil {
		return err
	}
	switch {
	case f.Given("shard"):
		return commandline.Usage("--shard: two sides are compared in closed loops, in which each call waits for the " +
			"one before, so that nothing can be dealt to shards; leave it out")
	case !f.Given("base") && !f.Given("head"):
		return noSides(args)
	case !f.Given("head"):
		return commandline.Usage("--base: there is no --head to compare it with")
	case !f.Given("base"):
		return commandline.Usage("--head: there is no --base to compare it with")
	}
	if !slices.Contains(benchresult.Mixes(), f.mix) {
		return commandline.Usage("--mix %s: %s", message.Quote(f.mix), message.OneOf(f.mix, benchresult.Mixes()))
	}
	for _, state := range f.states {
		if !slices.Contains(costresult.States(), state) {
			return commandline.Usage("--states %s: %s", message.Quote(state), message.OneOf(state, costresult.States()))
		}
	}
	return f.CheckFormat(compare.Forms.Names())
}
