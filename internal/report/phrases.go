package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"ratelab/internal/message"
	"ratelab/internal/sheet"
)

// The sentences that the table and the Markdown share, so that both say the same of a run.

// circumstances lists, in one line, all that the counts depend on besides the algorithm.
func (r *Run) circumstances() string {
	return strings.Join([]string{
		"limit " + r.Limit.String(),
		message.Count(r.Keys, "key"),
		sheet.Span(r.DurationUS) + " of " + r.Clock + " time",
		"seed " + fmt.Sprint(r.Seed),
		r.Server.String(),
	}, ", ")
}

const partialWarning = "PARTIAL: interrupted; the counts cover the beginning only"

// Remarks are the lines under a run's rows: the expectations first, then what else must be known.
func (r *Run) Remarks() []sheet.Line {
	var lines []string
	if len(r.Alike()) < len(r.Results) {
		lines = append(lines, alikeNote)
	}
	lines = append(append(lines, r.interleavings()...), r.rateDifferences()...)
	lines = append(lines, r.fairness()...)
	if line := r.withoutTTL(); line != "" {
		lines = append(lines, line)
	}
	for _, note := range r.Notes {
		lines = append(lines, "note: "+note)
	}
	return append(r.expectationLines(), sheet.Items(lines...)...)
}

// withoutTTL names the algorithms that leave keys for ever, which no measure of admissions shows.
func (r *Run) withoutTTL() string {
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
func (r *Run) expectationLines() []sheet.Line {
	if len(r.Expectations) == 0 {
		return nil
	}
	var lines []sheet.Line
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
		lines = append(lines, sheet.Line{Text: "MISSED: " + e.Missed(), Style: sheet.Alarm, Item: true})
	}
	if checked == 0 {
		return sheet.Items(message.Count(len(r.Expectations), "expectation") + ", none of them checked")
	}
	sum := fmt.Sprintf("%d of %s met", met, message.Count(checked, "expectation"))
	if unchecked := len(r.Expectations) - checked; unchecked > 0 {
		sum += fmt.Sprintf(", %d not checked", unchecked)
	}
	return append(lines, sheet.Items(sum)...)
}

// Missed says what was got and what was wanted, of an expectation that was not met.
func (e Expectation) Missed() string {
	got := "nothing"
	if e.Got != nil {
		got = strconv.FormatFloat(math.Round(*e.Got*1e4)/1e4, 'f', -1, 64)
	}
	return fmt.Sprintf("%s: %s is %s, expected %s", e.Algorithm, e.Measure, got, e.expected())
}

// expected is Want in words.
func (e Expectation) expected() string {
	low, high, bounds := strings.Cut(e.Want, "..")
	switch {
	case !bounds:
		return e.Want
	case low == "":
		return "at most " + high
	case high == "":
		return "at least " + low
	}
	return low + " to " + high
}
