package measure

// This file declares the measures. To add one, add it here.

const (
	everywhere = Written | Table | Page | Expected
	roomy      = Written | Page | Expected // not in a terminal's tables, which have too little room
)

// DecisionMeasures follow from the decisions alone, whichever limiter made them. The exact reference has them too.
var DecisionMeasures = &Subject{Name: "what was decided", Measures: []Measure{
	{Name: "offered", Unit: Requests, Heading: "offered", Help: "requests that arrived: admitted, rejected and errors",
		In: roomy, Leaves: 6},
	{Name: "admitted", Unit: Requests, Heading: "admitted", Help: "admitted requests", In: everywhere},
	{Name: "rejected", Unit: Requests, Heading: "rejected", Help: "rejected requests", In: everywhere, Leaves: 4},
	{Name: "not_configured", Unit: Requests, Heading: "not con-\nfigured", Title: "not configured",
		Help: "rejected requests for which a managed limiter has no bucket, or none for their application",
		In:   roomy, Better: Lower, Where: func(f *Figures) bool { return f.NotConfigured != 0 }},
	{Name: "errors", Unit: Requests, Heading: "errors", Help: "requests whose call failed", In: roomy,
		Better: Lower, Where: func(f *Figures) bool { return f.Errors != 0 }},
	{Name: "unavailable", Unit: Requests, Heading: "unavail-\nable", Title: "unavailable",
		Help: "errors that a binding or a scenario names as an outcome without a decision", In: roomy,
		Better: Lower, Where: func(f *Figures) bool { return f.Unavailable != 0 }},
	{Name: "offered_cost", Unit: Tokens, Heading: "offered\ncost", Help: "cost of all requests",
		In: roomy, Leaves: 6, Where: costly},
	{Name: "admitted_cost", Unit: Tokens, Heading: "admitted\ncost", Help: "cost of the admitted requests",
		In: roomy, Leaves: 1, Where: costly},
	{Name: "peak", Unit: Tokens, Heading: "peak",
		Help: "the most cost admitted for one key in any interval as long as the window; a shaper's departures count",
		In:   everywhere, Better: Lower, Leaves: 1},
	{Name: "x_limit", Unit: Limits, Heading: "x limit",
		Help: "the peak divided by the limit; by a bucket contract, the largest admitted cost of an interval divided " +
			"by what the bucket allows in it", In: everywhere, Better: Lower, Above: 1},
	{Name: "guarantee", Unit: Limits, Heading: "guarantee",
		Help: "the largest x_limit that the rule allows for any traffic", Own: true, In: everywhere,
		Leaves: 3, Where: func(f *Figures) bool { return f.Guarantee != nil }},
	{Name: "lost", Unit: Share, Heading: "lost",
		Help: "the share of an exact limiter's admitted cost that this one does not admit, key by key", In: everywhere,
		Better: Lower, Leaves: 2},
	{Name: "users_rejected", Unit: Keys, Heading: "users\nrejected", Help: "keys with at least one rejected request",
		In: roomy},
	{Name: "users_rejected_needlessly", Unit: Keys, Heading: "need-\nlessly", Title: "needlessly",
		Help: "of these, keys that an exact limiter never rejects", In: roomy, Better: Lower},
	{Name: "reserved_share", Unit: Actual, Digits: 2, Heading: "reserved", In: everywhere,
		Help:  "what admitted requests reserved, divided by what they cost in the end",
		Where: func(f *Figures) bool { return f.ReservedShare != nil }},
	{Name: "several_refused", Unit: Requests, Heading: "several\nrefused", Title: "several refused",
		Help: "requests that more than one of several limits refused", In: roomy,
		Where: func(f *Figures) bool { return f.Several != nil }},
	{Name: "wrong_share", Unit: Share, Heading: "wrong",
		Help: "cost that breaks the limit or is lost, as a share of the offered cost", In: Page | Expected,
		Better: Lower,
		Value: func(f *Figures) Value {
			return Known((float64(f.Excess) + f.Lost*float64(f.ExactCost)) / float64(max(1, f.OfferedCost)))
		}},
}}

// LimitMeasures are about one of several limits. A table or expect names the limit too: refused:rpm.
var LimitMeasures = &Subject{Name: "one of several limits", Measures: []Measure{
	{Name: "refused", Unit: Requests, Heading: "refused", Help: "requests that this limit refused", In: Expected},
	{Name: "refused_alone", Unit: Requests, Heading: "refused\nonly by",
		Help: "requests that this limit refused, and no other that was asked", In: Expected},
	{Name: "peak", Unit: Tokens, Heading: "peak", In: Expected, Better: Lower,
		Help: "the most in any interval as long as this limit's window, of the requests that all limits admitted, by " +
			"this limit's part of the key and by what it counts"},
	{Name: "x_limit", Unit: Limits, Heading: "x limit", Help: "this limit's peak divided by the limit", In: Expected,
		Better: Lower, Above: 1},
	{Name: "in_vain", Unit: Tokens, Heading: "in vain", In: Expected, Better: Lower,
		Help: "what this limit was charged for requests that another one refused"},
}}

// EndMeasures are about requests that end, and their slots.
var EndMeasures = &Subject{Name: "requests that end", Caption: "What happened to requests that end",
	Measures: []Measure{
		{Name: "ends.calls", Unit: PerDecision, Digits: 2, Heading: "calls", In: everywhere, Better: Lower,
			Help:  "calls at starts and ends, and renewals, per request",
			Where: func(f *Figures) bool { return f.Ends != nil }},
		{Name: "slots.admitted_full", Unit: Requests, Heading: "full", Title: "admitted though full", In: everywhere,
			Better: Lower, Help: "admitted although the limit's number of the row's own requests were in flight",
			Where: func(f *Figures) bool { return f.Slots != nil }},
		{Name: "slots.refused_free", Unit: Requests, Heading: "needless", Title: "refused though free", In: everywhere,
			Better: Lower, Help: "rejected although fewer of the row's own requests were in flight than the limit",
			Where: func(f *Figures) bool { return f.Slots != nil }},
		{Name: "ends.renewals_lost", Unit: Requests, Heading: "renewals\nlost", In: roomy, Better: Lower,
			Help:  "renewals of requests that the limiter no longer knew",
			Where: func(f *Figures) bool { return f.Ends != nil && f.Ends.RenewalsLost > 0 }},
		{Name: "ends.late", Unit: Requests, Heading: "ended\nlate", In: roomy,
			Help:  "ends of requests that the limiter no longer knew",
			Where: func(f *Figures) bool { return f.Ends != nil }},
	}}

// costly reports whether the offered cost differs from the number of requests.
func costly(f *Figures) bool { return f.OfferedCost != f.Offered }

// ShapingMeasures are about algorithms that delay admitted requests.
var ShapingMeasures = &Subject{
	Name:    "what a shaper delays",
	Caption: "How long admitted requests wait; the peak is that of the departures",
	Measures: []Measure{
		{Name: "shaping.delay_us.p50", Unit: Microseconds, Heading: "delay\np50",
			Help: "from an admitted request's arrival to its departure", In: roomy, Better: Lower, Leaves: 2},
		{Name: "shaping.delay_us.p99", Unit: Microseconds, Heading: "p99", Help: "of the delay", In: roomy,
			Better: Lower, Leaves: 1},
		{Name: "shaping.delay_us.max", Unit: Microseconds, Heading: "longest", Help: "the longest delay",
			In: roomy, Better: Lower},
	}}

// CostMeasures are about the server's work for a decision. Models have none of them.
var CostMeasures = &Subject{Name: "what a decision asks of the server", Caption: "What a decision asks of the server",
	Measures: []Measure{
		{Name: "commands", Unit: PerDecision, Digits: 2, Heading: "cmds", Title: "commands",
			Help: "Redis commands of the script per decision", Own: true, In: everywhere, Better: Lower, Leaves: 7,
			Where: func(f *Figures) bool { return f.Commands != nil }},
		{Name: "round_trips", Unit: PerDecision, Digits: 2, Heading: "round trips",
			Help: "calls of a client per decision", In: roomy, Better: Lower},
		{Name: "bytes_per_key", Unit: Bytes, Heading: "bytes per key",
			Help: "MEMORY USAGE, averaged over the keys left; real servers only", In: Written | Page, Better: Lower},
		{Name: "keys_left", Unit: Keys, Heading: "keys left", Help: "alive at the last request", In: roomy,
			Better: Lower},
		{Name: "keys_left_without_ttl", Unit: Keys, Heading: "without a TTL", Help: "keys that never expire",
			In: roomy, Better: Lower},
	}}

// FairnessMeasures are about runs with several keys.
var FairnessMeasures = &Subject{Name: "how evenly the keys are served",
	Caption: "How evenly the keys are served, against the exact reference", Measures: []Measure{
		{Name: "fairness.keys", Unit: Keys, Heading: "keys", Help: "that were compared", In: roomy},
		{Name: "fairness.worst_served", Unit: Share, Heading: "worst\nserved",
			Help: "the lowest admitted cost of a key, as a share of what the reference admits it", In: everywhere,
			Better: Higher},
		{Name: "fairness.best_served", Unit: Share, Heading: "best\nserved", Help: "the highest such share",
			In: everywhere},
	}}

// ClientMeasures are about clients that react to their rejections.
var ClientMeasures = &Subject{
	Name:    "how clients fared that react",
	Caption: "How the clients that retry fared", Measures: []Measure{
		{Name: "clients.operations", Unit: Operations, Heading: "operations", Help: "operations that clients began",
			In: roomy},
		{Name: "clients.attempts", Unit: Requests, Heading: "tries", Title: "attempts",
			Help: "requests that clients sent", In: everywhere, Better: Lower, Leaves: 4},
		{Name: "clients.succeeded", Unit: Operations, Heading: "done", Title: "succeeded",
			Help: "operations that were admitted", In: everywhere, Better: Higher},
		{Name: "clients.gave_up", Unit: Operations, Heading: "gave\nup", Title: "gave up",
			Help: "operations whose client stopped trying", In: everywhere},
		{Name: "clients.unfinished", Unit: Operations, Heading: "still\nopen", Title: "still open",
			Help: "operations that had neither succeeded nor given up when the scenario ended", In: roomy, Leaves: 3},
		{Name: "clients.goodput_per_second", Unit: PerSecond, Digits: 1, Heading: "goodput\n/s", Title: "goodput /s",
			Help: "cost of the operations that succeeded, over the scenario's duration", In: roomy, Better: Higher},
		{Name: "clients.amplification", Unit: PerSuccess, Digits: 2, Heading: "tries\n/done",
			Title: "attempts per success", Help: "attempts of all operations, over the operations that succeeded",
			In: everywhere, Better: Lower, Leaves: 1},
		{Name: "clients.time_to_success_us.p50", Unit: Microseconds, Heading: "after\np50", Title: "p50",
			Help: "from an operation's first attempt to the answer that admits it", In: roomy, Better: Lower,
			Leaves: 5},
		{Name: "clients.time_to_success_us.p99", Unit: Microseconds, Heading: "after\np99", Title: "p99",
			Help: "of the time to success", In: everywhere, Better: Lower, Leaves: 2},
		{Name: "clients.time_to_success_us.max", Unit: Microseconds, Heading: "longest",
			Help: "the longest time to success", In: Written | Expected, Better: Lower},
		{Name: "clients.lockstep", Unit: Retries, Heading: "lock-\nstep", Title: "lockstep",
			Help: "the most retries that arrive within one millisecond", In: everywhere, Better: Lower, Leaves: 3},
		{Name: "clients.lockstep_share", Unit: Share, Heading: "in lockstep",
			Help: "share of the retries that arrive within a millisecond of nine others", In: roomy, Better: Lower},
		{Name: "clients.retry_after.true_share", Unit: Share, Heading: "hints\nright",
			Help: "of the rejections that named a time, those that named the right one", In: Table | Expected,
			Better: Higher, Leaves: 6,
			Value: func(f *Figures) Value {
				c := f.Clients
				if c == nil || c.RetryAfter == nil || c.RetryAfter.Checked == 0 {
					return Value{}
				}
				return ratio(c.RetryAfter.True, c.RetryAfter.Checked)
			}},
	}}

// RetryAfterMeasures compare the retry-after times of rejections with the true ones.
var RetryAfterMeasures = &Subject{Name: "whether retry_after told the truth",
	Caption: "Whether the time that a rejection named was the truth", Measures: []Measure{
		{Name: "clients.retry_after.checked", Unit: Rejections, Heading: "checked",
			Help: "of the rejections that named a time, the first 20,000", In: roomy},
		{Name: "clients.retry_after.true", Unit: Rejections, Heading: "true",
			Help: "the same request is admitted then, and not a tick earlier", In: roomy, Better: Higher},
		{Name: "clients.retry_after.too_early", Unit: Rejections, Heading: "too early",
			Help: "a client that obeys is rejected", In: roomy, Better: Lower},
		{Name: "clients.retry_after.too_late", Unit: Rejections, Heading: "too late",
			Help: "a tick earlier would have been admitted", In: roomy, Better: Lower},
	}}

// ClockMeasures compare with the same clients under right clocks.
var ClockMeasures = &Subject{
	Name:    "what wrong clocks changed",
	Caption: "What wrong clocks changed, against the same clients with right ones", Measures: []Measure{
		{Name: "clock_effect.extra_admitted", Unit: Tokens, Heading: "extra",
			Help: "cost admitted beyond what right clocks admit, window by window", In: everywhere, Better: Lower},
		{Name: "clock_effect.missing_admitted", Unit: Tokens, Heading: "missing",
			Help: "cost missing of what right clocks admit, window by window", In: everywhere, Better: Lower},
		{Name: "clock_effect.peak_with_right_clocks", Unit: Tokens, Heading: "peak with\nright clocks",
			Help: "the peak of the same row with right clocks", In: everywhere, Leaves: 1},
		{Name: "clock_effect.lockout_us", Unit: Microseconds, Heading: "lockout",
			Help: "the longest time in which nothing was admitted for a key, though right clocks admitted some, " +
				"and longer than any such time with them", In: everywhere, Better: Lower, Leaves: 2},
		{Name: "clock_effect.recovery_us", Unit: Microseconds, Heading: "recovery",
			Help: "from the last step of the server's clock to the end of the last window in which the two differ",
			In:   everywhere, Better: Lower, Leaves: 3},
	}}

// RaceMeasures are about sequences of commands without a script.
var RaceMeasures = &Subject{Name: "what interleaving did",
	Caption: "What interleaving did to sequences of commands without a script", Measures: []Measure{
		{Name: "race.commands", Unit: Commands, Heading: "commands", Help: "sent to the server", In: roomy,
			Better: Lower},
		{Name: "race.race_admits", Unit: Requests, Heading: "race\nadmits",
			Help: "admitted requests that the sequence rejects if nothing interleaves", In: everywhere, Better: Lower},
		{Name: "race.race_rejects", Unit: Requests, Heading: "race\nrejects",
			Help: "rejected requests that the sequence admits if nothing interleaves", In: everywhere, Better: Lower},
		{Name: "race.lock_waits", Unit: Waits, Heading: "lock\nwaits",
			Help: "attempts to take a lock that another client held", In: everywhere, Better: Lower, Where: hasLock},
		{Name: "race.lock_losses", Unit: Locks, Heading: "locks\nlost",
			Help: "attempts whose lock expired before they were done", In: everywhere, Better: Lower, Where: hasLock},
		{Name: "race.crashes", Unit: Crashes, Heading: "crashes",
			Help: "clients that died between two commands; their requests count as rejected",
			In:   everywhere, Better: Lower, Where: hasCrashes},
		{Name: "race.locked_out_us", Unit: Microseconds, Heading: "locked\nout",
			Help: "the longest time for which a counter of a dead client, left without a TTL, rejected its key: from " +
				"the first request that it rejected to the last request",
			In: everywhere, Better: Lower, Where: hasCrashes},
		{Name: "race.queue_peak", Unit: Elements, Heading: "longest\nqueue",
			Help: "the most elements that a queue had after any command; a queue is to have at most the limit",
			In:   everywhere, Better: Lower, Where: hasQueue},
		{Name: "race.trimmed", Unit: Elements, Heading: "trimmed", Help: "elements that a trim removed from a queue",
			In: everywhere, Where: hasQueue, Leaves: 1},
		{Name: "race.trimmed_needlessly", Unit: Elements, Heading: "need-\nlessly", Title: "needlessly",
			Help: "trimmed elements that were within the limit when the trim ran", In: everywhere,
			Better: Lower, Where: hasQueue},
		{Name: "race.queue_lost", Unit: Elements, Heading: "lost",
			Help: "elements of admitted requests that were trimmed away: no worker gets them", In: everywhere,
			Better: Lower, Where: hasQueue},
		{Name: "race.queue_kept", Unit: Elements, Heading: "kept",
			Help: "elements of rejected requests that were not trimmed away: a worker gets them", In: everywhere,
			Better: Lower, Where: hasQueue},
	}}

// hasLock, hasCrashes and hasQueue report whether a row of a sequence had lock conflicts, clients that died, or a
// queue.
func hasLock(f *Figures) bool    { return f.Race != nil && f.Race.LockWaits+f.Race.LockLosses > 0 }
func hasCrashes(f *Figures) bool { return f.Race != nil && f.Race.Crashes > 0 }
func hasQueue(f *Figures) bool   { return f.Race != nil && f.Race.QueuePeak > 0 }

// LocalFlagMeasures are about clients that remember that they are over the limit.
var LocalFlagMeasures = &Subject{Name: "what a local flag saves",
	Caption: "What a client's memory of being over the limit saves, and gets wrong", Measures: []Measure{
		{Name: "local_flag.local_rejects", Unit: Requests, Heading: "rejected\nlocally",
			Help: "requests that clients rejected without asking the server", In: everywhere, Better: Higher},
		{Name: "local_flag.share_of_rejected", Unit: Share, Heading: "of the\nrejected",
			Help: "of the rejected requests, the share that clients rejected", In: Table | Page | Expected,
			Better: Higher,
			Value: func(f *Figures) Value {
				if f.LocalFlag == nil {
					return Value{}
				}
				return ratio(f.LocalFlag.LocalRejects, f.Rejected)
			}},
		{Name: "local_flag.wrong_rejects", Unit: Requests, Heading: "wrongly",
			Help: "of these, requests that the server would have admitted", In: everywhere, Better: Lower},
	}}
