package main

import (
	"bufio"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ratelab/algorithms"
	"ratelab/internal/commandline"
	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/scenario"
	"ratelab/internal/traffic"
	"ratelab/internal/tune"
)

// tuneFlags are those of tune.
type tuneFlags struct {
	*commandline.Groups
	commandline.Traffic
	commandline.Output

	refuse      string
	protect     string
	good        string
	goodList    string
	goodPattern string
	fit         share
	seeds       commandline.Count
	limit       string
	burst       int64
	algorithms  []string
	who         bool

	sample share
	within share
	salt   commandline.Seed

	source *scenario.Scenario // of the traffic
	files  []stamp            // that it is read from
}

func (f *tuneFlags) register(c *cobra.Command) {
	half := 0.5
	f.fit.value = &half
	f.seeds = commandline.Count{Value: 20, Least: 2, Most: 1000}
	tenth, noSalt := 0.001, uint64(0)
	f.within.value, f.salt.Value = &tenth, &noSalt
	f.Groups = commandline.NewGroups(c)
	f.Add("What must hold; one of both at least", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.refuse, "refuse-at-most", "",
			"`SHARE` of good users who are ever refused, such as 0.1%users, or of their requests, 0.1%requests")
		fs.StringVar(&f.protect, "protect", "", "`COST/s` that the backend takes in its worst second, such as 500/s")
	})
	f.Add("Who the good users are", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.good, "good", "p99", "`QUANTILE` of the keys by all that each uses: those that use no "+
			"more than it")
		fs.StringVar(&f.goodList, "good-list", "", "a `FILE` with a key on each line instead")
		fs.StringVar(&f.goodPattern, "good-pattern", "", "keys that match `REGEX` instead")
	})
	f.Add("What is tried, and on what it is fitted", func(fs *pflag.FlagSet) {
		fs.StringSliceVarP(&f.algorithms, "algorithms", "a", nil,
			"`NAMES`, comma separated (default those that neither delay nor are alike)")
		fs.StringVar(&f.limit, "limit", "",
			"the present setting, `REQUESTS/WINDOW` such as 100/1m, to be tried as well (default a scenario's own)")
		fs.Int64Var(&f.burst, "burst", 0, "with --limit: how `MANY` may come at once (default REQUESTS)")
		fs.Var(&f.fit, "fit", "`SHARE` of a log's time, or of a scenario's seeds, that settings are fitted on")
		fs.Var(&f.seeds, "seeds", "how many are played of a scenario with something random in it")
		fs.BoolVar(&f.who, "who", false, "whom the present setting hits, and nothing else")
	})
	f.Add("Sampling by key, for large logs", func(fs *pflag.FlagSet) {
		fs.Var(&f.sample, "sample", "`SHARE` of the keys to be played, such as 1%, besides all heavy ones; shares are "+
			"estimates then, with intervals, and maxima \"at least\" so much (default all keys)")
		fs.Var(&f.within, "within", "how far off, in percentage points, a share of requests near what is wished may "+
			"be at most: it says which keys are heavy; of a million requests 1% leaves many out, 0.1% nobody")
		fs.Var(&f.salt, "sample-salt", "another number draws other keys")
	})
	f.Add("Recorded traffic instead of a scenario", f.Traffic.Register)
	f.Add("Output", func(fs *pflag.FlagSet) {
		f.FormatFlag(fs, tune.Forms.Names())
		fs.StringVarP(&f.Folder, "out", "o", "", "`FOLDER` for tune.json and the picture with its data (default none)")
		f.ChartsFlag(fs, "")
		f.QuietFlag(fs)
	})
	f.Complete(c, f.Completions())
	f.Complete(c, map[string][]string{"format": tune.Forms.Names(), "algorithms": algorithms.Names(),
		"charts": commandline.Charts, "good": {"p90", "p95", "p99", "p99.9"}})
}

// question is what the flags and arguments ask, and the first stream, which has notes.
func (f *tuneFlags) question(args []string, shown *reading) (*tune.Question, *traffic.Stream, error) {
	if err := f.check(args); err != nil {
		return nil, nil, err
	}
	q := &tune.Question{Who: f.who, Wishes: tune.Wishes{Of: tune.Users}}
	present, err := f.present()
	if err == nil {
		err = f.wishes(&q.Wishes)
	}
	if err == nil {
		q.Good, err = f.goodUsers()
	}
	if err == nil {
		q.Algorithms, err = f.names()
	}
	if err != nil {
		return nil, nil, err
	}
	anyLimit := limit.Policy{Requests: 1, Window: time.Second}
	list, err := f.Scenarios(args, &anyLimit, f.Groups, noTraffic)
	if err != nil {
		return nil, nil, err
	}
	s := list[0]
	if err := onlyTraffic(s, args); err != nil {
		return nil, nil, err
	}
	if q.Present = present; present == nil && !f.HasTrace() {
		own := s.Limit
		q.Present = &own
	}
	q.Name = s.Name
	if f.HasTrace() {
		q.Name = s.Phases[0].Trace.Title()
	}
	f.source, f.files = s, stamps(s)
	var first *traffic.Stream
	q.Traffic, first = f.streams(s, shown)
	if f.sample.value != nil {
		q.Traffic.Sample = &tune.Sample{Share: *f.sample.value, Within: *f.within.value, Salt: *f.salt.Value}
	}
	return q, first, nil
}

// check looks at the flags that go together.
func (f *tuneFlags) check(args []string) error {
	if err := f.Empty(); err != nil {
		return err
	}
	if err := f.CheckFormat(tune.Forms.Names()); err != nil {
		return err
	}
	switch {
	case !f.HasTrace() && len(args) == 0:
		return commandline.Usage("tune: no traffic; name a scenario (simulate list shows them) or a file, or give " +
			"--trace FILE")
	case f.who && f.Folder != "":
		return commandline.Usage("--who: there is no picture of it; leave out --out")
	case f.who && f.sample.value != nil:
		return commandline.Usage("--who: names all whom the setting hits; leave out --sample")
	case f.sample.value == nil && f.Given("within"):
		return commandline.Usage("--within %s: says how exact a sample is; give --sample 1%% as well, or leave it out",
			f.within.String())
	case f.sample.value == nil && f.Given("sample-salt"):
		return commandline.Usage("--sample-salt %s: says which keys a sample has; give --sample 1%% as well, or leave "+
			"it out", f.salt.String())
	case f.sample.value != nil && *f.sample.value == 0:
		return commandline.Usage("--sample %s: want more than 0%%, up to 100%%, such as 1%%", f.sample.String())
	case *f.within.value == 0:
		return commandline.Usage("--within %s: want more than 0%%, such as 0.1%%", f.within.String())
	case f.who && f.refuse+f.protect != "":
		return commandline.Usage("--who: says whom the present setting hits; leave out --refuse-at-most and --protect")
	case f.who && f.limit == "" && f.HasTrace():
		return commandline.Usage("--who: needs the setting, such as --limit 100/1m")
	case !f.who && f.refuse+f.protect == "":
		return commandline.Usage("tune: nothing is wished; give --refuse-at-most 0.1%%users, --protect 500/s, or both")
	case f.goodList != "" && f.goodPattern != "":
		return commandline.Usage("--good-list and --good-pattern: say who is good in one way")
	case f.Given("good") && f.goodList+f.goodPattern != "":
		return commandline.Usage("--good %s: leave it out, a list or a pattern says who is good", message.Quote(f.good))
	case *f.fit.value < 0.01 || *f.fit.value > 0.99:
		return commandline.Usage("--fit %s: want 1%% to 99%%, so that something is held out", f.fit.String())
	}
	return nil
}

// onlyTraffic refuses a scenario whose traffic depends on who decides, or that is about something else.
func onlyTraffic(s *scenario.Scenario, args []string) error {
	what := ""
	switch {
	case s.Sequences != nil:
		what = "sequences are commands without a script"
	case s.ClocksOff():
		what = "clocks that are off are a fault, not traffic"
	case s.Faulty():
		what = "managed and server_outage are faults, not traffic"
	case s.Clients != nil:
		what = "its clients react, so that the traffic is another one under each setting"
	default:
		return nil
	}
	return commandline.Usage("%s: %s; name another scenario", message.Path(args[0]), what)
}

// present is the setting that the user has; nil where none is said.
func (f *tuneFlags) present() (*limit.Policy, error) {
	if f.limit == "" {
		if f.Given("burst") {
			return nil, commandline.Usage("--burst %d: goes with --limit", f.burst)
		}
		return nil, nil
	}
	p, err := commandline.PolicyOf(f.limit, f.burst, f.Given("burst"))
	return &p, err
}

func (f *tuneFlags) wishes(w *tune.Wishes) error {
	if f.refuse != "" {
		most, of, err := tune.ParseShare(f.refuse)
		if err != nil {
			return commandline.Usage("--refuse-at-most %s: %w", message.Quote(f.refuse), err)
		}
		w.RefuseAtMost, w.Of = &most, of
	}
	if f.protect != "" {
		most, err := tune.ParseProtect(f.protect)
		if err != nil {
			return commandline.Usage("--protect %s: %w", message.Quote(f.protect), err)
		}
		w.Protect = &most
	}
	return nil
}

// goodUsers says whose refusals count.
func (f *tuneFlags) goodUsers() (tune.Good, error) {
	switch {
	case f.goodPattern != "":
		pattern, err := regexp.Compile(f.goodPattern)
		if err != nil {
			return tune.Good{}, commandline.Usage("--good-pattern %s: %w", message.Quote(f.goodPattern), err)
		}
		return tune.Good{Pattern: pattern, Words: "the pattern " + message.Quote(f.goodPattern)}, nil
	case f.goodList != "":
		keys, err := lines(f.goodList)
		if err != nil {
			return tune.Good{}, commandline.Usage("--good-list %s: %w", message.Path(f.goodList),
				message.Unreadable(err))
		}
		return tune.Good{Keys: keys, Words: "the list " + message.Path(f.goodList)}, nil
	}
	digits, isQuantile := strings.CutPrefix(f.good, "p")
	percent, err := strconv.ParseFloat(digits+"e-2", 64)
	if !isQuantile || err != nil || !(percent > 0 && percent <= 1) || strings.ContainsAny(digits, "eExX+") {
		return tune.Good{}, commandline.Usage("--good %s: want a quantile of the keys by use, such as p99 or p99.9",
			message.Quote(f.good))
	}
	return tune.Good{Quantile: percent, Words: f.good}, nil
}

// lines are those of a file that are not empty.
func lines(path string) (map[string]bool, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	all := map[string]bool{}
	for scan := bufio.NewScanner(file); ; {
		if !scan.Scan() {
			return all, scan.Err()
		}
		if line := strings.TrimSpace(scan.Text()); line != "" {
			all[line] = true
		}
	}
}

// names are the algorithms to be tried; nil where none is named.
func (f *tuneFlags) names() ([]string, error) {
	choices, err := commandline.Choices("--algorithms", f.algorithms)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, c := range choices {
		switch {
		case c.Label != c.Spec.Name:
			return nil, commandline.Usage("--algorithms %s: tune finds the parameters; name %s", message.Quote(c.Label),
				c.Spec.Name)
		case c.Spec.Family == "floor":
			return nil, commandline.Usage("--algorithms %s: has no limit to tune", c.Spec.Name)
		}
		all = append(all, c.Spec.Name)
	}
	return all, nil
}
