package cli

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/run"
	"ratelab/internal/script"
)

// Limiters are the flags that select limiters and the limit.
type Limiters struct {
	Scripts    []string // files
	Seed       Value[*uint64]
	Algorithms []string // labels, with commas

	limit    string
	burst    Value[int64]
	contract Value[string]
	sweeps   []string
	several  bool // --limit may have several limits
}

// AllowSeveral lets --limit have several limits on each request.
func (l *Limiters) AllowSeveral(c *cobra.Command) {
	l.several = true
	c.Flags().Lookup("limit").Usage = "`REQUESTS/WINDOW`: 100/1m or 10/1s+1000/1d (default the scenario's)"
}

// AlgorithmsFlag adds --algorithms to c.
func (l *Limiters) AlgorithmsFlag(c *cobra.Command) {
	c.Flags().StringArrayVarP(&l.Algorithms, "algorithms", "a", nil,
		"`NAMES`, comma-separated, such as gcra:burst=10 (default all)")
	all := algorithms.Names()
	for _, a := range algorithms.All() {
		for _, p := range a.Parameters {
			all = append(all, a.Name+":"+p.Name+"=")
		}
	}
	Complete(c, "algorithms", all)
}

// SweepFlag adds --sweep to c.
func (l *Limiters) SweepFlag(c *cobra.Command) {
	c.Flags().StringArrayVar(&l.sweeps, "sweep", nil,
		"a row for each of `VALUES`: leases:ttl=1s..20m or gcra:burst=1,9")
}

// Sweeps resolves --sweep. rows are the rows of all sweeps of algorithms. files are the users' scripts, where a script
// that is swept occurs once for each value.
func (l *Limiters) Sweeps() (all []*algorithms.Swept, rows []algorithms.Choice, files []script.File,
	err error,
) {
	files = script.Files(l.Scripts)
	known := map[string]bool{}
	for _, text := range l.sweeps {
		if strings.HasPrefix(text, ofLimit) {
			continue
		}
		name, _, _ := strings.Cut(text, ":")
		own := slices.IndexFunc(files, func(f script.File) bool {
			return strings.TrimSuffix(filepath.Base(f.Name), filepath.Ext(f.Name)) == name
		})
		var s *algorithms.Swept
		if own < 0 {
			s, err = algorithms.Sweep(text)
		} else {
			s, files, err = sweepScript(text, files, own)
		}
		if err != nil {
			return nil, nil, nil, Usage("--sweep: %v", err)
		}
		for _, label := range s.Labels {
			if known[label] {
				return nil, nil, nil, Usage("--sweep %s: the row %s is in two sweeps", message.Quote(text), label)
			}
			known[label] = true
		}
		rows, all = append(rows, s.Rows...), append(all, s)
	}
	if len(known) > algorithms.MostSwept {
		return nil, nil, nil, Usage("--sweep: %d rows; want at most %d", len(known), algorithms.MostSwept)
	}
	return all, rows, files, nil
}

// ofLimit begins a sweep over the limit.
const ofLimit = "limit="

// SweptLimits returns the limits of --sweep limit=VALUES. It returns nil if no --sweep is over the limit.
func (l *Limiters) SweptLimits() (all []limit.Policy, err error) {
	for _, text := range l.sweeps {
		values, found := strings.CutPrefix(text, ofLimit)
		if !found {
			continue
		}
		if l.limit != "" || all != nil {
			return nil, Usage("--sweep %s: there is another limit; leave out one of them", message.Quote(text))
		}
		texts, err := algorithms.SweepOfLimits(values)
		if err != nil {
			return nil, Usage("--sweep: %v", err)
		}
		for _, one := range texts {
			p, other, err := limit.ParseFlight(one)
			if other {
				p, err = limit.ParsePolicy(one)
			}
			if err != nil {
				return nil, Usage("--sweep: %v", err)
			}
			all = append(all, p)
		}
		if len(all) > algorithms.MostSwept {
			return nil, Usage("--sweep: %d limits; want at most %d", len(all), algorithms.MostSwept)
		}
	}
	return all, nil
}

// sweepScript reads the sweep of the script files[own]. It returns the files with one for each value in its place.
func sweepScript(text string, files []script.File, own int) (*algorithms.Swept, []script.File, error) {
	s, values, err := algorithms.SweepOfScript(text)
	if err != nil {
		return nil, nil, err
	}
	var mine []script.File
	for _, value := range values {
		f := files[own]
		f.Set = map[string]string{s.Parameter: value}
		program, err := script.Load(f, limit.Policy{Requests: 1, Window: time.Second})
		if err != nil {
			return nil, nil, err
		}
		mine, s.Labels = append(mine, f), append(s.Labels, program.Label)
	}
	return s, slices.Replace(files, own, own+1, mine...), nil
}

// ScriptFlag adds --script to c.
func (l *Limiters) ScriptFlag(c *cobra.Command) {
	c.Flags().StringArrayVar(&l.Scripts, "script", nil,
		"your script `FILE.lua`, with its binding FILE.yaml; repeatable")
}

// LimitFlags adds --limit, --burst, --contract and --seed to c.
func (l *Limiters) LimitFlags(c *cobra.Command) {
	l.Seed, l.burst, l.contract = Seed(), Count[int64](0, 1, limit.MaxRequests), Word("", limit.Contracts())
	c.Flags().StringVar(&l.limit, "limit", "", "limit `REQUESTS/WINDOW` such as 100/1m (default the scenario's)")
	c.Flags().Var(&l.burst, "burst", "with --limit: a bucket that admits up to `N` at once")
	c.Flags().Var(&l.contract, "contract", "`KIND` of limit: window, bucket (default the scenario's)")
	c.Flags().Var(&l.Seed, "seed", "seed `N`, a whole number (default the scenario's)")
	Complete(c, "contract", limit.Contracts())
}

// Choices resolves --algorithms. It refuses a repeated label. nil means all.
func (l *Limiters) Choices() ([]algorithms.Choice, error) {
	var all []algorithms.Choice
	for _, label := range Split(l.Algorithms) {
		c, err := algorithms.Parse(label)
		if err != nil {
			return nil, Usage("--algorithms: %v", err)
		}
		if slices.ContainsFunc(all, func(o algorithms.Choice) bool { return o.Label == c.Label }) {
			return nil, Usage("--algorithms %s: named twice", message.Quote(label))
		}
		all = append(all, c)
	}
	return all, nil
}

// Instead returns the values of --limit, --burst, --contract and --seed, which replace those of scenarios. Without
// --limit, a limit that is written into users' scripts replaces the scenario's.
func (l *Limiters) Instead() (run.Instead, error) {
	instead := run.Instead{Seed: l.Seed.Value, Limit: script.OwnLimit(script.Files(l.Scripts))}
	if strings.Contains(l.limit, "+") && l.several {
		return l.severalLimits(instead)
	}
	if p, other, err := limit.ParseFlight(l.limit); !other && l.several {
		if err == nil && (l.HasBurst() || l.contract.Value != "") {
			err = errors.New("burst and --contract: do not go with a limit on requests in flight; leave them out")
		}
		if err != nil {
			return instead, Usage("--%v", err)
		}
		instead.Limit = &p
		return instead, nil
	}
	if l.limit != "" {
		p, err := Policy(l.limit)
		if err != nil {
			return instead, err
		}
		if p.Burst = l.burst.Value; l.HasBurst() {
			p.Contract = limit.ByBucket
		}
		if err := p.Validate(); err != nil {
			return instead, Usage("--%v", err) // the error begins with: burst …
		}
		instead.Limit = &p
	} else if l.HasBurst() {
		return instead, Usage("--burst %d: goes with --limit; a scenario's file states its own burst", l.burst.Value)
	}
	if l.contract.Value != "" {
		contract, err := limit.ParseContract(l.contract.Value)
		if contract == limit.ByWindow && l.HasBurst() && err == nil {
			err = Usage("--burst: a burst means the contract bucket; leave out --contract window, or --burst")
		}
		instead.Contract = &contract
		return instead, err
	}
	return instead, nil
}

// severalLimits returns several limits on each request.
func (l *Limiters) severalLimits(instead run.Instead) (run.Instead, error) {
	all, err := limit.ParseLimits(l.limit)
	if err != nil {
		return instead, Usage("--limit: %v", err)
	}
	if l.HasBurst() {
		return instead, Usage("--burst %d: is of one limit; with several, write 100/1m:burst=20 for each",
			l.burst.Value)
	}
	if l.contract.Value != "" {
		contract, _ := limit.ParseContract(l.contract.Value) // the flag has been checked
		if contract == limit.ByWindow && slices.ContainsFunc(all, func(l limit.Limit) bool { return l.Burst > 0 }) {
			return instead, Usage("--contract window: a burst= means the contract bucket; leave out one of them")
		}
		instead.Contract = &contract
	}
	instead.Limits = all
	instead.Limit = &all[0].Policy
	return instead, nil
}

// HasBurst reports whether --burst was given.
func (l *Limiters) HasBurst() bool { return l.burst.Value > 0 }

// Policy parses the limit of --limit.
func Policy(text string) (limit.Policy, error) {
	if first, _, several := strings.Cut(text, ","); several {
		return limit.Policy{}, Usage("--limit %s: want one limit, such as %s; for several, use one run each, "+
			"or simulate limits", message.Quote(text), message.Shown(first))
	}
	if strings.Contains(text, "+") {
		return limit.Policy{}, Usage("--limit %s: takes one limit; run it once for each", message.Quote(text))
	}
	p, err := limit.ParsePolicy(text)
	if err != nil {
		return p, Usage("--%v", err) // the error begins with: limit "…"
	}
	return p, nil
}

// ServerFlag adds --redis to c. kinds describes the accepted kinds of servers.
func ServerFlag(c *cobra.Command, server *string, value, kinds string) {
	c.Flags().StringVar(server, "redis", value, "`SERVER`: "+kinds)
	c.Flags().Lookup("redis").DefValue = "" // kinds already names it
	Complete(c, "redis", []string{"embedded", "process", "container", "redis://"})
}

// Policies parses limits, which may be separated by commas.
func Policies(texts []string) (all []limit.Policy, err error) {
	for _, text := range Split(texts) {
		p, err := Policy(text)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}
