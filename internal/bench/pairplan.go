package bench

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/benchresult"
	"ratelab/internal/costresult"
	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/scenario"
)

// The two sides, as indexes.
const (
	base = iota
	head
)

// sideFlags are the flags that say what the sides are.
var sideFlags = [2]string{"--base", "--head"}

// pairPlan is a comparison with every name resolved.
type pairPlan struct {
	*Comparison
	sides   [2]*side
	control *lineup.Entry
	costs   [2][]*lineup.Entry // of each side, by row; under costLimit
	runs    [2][]*contest      // of each side, by scenario; the entries are the rows

	pinned     *side      // the head's script in a pinned release; nil: none
	pinnedRuns []*contest // by scenario
	pinnedCost *lineup.Entry
	limits     []limit.Policy // under which instructions are counted
}

// withDefaults is a copy of c in which every number is meant.
func (c *Comparison) withDefaults() *Comparison {
	d := *c
	d.Pairs = or(d.Pairs, DefaultPairs)
	d.Segment = or(d.Segment, DefaultPairSegment)
	d.WarmUp = or(d.WarmUp, DefaultPairWarmUp)
	d.Connections = or(d.Connections, DefaultConnections)
	if d.Mix == "" {
		d.Mix = benchresult.MixHalf
	}
	return &d
}

// plan resolves the comparison; the error, an *InputError, has everything that is wrong with it.
func (c *Comparison) plan() (*pairPlan, error) {
	p := &pairPlan{Comparison: c.withDefaults()}
	var wrong lineup.Problems
	p.checkNumbers(&wrong)
	for i, spec := range []SideSpec{c.Base, c.Head} {
		var err error
		if p.sides[i], err = spec.resolve(sideFlags[i]); err != nil {
			wrong.Bad(err)
		}
	}
	if err := wrong.Err(); err != nil {
		return nil, err
	}
	p.checkSides(&wrong)
	p.pin(&wrong)
	p.limits = costresult.Limits(costLimit)
	if len(p.Scenarios) > 0 {
		p.limits = costresult.Limits(p.Scenarios[0].Limit)
	}
	if p.Scenarios == nil {
		all, err := scenario.Builtin()
		if err != nil {
			return nil, err
		}
		p.Scenarios = slices.DeleteFunc(all, func(s *scenario.Scenario) bool { return !s.Plain() })
	}
	for _, s := range p.Scenarios {
		checkPlain(s, &wrong)
	}
	p.control = lineup.Entries([]algorithms.Choice{builtin(control)}, nil, costLimit, nil, &wrong)[0]
	for i := range p.sides {
		p.costs[i], p.runs[i] = p.resolve(p.sides[i], &wrong)
	}
	if p.pinned != nil {
		var costs []*lineup.Entry
		if costs, p.pinnedRuns = p.resolve(p.pinned, &wrong); len(costs) > 0 {
			p.pinnedCost = costs[0]
		}
	}
	return p, wrong.Err()
}

// pin finds the head's script in the pinned release, and refuses what does not go with counting.
func (p *pairPlan) pin(wrong *lineup.Problems) {
	servers := p.sides[head].isServer()
	if p.Pinned != "" && servers {
		wrong.Bad(errors.New("--pinned goes with two scripts; a server is none"))
	} else if p.Pinned != "" {
		released, err := p.sides[head].script.Release(p.Pinned)
		if err != nil {
			wrong.Bad(fmt.Errorf("--pinned %w", err))
		} else {
			p.pinned = &side{name: released.Name, script: released}
		}
	}
	if p.Instructions != CountOrFail {
		return
	}
	if why := p.uncountable(); why != "" {
		wrong.Bad(fmt.Errorf("--instructions: %s", why))
	}
}

// uncountable is why the sides' instructions cannot be compared; "" where they can.
func (p *pairPlan) uncountable() string {
	switch {
	case p.sides[base].isServer():
		return "the sides are servers, and counts of two servers are never compared"
	case strings.Contains(p.Server, "://"):
		return "a server that runs already cannot be counted; take --redis process or --redis container"
	}
	return ""
}

func (c *Comparison) checkNumbers(wrong *lineup.Problems) {
	within(wrong, "pairs", c.Pairs, 1, maxRounds)
	within(wrong, "connections", c.Connections, 1, maxConnections)
	timeWithin(wrong, "segment", c.Segment)
	checkWarmUp(wrong, c.WarmUp)
	checkMix(wrong, c.Mix)
}

// checkSides refuses sides that are not of one sort, and what does not go with their sort.
func (p *pairPlan) checkSides(wrong *lineup.Problems) {
	if !p.sides[base].isServer() {
		checkServer(p.Server, wrong)
	}
	switch servers := p.sides[base].isServer(); {
	case servers != p.sides[head].isServer():
		wrong.Bad(fmt.Errorf("--base %s and --head %s: one is a server and the other is not; compare two scripts or "+
			"algorithms on one server, "+
			"or all algorithms on two servers", p.sides[base].name, p.sides[head].name))
	case servers && p.Server != "":
		wrong.Bad(errors.New("--redis names a server, and so do --base and --head; leave it out"))
	case !servers && p.Algorithms != nil:
		wrong.Bad(errors.New("--algorithms goes with two servers; --base and --head name what is compared"))
	}
}

// resolve makes the entries of one side: under costLimit, and in each scenario.
func (p *pairPlan) resolve(of *side, wrong *lineup.Problems) (costs []*lineup.Entry, runs []*contest) {
	costs = p.row(of, nil, wrong)
	for _, s := range p.Scenarios {
		r := &contest{Contest: lineup.NewContest(s, lineup.Instead{})}
		r.stream = s.Stream(s.Seed) // all of it: virtual time is quick
		r.Entries = p.row(of, s, wrong)
		runs = append(runs, r)
	}
	return costs, runs
}

// row gives the entries of a side that meet a scenario, or under costLimit where that is nil, one for each row.
func (p *pairPlan) row(side *side, s *scenario.Scenario, wrong *lineup.Problems) []*lineup.Entry {
	if side.isServer() {
		choices := withControl(p.Algorithms)[1:] // without the control, which is beside every row
		if s != nil {
			return lineup.Entries(choices, nil, s.Limit, s.Parameters, wrong)
		}
		return lineup.Entries(atTheLimit(choices, wrong), nil, costLimit, nil, wrong)
	}
	c, err := side.in(s)
	if err != nil {
		wrong.Bad(err)
		return nil
	}
	return []*lineup.Entry{c}
}

// name is what a row is called: by what decides, on both sides where they differ.
func (p *pairPlan) name(row int) string {
	was, is := p.costs[base][row].Label, p.costs[head][row].Label
	if was == is {
		return was
	}
	return was + " -> " + is
}

// controls is how many controls there are beside a pair: one for each server.
func (p *pairPlan) controls() int {
	if p.sides[base].isServer() {
		return 2
	}
	return 1
}

// pairTime is how long a pair probably takes.
func (p *pairPlan) pairTime() time.Duration {
	before := max(p.WarmUp, 0) + overhead
	return restartTime + 2*(before+p.Segment) + time.Duration(p.controls())*(before+p.Segment/2)
}

// restartTime is how long new servers take, roughly.
const restartTime = 200 * time.Millisecond

// scenarioTime is what all rows of a scenario take in virtual time on one side, roughly.
const scenarioTime = 100 * time.Millisecond

// What counting takes, roughly: the servers' start, and two rounds of a path where the server's clock decides.
const (
	countStart = 5 * time.Second
	pathTime   = 2 * time.Second
)

// countTime is what counting all paths takes, roughly.
func (p *pairPlan) countTime() time.Duration {
	states, scripts := len(p.States), len(p.sides)
	if p.States == nil {
		states = len(costresult.States())
	}
	if p.pinned != nil {
		scripts++
	}
	return countStart + time.Duration(len(p.limits)*states*scripts)*pathTime
}

func (p *pairPlan) estimate() time.Duration {
	rows := time.Duration(len(p.costs[base]))
	exact := 2*rows*takeTime + 2*time.Duration(len(p.Scenarios))*scenarioTime
	if p.Instructions != "" && p.uncountable() == "" {
		exact += p.countTime()
	}
	if p.Untimed {
		return exact
	}
	return exact + rows*time.Duration(p.Pairs)*p.pairTime()
}

// checkPlain refuses a scenario in which more happens than its phases say: what arrives would depend on what is
// decided.
func checkPlain(s *scenario.Scenario, wrong *lineup.Problems) {
	if s.Reactive() {
		wrong.Bad(fmt.Errorf("%s: clients that react, clocks and sequences are played in virtual time only; leave it "+
			"to simulate, or leave those fields out", s.Name))
	}
	if s.Faulty() {
		wrong.Bad(fmt.Errorf("%s: managed and server_outage are played in virtual time only; leave it to simulate, or "+
			"leave those fields out", s.Name))
	}
}
