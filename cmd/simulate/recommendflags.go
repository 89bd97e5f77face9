package main

import (
	"errors"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ratelab/internal/benchresult"
	"ratelab/internal/commandline"
	"ratelab/internal/costresult"
	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/recommend"
	"ratelab/internal/redisserver"
	"ratelab/internal/scenario"
)

// recommendFlags are those of recommend.
type recommendFlags struct {
	*commandline.Groups
	commandline.Limiters
	commandline.Traffic
	commandline.Output

	redis        string
	eviction     bool
	maxOvershoot ratio
	maxShortfall share
	maxExcess    share
	maxDelay     commandline.Duration
	maxCalls     ratio
	maxBytes     ratio
	maxTries     ratio
	maxCost      commandline.Duration
	seeds        commandline.Count
	costs        string
	cost         string
	prefer       string
}

func (f *recommendFlags) register(c *cobra.Command) {
	tolerance := recommend.DefaultTolerance()
	f.maxOvershoot = ratio{&tolerance.MaxOvershoot, 1}
	f.maxShortfall, f.maxExcess = share{&tolerance.MaxShortfall}, share{&tolerance.MaxExcess}
	f.maxDelay = commandline.Duration{Most: limit.MaxWindow}
	f.seeds = commandline.Count{Value: recommend.DefaultSeeds, Least: 1, Most: 1000}
	f.maxCalls.least, f.maxBytes.least, f.maxTries.least = 1, 1, 1
	f.maxCost = commandline.Duration{Least: time.Microsecond, Most: time.Second}
	f.Groups = commandline.NewGroups(c)
	f.Add("What is tolerated, and what comes first", f.tolerances)
	f.Add("What is limited, and by what", f.Limiters.Register)
	f.Add("Recorded traffic instead of a scenario", f.Traffic.Register)
	f.Add("What decides, and output", f.output)
	f.Complete(c, f.Completions())
	f.Complete(c, map[string][]string{
		"algorithms": commandline.Labels(),
		"format":     recommend.Forms.Names(),
		"charts":     commandline.Charts,
		"prefer":     recommend.Preferences(),
		"redis":      {"embedded", "process", "container", "model", "redis://"},
	})
}

func (f *recommendFlags) tolerances(fs *pflag.FlagSet) {
	fs.Var(&f.maxOvershoot, "max-overshoot",
		"the most let through, or promised, as a multiple `X` of what the contract allows")
	fs.Var(&f.maxExcess, "max-excess", "`SHARE` of what is admitted that may be beyond the contract")
	fs.Var(&f.maxShortfall, "max-shortfall",
		"`SHARE` of what an exact limiter lets through that may be missing")
	fs.Var(&f.maxDelay, "max-delay", "`TIME` that a shaper may delay what it admits")
	fs.Var(&f.maxTries, "max-amplification", "tries `N` that a success may take of clients that react (default any)")
	fs.Var(&f.seeds, "seeds", "how many are played of random traffic, from the scenario's own on; the tolerance must "+
		"be kept in 19 of 20 of them")
	fs.Var(&f.maxCalls, "max-calls", "Redis commands `N` that a decision may take (default any)")
	fs.Var(&f.maxBytes, "max-bytes", "bytes `N` of memory that a key may take; needs a real server in --redis "+
		"(default any)")
	fs.Var(&f.maxCost, "max-cost", "`TIME` of the server that a decision may take; needs --costs (default any)")
	fs.StringVar(&f.costs, "costs", "",
		"`FILE` bench.json of bench run: what a decision costs the server, shown and weighed")
	fs.StringVar(&f.cost, "cost", "",
		"`FILE` cost.json of bench cost: instructions of a decision, shown and weighed before Redis commands")
	fs.StringVar(&f.prefer, "prefer", recommend.Preferences()[0],
		"`ORDER` of both answers: "+strings.Join(recommend.Preferences(), ", "))
}

func (f *recommendFlags) output(fs *pflag.FlagSet) {
	fs.StringVar(&f.redis, "redis", redisserver.KindEmbedded,
		"`SERVER` that confirms what the models decide: "+serverKinds+" (none)")
	commandline.EvictionFlag(fs, &f.eviction)
	f.FormatFlag(fs, recommend.Forms.Names())
	fs.StringVarP(&f.Folder, "out", "o", "",
		"`FOLDER` for recommendation.json and the picture with its data (default none)")
	f.ChartsFlag(fs, "")
	f.QuietFlag(fs)
}

// question is what the flags and arguments ask.
func (f *recommendFlags) question(args []string) (*recommend.Question, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	choices, err := f.Choices()
	if err != nil {
		return nil, err
	}
	instead, err := f.Instead(f.Groups)
	if err != nil {
		return nil, err
	}
	list, err := f.Scenarios(args, instead.Limit, f.Groups, noTraffic)
	if err != nil {
		return nil, err
	}
	for i, s := range list {
		if err := f.noChoice(s, args, i); err != nil {
			return nil, err
		}
	}
	costs, err := f.readCosts()
	if err != nil {
		return nil, err
	}
	q := &recommend.Question{Scenarios: list, Instead: instead, Choices: choices, Scripts: len(f.Scripts) > 0,
		Server: f.redis, Memory: f.knowsMemory(), Seeds: f.seeds.Value,
		Search: recommend.DefaultSearch, Prefer: f.prefer, Costs: costs}
	if q.Counted, err = f.readCounted(); err != nil {
		return nil, err
	}
	q.Tolerance = recommend.Tolerance{MaxOvershoot: *f.maxOvershoot.value, MaxExcess: *f.maxExcess.value,
		MaxShortfall: *f.maxShortfall.value, MaxDelayUS: f.maxDelay.Value.Microseconds(), MaxCalls: f.maxCalls.value,
		MaxBytes: f.maxBytes.value, MaxAmplification: f.maxTries.value}
	if f.Given("max-cost") {
		us := float64(f.maxCost.Value.Microseconds())
		q.Tolerance.MaxServerUS = &us
	}
	return q, nil
}

// noChoice refuses a scenario that is about other things than who to take, by the name under which it was given.
func (f *recommendFlags) noChoice(s *scenario.Scenario, args []string, i int) error {
	what := ""
	switch {
	case s.Sequences != nil:
		what = "sequences are commands without a script"
	case s.ClocksOff():
		what = "clocks that are off are a fault, not traffic"
	case s.Faulty():
		what = "managed and server_outage are faults, not traffic"
	case f.maxTries.value != nil && s.Clients == nil:
		return commandline.Usage("--max-amplification: no clients of %s try again; leave it out, or name a scenario "+
			"with clients", s.Name)
	default:
		return nil
	}
	return commandline.Usage("%s: %s; see simulate %[1]s for how algorithms fare, or name other scenarios",
		message.Path(args[i]), what)
}

// knowsMemory reports whether the server is asked what a key takes: one of ours is, and one that others use only where
// somebody wants to know.
func (f *recommendFlags) knowsMemory() bool {
	kind, _, _ := strings.Cut(f.redis, "=")
	return kind == redisserver.KindProcess || kind == redisserver.KindContainer || f.maxBytes.value != nil
}

func noTraffic() ([]*scenario.Scenario, error) {
	return nil, commandline.Usage("recommend: no traffic; name a scenario (simulate list shows them) or a file, or " +
		"give --trace FILE with --limit")
}

// check looks at the flags that are one of a few words, and at those that go together.
func (f *recommendFlags) check() error {
	if err := f.Empty(); err != nil {
		return err
	}
	if err := f.CheckFormat(recommend.Forms.Names()); err != nil {
		return err
	}
	if f.prefer == "balanced" {
		return commandline.Usage("--prefer balanced: no such order any more; take generous, which begins with the " +
			"least shortfall as well, or the default, cheap")
	}
	if !slices.Contains(recommend.Preferences(), f.prefer) {
		return commandline.Usage("--prefer %s: want one of %s", message.Quote(f.prefer),
			strings.Join(recommend.Preferences(), ", "))
	}
	if f.Given("max-cost") && f.costs == "" {
		return commandline.Usage("--max-cost %s: goes with --costs FILE, the bench.json of bench run",
			f.maxCost.String())
	}
	if f.maxBytes.value != nil && (f.redis == recommend.Models || f.redis == redisserver.KindEmbedded) {
		return commandline.Usage("--max-bytes %s: --redis %s has no memory to measure; take --redis process, "+
			"container or a URL", f.maxBytes.String(), f.redis)
	}
	if f.redis != recommend.Models {
		return nil
	}
	switch {
	case f.Given("prefer") && f.prefer == recommend.Preferences()[0] && f.costs == "":
		return commandline.Usage("--prefer cheap: --redis model has no server to count commands on, and no cost is " +
			"known; take --redis embedded, or give --costs FILE, the bench.json of bench run")
	case f.maxCalls.value != nil:
		return commandline.Usage("--max-calls: --redis model has no server to count calls on; take --redis embedded")
	case len(f.Scripts) > 0:
		return commandline.Usage("--redis model has no server to run a script on; leave out --script, or take " +
			"--redis embedded")
	}
	return nil
}

func (f *recommendFlags) readCosts() (*recommend.Costs, error) {
	if f.costs == "" {
		return nil, nil
	}
	r, err := benchresult.Read(f.costs)
	if err != nil {
		return nil, commandline.Usage("--costs %w", err)
	}
	costs := recommend.CostsOf(r)
	if costs.Empty() {
		return nil, commandline.Usage("--costs %s: its server did not tell what a call cost it; take a run on a "+
			"server of your own", message.Path(f.costs))
	}
	return costs, nil
}

// readCounted reads --cost; nil where it is not given.
func (f *recommendFlags) readCounted() (*recommend.Counted, error) {
	if f.cost == "" {
		return nil, nil
	}
	d, err := costresult.Read(f.cost)
	if err != nil {
		return nil, commandline.Usage("--cost %w", err)
	}
	return recommend.CountedOf(d), nil
}

// ratio is the value of a flag for a figure from least on, which may not have been given.
type ratio struct {
	value *float64
	least float64
}

func (r *ratio) String() string {
	if r.value == nil {
		return ""
	}
	return strconv.FormatFloat(*r.value, 'f', -1, 64)
}

// Type implements pflag.Value.
func (r *ratio) Type() string { return "X" }

// Wanted says what the value is to be.
func (r *ratio) Wanted() string {
	return "a number from " + strconv.FormatFloat(r.least, 'f', -1, 64) + " on, such as 1.1 or 3"
}

// Set implements pflag.Value.
func (r *ratio) Set(text string) error {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || v < r.least || v > 1e9 {
		return errors.New(r.Wanted())
	}
	r.value = &v
	return nil
}

// share is the value of a flag for a percentage, which may not have been given.
type share struct{ value *float64 }

func (s *share) String() string {
	if s.value == nil {
		return ""
	}
	return strconv.FormatFloat(math.Round(*s.value*1e10)/1e8, 'f', -1, 64) + "%"
}

// Type implements pflag.Value.
func (s *share) Type() string { return "SHARE" }

// Wanted says what the value is to be.
func (s *share) Wanted() string { return "a share from 0% to 100%, such as 1% or 0.5%" }

var percentText = regexp.MustCompile(`^[0-9]{1,3}(\.[0-9]{1,8})?%$`)

// Set implements pflag.Value. The digits are read as hundredths at once, so that 0.7% is what 14 of 2000 are.
func (s *share) Set(text string) error {
	if !percentText.MatchString(text) {
		return errors.New(s.Wanted())
	}
	v, err := strconv.ParseFloat(strings.TrimSuffix(text, "%")+"e-2", 64)
	if err != nil || v > 1 {
		return errors.New(s.Wanted())
	}
	s.value = &v
	return nil
}
