package clients

import "slices"

// Summary is how the clients fared. An operation is what a client wants done; each of its attempts is one request.
type Summary struct {
	Tally
	Unfinished    int64 // operations that had neither succeeded nor been given up at the end
	SucceededCost int64

	// Lockstep is the most retries that arrived at the server within one millisecond, (t−1ms, t]. InStep counts the
	// retries that arrived less than a millisecond from at least nine others.
	Retries, Lockstep, InStep int64

	Groups []Tally // in the order of the groups
}

// Tally is what became of operations.
type Tally struct {
	Operations, Succeeded, GaveUp int64
	Attempts                      int64 // that were begun

	// TimesUS are the times from an operation's first attempt to the answer that admitted it, ascending.
	TimesUS []int64
}

// summarize sums up the groups.
func summarize(states []*groupState, retries []int64) Summary {
	var c Summary
	for _, p := range states {
		slices.Sort(p.tally.TimesUS)
		c.Groups = append(c.Groups, p.tally)
		c.Operations += p.tally.Operations
		c.Succeeded += p.tally.Succeeded
		c.GaveUp += p.tally.GaveUp
		c.Attempts += p.tally.Attempts
		c.SucceededCost += p.succeededCost
		c.TimesUS = append(c.TimesUS, p.tally.TimesUS...)
	}
	slices.Sort(c.TimesUS)
	c.Unfinished = c.Operations - c.Succeeded - c.GaveUp
	c.Retries = int64(len(retries))
	c.Lockstep, c.InStep = lockstep(retries)
	return c
}

// company is how many others make a retry one of a crowd.
const company = 9

// lockstep finds crowds in ascending times: the most within (t−1ms, t], and how many have company within less than a
// millisecond either way.
func lockstep(times []int64) (most, inStep int64) {
	first, last := 0, 0 // of those within a millisecond of times[i]
	for i, t := range times {
		for times[first] <= t-1000 {
			first++
		}
		for last+1 < len(times) && times[last+1] < t+1000 {
			last++
		}
		most = max(most, int64(i-first+1))
		if last-first >= company {
			inStep++
		}
	}
	return most, inStep
}

// Percentile is the nearest rank: the smallest of the ascending values that at least p in 100 of them do not exceed.
// values is not empty.
func Percentile(values []int64, p int) int64 {
	rank := (len(values)*p + 99) / 100
	return values[max(rank, 1)-1]
}
