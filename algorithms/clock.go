package algorithms

import "ratelab/internal/limit"

// withClock appends to an algorithm's own parameters those of all algorithms whose script can get the time as an
// argument.
func withClock(own ...Parameter) []Parameter {
	return append(own, []Parameter{
		{Name: "time", Kind: OneOf, Words: []string{"server", "client"}, Default: "server",
			Doc: "whose clock decides: the server's TIME, or a timestamp that the client passes in", Role: Clock},
		{Name: "granularity", Kind: OneOf, Words: []string{"1us", "1ms", "1s"}, Default: "1us",
			Doc: "the steps of the client's clock, rounded down; needs time=client. Times in replies count from " +
				"the rounded time"},
	}...)
}

// clock is the clock that a limiter uses.
type clock struct {
	client bool
	stepUS int64
}

// clock reads the parameters that withClock adds.
func (v Values) clock() clock {
	step, _ := limit.ParseDuration(v.Word("granularity", "1us"))
	return clock{v.Word("time", "server") == "client", step.Microseconds()}
}

// marginUS returns how much the clients' clocks may differ. A stored time that is later than now by less than this does
// not count as a step back of the clock. Keys live this much longer than necessary.
func (c clock) marginUS() int64 {
	if c.client {
		return 1_000_000
	}
	return 0
}

// floor returns the time that a client's clock with these steps shows at nowUS.
func (c clock) floor(nowUS int64) int64 { return beginOf(nowUS, max(1, c.stepUS)) }

// limiter returns a Rule that uses the clock c, with bound as its guarantee by that clock.
func (c clock) limiter(args []string, bound envelope, makeModel func() limit.Model) Rule {
	return Rule{Args: args, ClientTime: c.client, GranularityUS: c.stepUS,
		MostAdmitted: bound.mostAdmitted(c.stepUS), NewModel: makeModel}
}

// onWindow returns Prepare for algorithms that need only the limit, the window and a clock.
func onWindow[S any, P perishable[S]](bound func(requests, windowUS int64) envelope,
	of func(requests, windowUS int64) rule[S],
) func(limit.Policy, Values) (Rule, error) {
	return func(p limit.Policy, v Values) (Rule, error) {
		c, requests, windowUS := v.clock(), p.Requests, p.WindowUS()
		return c.limiter(decimal(requests, windowUS), bound(requests, windowUS),
			newModel[S, P](c, of(requests, windowUS))), nil
	}
}
