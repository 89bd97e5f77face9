package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"ratelab/internal/message"
	"ratelab/internal/result"
)

// The sentences that the table and the Markdown share, so that both say the same of a run.

// circumstances lists, in one line, all that the counts depend on besides the algorithm.
func circumstances(r *result.Run) string {
	return strings.Join([]string{
		"limit " + r.Limit.String(),
		message.Count(r.Keys, "key"),
		Span(r.DurationUS) + " of " + r.Clock + " time",
		"seed " + fmt.Sprint(r.Seed),
		r.Server.String(),
	}, ", ")
}

// alikeMark stands before the name of a row that decides as the one above it, and alikeNote says so.
const (
	alikeMark = "= "
	alikeNote = "=: decides every request as the row above; what it promises and takes is its own"
)

const partialWarning = "PARTIAL: interrupted; the counts cover the beginning only"

// Remarks are the lines under a run's rows: the expectations first, then what else must be known.
func Remarks(r *result.Run) []Line {
	var lines []string
	if len(r.Alike()) < len(r.Results) {
		lines = append(lines, alikeNote)
	}
	if line := withoutTTL(r); line != "" {
		lines = append(lines, line)
	}
	for _, note := range r.Notes {
		lines = append(lines, "note: "+note)
	}
	return append(expectationLines(r), Items(lines...)...)
}

// withoutTTL names the algorithms that leave keys for ever, which no measure of admissions shows.
func withoutTTL(r *result.Run) string {
	var rows []string
	for i := range r.Results {
		if n := r.Results[i].KeysWithoutTTL; n != nil && *n > 0 {
			rows = append(rows, fmt.Sprintf("%s %d", r.Results[i].Algorithm, *n))
		}
	}
	if rows == nil {
		return ""
	}
	return "keys without a TTL, which stay until somebody deletes them: " + strings.Join(rows, ", ")
}

// expectationLines gives one line for each expectation missed, and one that sums up.
func expectationLines(r *result.Run) []Line {
	if len(r.Expectations) == 0 {
		return nil
	}
	var lines []Line
	var met, checked int
	for _, e := range r.Expectations {
		if e.Met == nil {
			continue
		}
		checked++
		if *e.Met {
			met++
			continue
		}
		lines = append(lines, Line{Text: "MISSED: " + Missed(e), Style: Alarm, Item: true})
	}
	if checked == 0 {
		return Items(message.Count(len(r.Expectations), "expectation") + ", none of them checked")
	}
	sum := fmt.Sprintf("%d of %s met", met, message.Count(checked, "expectation"))
	if unchecked := len(r.Expectations) - checked; unchecked > 0 {
		sum += fmt.Sprintf(", %d not checked", unchecked)
	}
	return append(lines, Items(sum)...)
}

// Missed describes a missed expectation: the figure, and what was expected.
func Missed(e result.Expectation) string {
	got := "nothing"
	if e.Got != nil {
		got = strconv.FormatFloat(math.Round(*e.Got*1e4)/1e4, 'f', -1, 64)
	}
	return fmt.Sprintf("%s: %s is %s, expected %s", e.Algorithm, e.Measure, got, expected(e.Want))
}

// expected is what was wanted, in words.
func expected(want string) string {
	low, high, bounds := strings.Cut(want, "..")
	switch {
	case !bounds:
		return want
	case low == "":
		return "at most " + high
	case high == "":
		return "at least " + low
	}
	return low + " to " + high
}
