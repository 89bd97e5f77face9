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

// rowParameters are what a row of any algorithm takes, but for none, which has no limit: what it decides by, while it
// is measured against the limit of its contest as every other row.
var rowParameters = []Parameter{
	{Name: "limit", Kind: Integer, Low: 1, High: limit.MaxRequests, Default: "the limit's requests",
		Doc: "the requests per window that the row itself goes by; its burst is then as large, unless it is set"},
	{Name: "per", Kind: Duration, Low: limit.MinWindow.Microseconds(), High: limit.MaxWindow.Microseconds(),
		Default: "the limit's window", Doc: "the window that the row itself goes by"},
	{Name: "nodes", Kind: Integer, Low: 1, High: mostNodes, Default: "one",
		Doc: "so many gateways behind a load balancer, each of which counts for itself, on keys of its own"},
	{Name: "balancer", Kind: OneOf, Words: []string{"round-robin", "random"}, Default: "round-robin",
		Doc: "which gateway gets a request: the next in turn, or one drawn by seed and number; needs nodes"},
}

// RowParameters are the parameters that a row of any algorithm but none takes besides the algorithm's own.
func RowParameters() []Parameter { return slices.Clone(rowParameters) }

// parameters are the algorithm's own, and those of its rows.
func (s *Algorithm) parameters() []Parameter {
	if IsFloor(s.Name) {
		return s.Parameters
	}
	return slices.Concat(s.Parameters, rowParameters)
}

// Policy is the limit that c itself goes by where its contest has the limit p: limit and per replace its requests and
// its window, and then the burst is the row's own requests. Whatever measures the row goes by p.
func (c Choice) Policy(p limit.Policy) limit.Policy {
	if !c.HasOwnLimit() {
		return p
	}
	v := c.values()
	p.Requests, p.Burst = v.Integer("limit", p.Requests), 0
	p.Window = time.Duration(v.DurationUS("per", p.WindowUS())) * time.Microsecond
	return p
}

// HasOwnLimit reports whether c goes by another limit than that of its contest.
func (c Choice) HasOwnLimit() bool {
	v := c.values()
	return v.isSet("limit") || v.isSet("per")
}

// Gateways are how many count for c, each for itself; 0 where all that decide share one state.
func (c Choice) Gateways() int64 {
	if IsFloor(c.Label) {
		return 0
	}
	return c.values().Integer("nodes", 0)
}

// AtTheLimit is c by the limit that it is given instead of its own. The label stays.
func (c Choice) AtTheLimit() Choice {
	c.set = maps.Clone(c.set)
	delete(c.set, "limit")
	delete(c.set, "per")
	return c
}

// Seeded is c drawing from seed what its balancer draws. Unless it is called the seed is 0.
func (c Choice) Seeded(seed uint64) Choice {
	c.seed = seed
	return c
}

// noDefault refuses a row's parameter where a default for all rows of the algorithm is set: nothing in their labels
// would tell that they have another limit than the one that they are measured against.
func (s *Algorithm) noDefault(set map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if find(rowParameters, name) != nil {
			return fmt.Errorf("%s: %s is a row's own and has no default; name a row %s:%s=%s instead", s.Name, name,
				s.Name, name, set[name])
		}
	}
	return nil
}

// atRow completes an instance of c, which Prepare has made under the row's own limit, with what its row says.
func (c Choice) atRow(in *Rule, own limit.Policy) error {
	in.Policy = own
	if c.HasOwnLimit() {
		in.Parameters["limit"] = strconv.FormatInt(own.Requests, 10)
		in.Parameters["per"] = limit.FormatDuration(own.Window)
	}
	v := Values{algorithm: c.Algorithm, set: c.set, resolved: in.Parameters}
	switch {
	case v.isSet("nodes"):
		random := v.Word("balancer", "round-robin") == "random"
		g := &Gateways{Nodes: v.Integer("nodes", 1), Random: random, Seed: c.seed}
		in.Gateways = g
		in.MostAdmitted, in.MostDeparting = g.times(in.MostAdmitted), g.times(in.MostDeparting)
		one := in.NewModel
		in.NewModel = func() limit.Model { return &balanced{g.TurnsAfter(0), []limit.Model{one()}} }
	case v.isSet("balancer"):
		return errors.New("balancer says which of several gateways gets a request; set nodes as well")
	}
	return nil
}
