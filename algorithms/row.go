package algorithms

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"ratelab/internal/limit"
)

// rowParameters lists the parameters that a row of any algorithm accepts, except a row of the algorithm "none", which
// has no limit. The parameters limit and per set the limit that the row enforces. All rows of a run are measured
// against the same limit.
var rowParameters = []Parameter{
	{Name: "limit", Kind: Integer, Low: 1, High: limit.MaxRequests, Default: "the limit's requests",
		Doc: "the requests per window that the row itself enforces; its burst is then the same, unless it is set"},
	{Name: "per", Kind: Duration, Low: limit.MinWindow.Microseconds(), High: limit.MaxWindow.Microseconds(),
		Default: "the limit's window", Doc: "the window that the row itself enforces"},
	{Name: "nodes", Kind: Integer, Low: 1, High: mostNodes, Default: "one",
		Doc: "the number of gateways behind a load balancer; each counts separately, on keys of its own"},
	{Name: "balancer", Kind: OneOf, Words: []string{"round-robin", "random"}, Default: "round-robin",
		Doc: "which gateway gets a request: the next in turn, or a random one by seed and number; needs nodes"},
	{Name: "ask", Kind: OneOf, Words: []string{AskInOrder, AskReversed, AskAll, AskAtomic}, Default: AskInOrder,
		Doc: "how several limits are asked: in order or reversed, up to the first that refuses; all of them; or " +
			"atomic, in one script that charges all or none"},
	{Name: "reserve", Kind: Name, Default: "0", Doc: "if the cost is known at the end: tokens that a request " +
		"reserves on top of its known cost; none: it reserves nothing, and is counted afterwards"},
	{Name: "settle", Kind: OneOf, Words: []string{"no"}, Default: "yes", Doc: "if the cost is known at the end: no " +
		"means that the known cost is charged at the start, and nothing at the end"},
}

// The ways in which a row asks several limits.
const (
	AskInOrder  = "order"
	AskReversed = "reversed"
	AskAll      = "all"
	AskAtomic   = "atomic"
)

// RowParameters returns the parameters that a row of any algorithm except none accepts besides the algorithm's own.
func RowParameters() []Parameter { return slices.Clone(rowParameters) }

// parameters returns the algorithm's own parameters and those of its rows.
func (s *Algorithm) parameters() []Parameter {
	if IsFloor(s.Name) || s.Family == "slots" {
		return s.Parameters
	}
	return slices.Concat(s.Parameters, rowParameters)
}

// Policy returns the limit that c enforces in a run with the limit p. The parameters limit and per replace the requests
// and the window of p; the burst is then the row's own requests. The row is still measured against p.
func (c Choice) Policy(p limit.Policy) limit.Policy {
	if !c.HasOwnLimit() {
		return p
	}
	v := c.values()
	p.Requests, p.Burst = v.Integer("limit", p.Requests), 0
	p.Window = time.Duration(v.DurationUS("per", p.WindowUS())) * time.Microsecond
	return p
}

// HasOwnLimit reports whether c enforces another limit than the run's.
func (c Choice) HasOwnLimit() bool {
	v := c.values()
	return v.isSet("limit") || v.isSet("per")
}

// Gateways returns the number of gateways that count separately for c, or 0 if c has one state.
func (c Choice) Gateways() int64 {
	if IsFloor(c.Label) {
		return 0
	}
	return c.values().Integer("nodes", 0)
}

// Asks returns the way in which c asks several limits, and c without that parameter. The label stays the same. An error
// names a parameter that is about one limit.
func (c Choice) Asks() (how string, each Choice, err error) {
	if IsFloor(c.Label) {
		return AskInOrder, c, nil
	}
	if c.Algorithm.isSpecial() {
		return "", c, fmt.Errorf("%s: one limit in flight, or one that settles; several limits have %s", c.Label,
			"leases for those in flight")
	}
	how, each = c.values().Word("ask", AskInOrder), c
	each.set = maps.Clone(c.set)
	delete(each.set, "ask")
	capacity := c.Algorithm.InRole(Capacity)
	for _, p := range rowParameters {
		if _, set := each.set[p.Name]; set {
			remedy := "write it in the field limits"
			if p.Name == "nodes" || p.Name == "balancer" {
				remedy = "leave it out"
			}
			return how, each, fmt.Errorf("%s: %s= is of one limit; %s", c.Label, p.Name, remedy)
		}
	}
	if capacity != nil && each.set[capacity.Name] != "" {
		return how, each, fmt.Errorf("%s: %s= is of one limit; write burst in the field limits", c.Label, capacity.Name)
	}
	return how, each, nil
}

// AtTheLimit drops c's parameters limit=, per= and ask=. The label stays the same.
func (c Choice) AtTheLimit() Choice {
	c.set = maps.Clone(c.set)
	for _, name := range []string{"limit", "per", "ask"} {
		delete(c.set, name)
	}
	return c
}

// Seeded returns c with the seed for its balancer's random choices. The default seed is 0.
func (c Choice) Seeded(seed uint64) Choice {
	c.seed = seed
	return c
}

// noDefault returns an error if a default for all rows of an algorithm sets a row's parameter: their labels would not
// show that they enforce another limit than the run's.
func (s *Algorithm) noDefault(set map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if find(rowParameters, name) != nil {
			return fmt.Errorf("%s: %s belongs to a single row and has no default; name a row %s:%s=%s instead",
				s.Name, name, s.Name, name, set[name])
		}
	}
	return nil
}

// atRow completes a rule that Prepare has made under the row's own limit with the row's parameters.
func (c Choice) atRow(in *Rule, own limit.Policy) error {
	in.Policy = own
	if c.HasOwnLimit() {
		in.Parameters["limit"] = strconv.FormatInt(own.Requests, 10)
		in.Parameters["per"] = limit.FormatDuration(own.Window)
	}
	v := Values{algorithm: c.Algorithm, set: c.set, resolved: in.Parameters}
	switch {
	case c.IsTokens():
		return errors.New("reserve and settle are about costs that are known at the end; this traffic has none " +
			"(actual: or --trace-actual)")
	case v.isSet("ask"):
		return errors.New("ask chooses how several limits are asked; this run has one limit")
	case v.isSet("nodes"):
		random := v.Word("balancer", "round-robin") == "random"
		g := &Gateways{Nodes: v.Integer("nodes", 1), Random: random, Seed: c.seed}
		in.Gateways = g
		in.MostAdmitted, in.MostDeparting = g.times(in.MostAdmitted), g.times(in.MostDeparting)
		one := in.NewModel
		in.NewModel = func() limit.Model { return &balanced{g.TurnsAfter(0), []limit.Model{one()}} }
	case v.isSet("balancer"):
		return errors.New("balancer chooses among several gateways; set nodes as well")
	}
	return nil
}
