package report

import (
	"fmt"

	"ratelab/internal/measure"
	"ratelab/internal/message"
	"ratelab/internal/result"
)

// interleavings gives a line for each row of a sequence of commands, and for each whose clients remember that they are
// over the limit.
func interleavings(r *result.Run) []string {
	var lines []string
	for i := range r.Results {
		row := &r.Results[i]
		if row.Race != nil {
			lines = append(lines, row.Algorithm+": "+sentence(row.Race)+roundTrips(row))
		}
		if f := row.LocalFlag; f != nil {
			lines = append(lines, fmt.Sprintf("%s: of %s, the clients' own flags reject %d; of these %d, asked alone "+
				"at that moment, would have passed%s",
				row.Algorithm, message.Count(row.Offered, "request"), f.LocalRejects, f.WrongRejects, roundTrips(row)))
		}
	}
	return lines
}

// sentence is what a race did. Locks, crashes and queues are spoken of where there are any.
func sentence(r *measure.Race) string {
	text := fmt.Sprintf("%d admitted and %d rejected by interleaving alone", r.RaceAdmits, r.RaceRejects)
	if r.LockWaits > 0 || r.LockLosses > 0 {
		text += fmt.Sprintf(", %s for the lock, %s lost", message.Count(r.LockWaits, "wait"),
			message.Count(r.LockLosses, "lock"))
	}
	if r.Crashes > 0 {
		text += fmt.Sprintf(", %s died after INCRBY", message.Count(r.Crashes, "client"))
	}
	if r.LockedOutUS > 0 {
		text += fmt.Sprintf(", a key locked out for %s by what one left", Span(r.LockedOutUS))
	}
	if r.QueuePeak > 0 {
		text += fmt.Sprintf(", a queue of up to %s, %d trimmed away (%d needlessly)",
			message.Count(r.QueuePeak, "element"), r.Trimmed, r.TrimmedNeedlessly)
		text += fmt.Sprintf(", %d of admitted requests lost, %d of rejected ones kept", r.QueueLost, r.QueueKept)
	}
	return text
}

// roundTrips continues a sentence.
func roundTrips(r *result.Row) string {
	if r.RoundTripsPerDecision == nil {
		return ""
	}
	return fmt.Sprintf(", %.2f round trips per decision", *r.RoundTripsPerDecision)
}
