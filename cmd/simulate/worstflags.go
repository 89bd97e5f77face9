package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ratelab/algorithms"
	"ratelab/internal/commandline"
	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/redisserver"
	"ratelab/internal/traffic"
	"ratelab/internal/worst"
)

// worstFlags are those of simulate worst.
type worstFlags struct {
	*commandline.Groups
	commandline.Output

	limit       string
	burst       int64
	within      interval
	largestCost commandline.Count
	budget      commandline.Count
	seed        commandline.Seed
	scripts     []string
	redis       string
	eviction    bool
}

// interval is the value of --within; nothing stands for the limit's window.
type interval struct{ commandline.Duration }

func (i *interval) String() string {
	if i.Value == 0 {
		return ""
	}
	return i.Duration.String()
}

func (f *worstFlags) register(c *cobra.Command) {
	f.within = interval{commandline.Duration{Least: time.Microsecond, Most: limit.MaxWindow}}
	f.largestCost = commandline.Count{Value: 1, Least: 1, Most: traffic.MaxCost}
	f.budget = commandline.Count{Value: worst.DefaultBudget, Least: 1, Most: 1_000_000_000}
	f.Groups = commandline.NewGroups(c)
	f.Add("What is searched", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.limit, "limit", "100/1s", "the limit: so many `REQUESTS/WINDOW`")
		fs.Int64Var(&f.burst, "burst", 0, "how `MANY` may come at once (default REQUESTS)")
		fs.Var(&f.within, "within", "the interval in which the most is to be admitted (default the window)")
		fs.Var(&f.largestCost, "largest-cost", "the most that one request may cost")
		fs.StringArrayVar(&f.scripts, "script", nil,
			"play what is found to a Lua script of your own as well, `FILE.lua`, with its binding beside it; may be "+
				"repeated")
	})
	f.Add("How", func(fs *pflag.FlagSet) {
		fs.Var(&f.budget, "budget", "decisions that the search for one algorithm may take; what it finds has at most "+
			"twice as many requests")
		fs.Var(&f.seed, "seed", "of what is tried at random (default 1)")
		fs.StringVar(&f.redis, "redis", redisserver.KindEmbedded,
			"the `SERVER` on which the scripts confirm it: "+redisserver.Kinds)
		commandline.EvictionFlag(fs, &f.eviction)
	})
	f.Add("Output", func(fs *pflag.FlagSet) {
		f.FormatFlag(fs, worst.Forms.Names())
		f.FolderFlag(fs, "results/latest-worst", "worst-*.yaml, one for each algorithm, and worst.json")
		f.QuietFlag(fs)
	})
	f.Complete(c, map[string][]string{
		"format": worst.Forms.Names(),
		"redis":  {"embedded", "process", "container", "redis://"},
	})
}

// promising are the algorithms that promise a bound at some plain limit.
func promising() []string {
	var names []string
	for _, name := range algorithms.Names() {
		c, err := algorithms.Parse(name)
		if err != nil {
			panic(err) // the name comes from the registry
		}
		if in, err := c.Instance(limit.Policy{Requests: 100, Window: time.Second}); err == nil &&
			in.MostAdmitted != nil {
			names = append(names, name)
		}
	}
	return names
}

// problems are the searches that the flags and arguments ask for.
func (f *worstFlags) problems(args []string) ([]worst.Problem, error) {
	policy, err := f.policy()
	if err != nil {
		return nil, err
	}
	labels := args
	if len(labels) == 0 {
		labels = promising()
	}
	choices, err := commandline.Choices("worst", separated(labels))
	if err != nil {
		return nil, err
	}
	var all []worst.Problem
	var bad []error
	for _, c := range choices {
		p, err := f.problem(c, policy)
		if err != nil {
			bad = append(bad, err)
			continue
		}
		all = append(all, p)
	}
	if bad != nil {
		return nil, commandline.Exit(commandline.ExitUsage, errors.Join(bad...))
	}
	return all, nil
}

func (f *worstFlags) policy() (limit.Policy, error) {
	if err := f.Empty(); err != nil {
		return limit.Policy{}, err
	}
	if err := f.CheckFormat(worst.Forms.Names()); err != nil {
		return limit.Policy{}, err
	}
	if f.redis == "model" {
		return limit.Policy{}, commandline.Usage("--redis model: the search asks the models already; want %s",
			redisserver.Kinds)
	}
	if len(f.scripts) > 0 && f.within.Value > 0 {
		return limit.Policy{}, commandline.Usage("--within: goes without --script, of which the most in one window " +
			"of the " +
			"limit is said")
	}
	if f.within.Value%time.Microsecond != 0 {
		return limit.Policy{}, commandline.Usage("--within %v: want whole microseconds", f.within.Value)
	}
	return commandline.PolicyOf(f.limit, f.burst, f.Given("burst"))
}

// problem is the search for one algorithm.
func (f *worstFlags) problem(c algorithms.Choice, p limit.Policy) (worst.Problem, error) {
	in, err := c.Instance(p)
	if err != nil {
		return worst.Problem{}, err
	}
	if in.Gateways != nil {
		return worst.Problem{}, fmt.Errorf("worst: %s: the search attacks one gateway alone, and all of them promise "+
			"as many times as much as there are; leave out nodes", message.Bare(in.Label))
	}
	if in.MostAdmitted == nil {
		return worst.Problem{}, fmt.Errorf("worst: %s promises no bound: it admits whatever is asked of it; name "+
			"another, or leave all names out for those that do",
			message.Bare(in.Label))
	}
	problem := worst.Problem{
		Instance: in, Policy: p, WithinUS: p.WindowUS(), LargestCost: int64(f.largestCost.Value),
		Budget: int64(f.budget.Value), Seed: worst.DefaultSeed,
	}
	if f.within.Value > 0 {
		problem.WithinUS = f.within.Value.Microseconds()
	}
	if f.seed.Value != nil {
		problem.Seed = *f.seed.Value
	}
	return problem, nil
}

// separated lets commas stand between algorithms too, as in --algorithms. nil stays nil.
func separated(labels []string) []string {
	var all []string
	for _, l := range labels {
		all = append(all, strings.Split(l, ",")...)
	}
	return all
}
