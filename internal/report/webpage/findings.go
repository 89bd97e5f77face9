package webpage

import (
	"ratelab/internal/report"
)

// finding is a table about one subject, with a line for each row that has something to say about it.
type finding struct {
	caption string
	head    []heading
	cells   func(*report.Row) []cell // nil where the row has nothing
}

// findingsOf are the small tables below a run's first: only those of which the document has something.
func findingsOf(r *report.Run, l *labels) []grid {
	var all []grid
	for _, f := range append(findings, groupFindings(r)...) {
		g := grid{Caption: f.caption, Head: f.head}
		for i := range r.Results {
			if cells := f.cells(&r.Results[i]); cells != nil {
				g.Rows = append(g.Rows, line{l.of(r.Results[i].Algorithm), cells})
			}
		}
		if len(g.Rows) > 0 {
			all = append(all, g.withoutEmpty())
		}
	}
	return all
}

var findings = []finding{clients, retryAfter, clocks, race, localFlag, fairness, rateDifference, cost, wallClock}

var clients = finding{
	"How the clients fared that retry",
	[]heading{{"operations", "what clients want done"}, {"succeeded", ""}, {"gave up", ""}, {"unfinished", "neither, when the scenario ended"},
		{"attempts", "requests sent"}, {"goodput /s", "cost of the operations that succeeded, over the scenario's duration"},
		{"attempts per success", ""}, {"p50", "from an operation's first attempt to the answer that admits it"}, {"p99", "of the time to success"},
		{"lockstep", "the most retries that arrive within one millisecond"}, {"in lockstep", "share of the retries that arrive within a millisecond of nine others"}},
	func(row *report.Row) []cell {
		c := row.Clients
		if c == nil {
			return nil
		}
		list := []cell{whole(c.Operations), whole(c.Succeeded), whole(c.GaveUp), whole(c.Unfinished), whole(c.Attempts),
			decimal(c.GoodputPerSecond, 1), optionalDecimal(c.Amplification, 2)}
		list = append(list, medianAndTail(c.TimeToSuccessUS)...)
		return append(list, whole(c.Lockstep), percentage(c.LockstepShare))
	},
}

func medianAndTail(p *report.Percentiles) []cell {
	if p == nil {
		return []cell{{}, {}}
	}
	return []cell{duration(p.P50), duration(p.P99)}
}

var retryAfter = finding{
	"Whether the time that a rejection named was the truth",
	[]heading{{"checked", "of the rejections that named a time, the first 20,000"}, {"true", "the same request passes then, and not a tick earlier"},
		{"too early", "obeying it fails"}, {"too late", "a tick earlier would have passed"}},
	func(row *report.Row) []cell {
		if row.Clients == nil || row.Clients.RetryAfter == nil {
			return nil
		}
		c := row.Clients.RetryAfter
		return []cell{whole(c.Checked), whole(c.True), whole(c.TooEarly), whole(c.TooLate)}
	},
}

var clocks = finding{
	"What wrong clocks changed, against the same clients with right ones",
	[]heading{{"extra", "admitted beyond what right clocks admit, window by window"}, {"missing", "short of what right clocks admit, window by window"},
		{"peak with right clocks", "the most admitted for one key in any window"}, {"lockout", "the longest time in which nothing was admitted for a key, though something was with right clocks, and longer than any such time with them"},
		{"recovery", "from the last step of the server's clock to the end of the last window in which the two differ"}},
	func(row *report.Row) []cell {
		if row.ClockEffect == nil {
			return nil
		}
		c := row.ClockEffect
		return []cell{whole(c.ExtraAdmitted), whole(c.MissingAdmitted), whole(c.PeakWithRightClocks), duration(c.LockoutUS), duration(c.RecoveryUS)}
	},
}

var race = finding{
	"What interleaving did to sequences of commands without a script",
	[]heading{{"commands", "sent to the server"}, {"race admits", "admitted, though the sequence run at once rejects"},
		{"race rejects", "the reverse"}, {"lock waits", "attempts to take a lock that somebody else held"},
		{"locks lost", "attempts whose lock expired before they were done"}},
	func(row *report.Row) []cell {
		if row.Race == nil {
			return nil
		}
		c := row.Race
		return []cell{whole(c.Commands), whole(c.RaceAdmits), whole(c.RaceRejects), whole(c.LockWaits), whole(c.LockLosses)}
	},
}

var localFlag = finding{
	"What a client's memory of being over the limit saves, and gets wrong",
	[]heading{{"rejected locally", "decided without asking the server"}, {"of the rejected", "share"},
		{"wrongly", "the server would have admitted them at that moment"}},
	func(row *report.Row) []cell {
		if row.LocalFlag == nil {
			return nil
		}
		c := row.LocalFlag
		return []cell{whole(c.LocalRejects), percentage(share(c.LocalRejects, row.Rejected)), whole(c.WrongRejects)}
	},
}

var fairness = finding{
	"How evenly the keys are served, against the exact reference",
	[]heading{{"keys", "that were compared"}, {"Jain's index", "1 where all keys are served alike, 1/n where one gets everything"},
		{"worst served", "the lowest admitted cost of a key, as a share of what the reference admits it"}, {"best served", ""},
		{"keys falsely admitted", "with at least one such decision"}, {"keys falsely rejected", "with at least one such decision"},
		{"worst key wrong", "the largest share of one key's requests that were decided falsely"}, {"worst-served key", ""}},
	func(row *report.Row) []cell {
		f := row.Fairness
		if f == nil {
			return nil
		}
		return []cell{whole(f.Keys), decimal(f.JainIndex, 4), percentage(f.WorstServed), percentage(f.BestServed),
			whole(f.KeysFalselyAdmitted), whole(f.KeysFalselyRejected), percentage(f.WorstKeyWrong), {Text: shown(f.WorstKey), Left: true}}
	},
}

var rateDifference = finding{
	"What a counting algorithm believes is in use, against what is",
	[]heading{{"mean difference", "of the believed from the exact cost in the window, over the exact"},
		{"wrong decisions", "false admits and false rejects, as a share of the offered"}},
	func(row *report.Row) []cell {
		if row.RateDifference == nil {
			return nil
		}
		return []cell{percentage(*row.RateDifference), percentage(share(row.FalseAdmits+row.FalseRejects, row.Offered))}
	},
}

var cost = finding{
	"What a decision asks of the server",
	[]heading{{"calls per decision", "commands that the script issued"}, {"round trips per decision", "calls that a client would make"},
		{"bytes per key", "MEMORY USAGE, averaged over the keys left; real servers only"},
		{"keys left", "alive at the last request"}, {"without a TTL", "keys that would stay for ever"}},
	func(row *report.Row) []cell {
		if row.RedisCallsPerDecision == nil && row.KeysLeft == nil {
			return nil
		}
		return []cell{optionalDecimal(row.RedisCallsPerDecision, 2), optionalDecimal(row.RoundTripsPerDecision, 2),
			optionalDecimal(row.BytesPerKey, 0), optionalWhole(row.KeysLeft), optionalWhole(row.KeysWithoutTTL)}
	},
}

var wallClock = finding{
	"On the real clock",
	[]heading{{"not as in virtual time", "decisions that differ, since requests arrive a little late"}},
	func(row *report.Row) []cell {
		if row.DiffersFromVirtual == nil {
			return nil
		}
		return []cell{whole(*row.DiffersFromVirtual)}
	},
}

// groupFindings has a table for each group of clients, where there are several.
func groupFindings(r *report.Run) []finding {
	if len(r.ClientGroups) < 2 {
		return nil
	}
	var all []finding
	for i, name := range r.ClientGroups {
		all = append(all, finding{
			"The clients named " + shown(name),
			[]heading{{"operations", ""}, {"succeeded", ""}, {"of its operations", "share that succeeded"}, {"gave up", ""}, {"attempts", ""},
				{"p50", "of the time to success"}, {"p99", "of the time to success"}},
			func(row *report.Row) []cell {
				if row.Clients == nil || i >= len(row.Clients.Groups) {
					return nil
				}
				g := &row.Clients.Groups[i]
				list := []cell{whole(g.Operations), whole(g.Succeeded), percentage(share(g.Succeeded, g.Operations)), whole(g.GaveUp), whole(g.Attempts)}
				return append(list, medianAndTail(g.TimeToSuccessUS)...)
			},
		})
	}
	return all
}
