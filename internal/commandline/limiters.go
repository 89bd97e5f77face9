package commandline

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/message"
	"ratelab/internal/scenario"
)

// Limiters are the flags that say what is limited, and by what.
type Limiters struct {
	Scripts []string // files
	Seed    Seed

	algorithms []string
	limit      string
	burst      int64
	contract   string
}

// Register adds the flags to fs.
func (l *Limiters) Register(fs *pflag.FlagSet) {
	fs.StringSliceVarP(&l.algorithms, "algorithms", "a", nil,
		"`NAMES`, comma separated, each with :parameter=value where its default is not meant (default all; see "+
			"simulate list)")
	fs.StringArrayVar(&l.Scripts, "script", nil,
		"a Lua script of your own, `FILE.lua`, with its binding FILE.yaml beside it; may be repeated")
	fs.StringVar(&l.limit, "limit", "",
		"`REQUESTS/WINDOW` such as 100/1m, instead of each scenario's own; needed with --trace")
	fs.Int64Var(&l.burst, "burst", 0, "with --limit: how `MANY` may come at once (default REQUESTS)")
	fs.StringVar(&l.contract, "contract", "",
		"`HOW` the limit is read: window, at most REQUESTS in any WINDOW; bucket, at most the burst and the rate's "+
			"share in any interval (default each scenario's own, window)")
	fs.Var(&l.Seed, "seed", "a whole number `N` instead of each scenario's own seed")
}

// Labels are what a shell offers for --algorithms: the names, and after one of them its parameters.
func Labels() []string {
	all := algorithms.Names()
	for _, a := range algorithms.All() {
		for _, p := range a.Parameters {
			all = append(all, a.Name+":"+p.Name+"=")
		}
	}
	return all
}

// Choices resolves --algorithms: nil where all are meant.
func (l *Limiters) Choices() ([]algorithms.Choice, error) {
	return Choices("--algorithms", l.algorithms)
}

// Choices resolves the labels that a flag or a command lists, none of them twice: nil where none was given. Its errors
// begin with place.
func Choices(place string, labels []string) ([]algorithms.Choice, error) {
	if labels == nil {
		return nil, nil
	}
	var all []algorithms.Choice
	for _, label := range labels {
		if base, flagged := strings.CutSuffix(label, scenario.LocalFlagSuffix); flagged {
			return nil, Usage("%s %s: only a scenario makes such a row, with clients: {local_flag: true}; name %s",
				place, message.Quote(label), message.Quote(base))
		}
		c, err := algorithms.Parse(strings.TrimSpace(label))
		if err != nil {
			return nil, Usage("%s: %v", place, err)
		}
		if slices.ContainsFunc(all, func(o algorithms.Choice) bool { return o.Label == c.Label }) {
			return nil, Usage("%s %s: named twice", place, message.Quote(label))
		}
		all = append(all, c)
	}
	return all, nil
}

// Instead is what --limit, --burst, --contract and --seed put in the place of what scenarios say.
func (l *Limiters) Instead(given *Groups) (lineup.Instead, error) {
	policy, err := l.policy(given)
	instead := lineup.Instead{Limit: policy, Seed: l.Seed.Value}
	if err != nil || !given.Given("contract") {
		return instead, err
	}
	contract, err := limit.ParseContract(l.contract)
	if err != nil {
		return instead, Usage("--contract %s: %w", message.Quote(l.contract), err)
	}
	instead.Contract = &contract
	return instead, nil
}

// policy is --limit with --burst, or nil.
func (l *Limiters) policy(given *Groups) (*limit.Policy, error) {
	if l.limit == "" {
		if given.Given("burst") {
			return nil, Usage("--burst %d: goes with --limit; a scenario's file states its own burst", l.burst)
		}
		return nil, nil
	}
	p, err := PolicyOf(l.limit, l.burst, given.Given("burst"))
	if err != nil {
		return nil, err
	}
	return &p, nil
}

// PolicyOf is the limit that --limit and --burst state; without the latter the burst is that of the limit.
func PolicyOf(text string, burst int64, burstGiven bool) (limit.Policy, error) {
	if first, _, several := strings.Cut(text, ","); several {
		return limit.Policy{}, Usage("--limit %s: want one limit, such as %s: a run has one; of several, one run "+
			"each, or simulate limits, which takes them with commas", message.Quote(text), message.Shown(first))
	}
	p, err := limit.ParsePolicy(text)
	if err != nil {
		return p, Usage("--%v", err) // it begins with: limit "…"
	}
	if burstGiven && burst < 1 {
		return p, Usage("--burst %d: want 1 to %d", burst, limit.MaxRequests)
	}
	p.Burst = burst
	if err := p.Validate(); err != nil {
		return p, Usage("--%v", err) // it begins with: burst …
	}
	return p, nil
}
