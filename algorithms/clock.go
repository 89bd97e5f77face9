package algorithms

import "ratelab/internal/limit"

// withClock gives the parameters of an algorithm's own, and those of every algorithm whose script takes the time as an
// argument.
func withClock(own ...Parameter) []Parameter {
	return append(own, []Parameter{
		{Name: "time", Kind: OneOf, Words: []string{"server", "client"}, Default: "server",
			Doc: "whose clock decides: the server's TIME, or a timestamp that the client passes in", Role: Clock},
		{Name: "granularity", Kind: OneOf, Words: []string{"1us", "1ms", "1s"}, Default: "1us",
			Doc: "the steps of the client's clock, rounded down; needs time=client. What a reply says is counted " +
				"from there"},
	}...)
}

// clock is the clock that a limiter reads.
type clock struct {
	client bool
	stepUS int64
}

// clock reads the parameters that withClock adds.
func (v Values) clock() clock {
	step, _ := limit.ParseDuration(v.Word("granularity", "1us"))
	return clock{v.Word("time", "server") == "client", step.Microseconds()}
}

// marginUS is how far the clients' clocks may be apart. What lies less than that later than now is no step back of the
// clock, and a key lives so much longer than it matters.
func (c clock) marginUS() int64 {
	if c.client {
		return 1_000_000
	}
	return 0
}

// floor is what a client's clock that counts in such steps shows at nowUS.
func (c clock) floor(nowUS int64) int64 { return beginOf(nowUS, max(1, c.stepUS)) }

// limiter makes a Rule that reads c, and stays within bound by that clock.
func (c clock) limiter(args []string, bound envelope, makeModel func() limit.Model) Rule {
	return Rule{Args: args, ClientTime: c.client, GranularityUS: c.stepUS,
		MostAdmitted: bound.mostAdmitted(c.stepUS), NewModel: makeModel}
}

// onWindow is Prepare for the algorithms that go by the limit, the window and the server's clock alone.
func onWindow[S any, P perishable[S]](bound func(requests, windowUS int64) envelope,
	of func(requests, windowUS int64) rule[S],
) func(limit.Policy, Values) (Rule, error) {
	return func(p limit.Policy, v Values) (Rule, error) {
		c, requests, windowUS := v.clock(), p.Requests, p.WindowUS()
		return c.limiter(decimal(requests, windowUS), bound(requests, windowUS),
			newModel[S, P](c, of(requests, windowUS))), nil
	}
}
