package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/result"
)

// circumstances returns one line with all inputs of a run's counts besides the limiters.
func circumstances(r *result.Run) string {
	traffic := message.Count(r.Keys, "key") + When(r.FirstUS, r.LastUS-r.FirstUS, Natural(float64(r.DurationUS)))
	if n, same := offered(r); same {
		what := message.Count(n, "request")
		if r.HasCosts() {
			what += fmt.Sprintf(" with cost %d", r.Results[0].OfferedCost)
		}
		traffic = what + " of " + traffic
	}
	contract := contractWords(r.Limit)
	if r.Limits != nil {
		contract = LimitsWords(r.Limits)
	}
	return fmt.Sprintf("%s; %s; %s; seed %d", traffic, contract, ServerWords(r.Server), r.Seed)
}

// ServerLine returns a line with the server on which scripts decided, for answers without another place for it.
func ServerLine(s result.Server) Line { return Line{Text: "server: " + ServerWords(s), Style: Faint} }

// ServerWords describes a server for readers. For the embedded one it has no version, but the reason why it was used
// instead of a real one.
func ServerWords(s result.Server) string {
	switch {
	case s.Kind != "embedded":
		return s.String()
	case s.Fallback != "":
		return fmt.Sprintf("embedded (%s)", s.Fallback)
	}
	return "embedded"
}

// When returns the times of the first and the last request, if the first is known, in microseconds since 1970.
// Otherwise it returns how long the traffic lasts.
func When(firstUS, lastsUS int64, lasts string) string {
	if firstUS == 0 {
		return " in " + lasts
	}
	const clock = "15:04:05"
	first, last := time.UnixMicro(firstUS).UTC(), time.UnixMicro(firstUS+lastsUS).UTC()
	end := last.Format("2 Jan " + clock)
	if first.Format(time.DateOnly) == last.Format(time.DateOnly) {
		end = last.Format(clock)
	}
	return ", " + first.Format("2 Jan 2006 "+clock) + " to " + end + " UTC"
}

// offered returns the number of requests that each row was offered. same is false if the rows differ.
func offered(r *result.Run) (n int64, same bool) {
	for i := range r.Results {
		if n = r.Results[i].Offered; n != r.Results[0].Offered {
			return 0, false
		}
	}
	return n, len(r.Results) > 0
}

// contractWords describes a limit in terms of its contract.
func contractWords(l result.Limit) string {
	if l.Contract == limit.ByFlight {
		return fmt.Sprintf("never more than %d in flight", l.Requests)
	}
	if l.Contract == limit.ByWindow {
		text := fmt.Sprintf("never more than %d in any %s", l.Requests, Each(l.WindowUS))
		if l.Burst != 0 && l.Burst != l.Requests {
			text += fmt.Sprintf(", buckets of %d", l.Burst)
		}
		return text
	}
	return fmt.Sprintf("a bucket: %d per %s on average, %d at once", l.Requests, Each(l.WindowUS), l.Burst)
}

// Keepers returns a sentence about how many rows keep the limit, and which do so by delaying requests. known adds which
// rows have a fault.
func Keepers(r *result.Run, known []result.Examination) string {
	rows, keep, delaying := slices.Concat(shownRows(r)...), 0, ""
	for _, row := range rows {
		if row.Excess > 0 {
			continue
		}
		keep++
		if row.Shaping != nil && row.Shaping.DelayUS.Max > 0 {
			delaying += fmt.Sprintf("; %s by holding requests back, up to %s", message.Visible(row.Algorithm),
				Natural(float64(row.Shaping.DelayUS.Max)))
		}
	}
	n := len(rows)
	if n == 0 {
		return ""
	}
	limits := "the limit"
	if r.Limits != nil {
		limits = "the limits"
	}
	sentence := fmt.Sprintf("%d of %d limiters %s %s", keep, n, message.Verb(keep, "keeps", "keep"), limits)
	if n == 1 {
		verb := "keeps"
		if keep == 0 {
			verb = "exceeds"
		}
		sentence = message.Visible(rows[0].Algorithm) + " " + verb + " " + limits
	}
	for i := range known {
		if e := &known[i]; e.Faults() > 0 && r.Find(e.Algorithm) != nil {
			delaying += fmt.Sprintf("; but %s has a fault: %s", message.Visible(e.Algorithm), e.Findings[0].Name)
		}
	}
	return sentence + delaying + "."
}

// alikeSentence names the rows with the same decisions as another row.
func alikeSentence(r *result.Run) string {
	var all []string
	said := ""
	for _, group := range shownRows(r) {
		names := each(group[1:], func(row *result.Row) string { return message.Visible(row.Algorithm) })
		if len(names) > 0 {
			verb := message.Verb(len(names), "decides ", "decide ")
			if verb == said {
				verb = ""
			} else {
				said = verb
			}
			last := len(names) - 1
			if last > 0 {
				names = append(names[:last-1], names[last-1]+" and "+names[last])
			}
			all = append(all, fmt.Sprintf("%s %sas %s", strings.Join(names, ", "), verb,
				message.Visible(group[0].Algorithm)))
		}
	}
	if all == nil {
		return ""
	}
	return strings.Join(all, ", ") + "."
}

// undecided counts requests that no limiter decided, or for which no limit was configured.
func undecided(r *result.Run) []string {
	var all []string
	for _, of := range []struct {
		what  string
		count func(*result.Row) int64
	}{{"Not configured", func(row *result.Row) int64 { return row.NotConfigured }},
		{"Errors", func(row *result.Row) int64 { return row.Errors }}} {
		var rows []string
		same := true
		for _, group := range shownRows(r) {
			n := of.count(group[0])
			same = same && n == of.count(&r.Results[0])
			if n > 0 {
				rows = append(rows, fmt.Sprintf("%s %d", message.Visible(group[0].Algorithm), n))
			}
		}
		switch {
		case rows != nil && same:
			all = append(all, fmt.Sprintf("%s: %d requests of every limiter.", of.what, of.count(&r.Results[0])))
		case rows != nil:
			all = append(all, fmt.Sprintf("%s: %s.", of.what, strings.Join(rows, ", ")))
		}
	}
	return all
}

// alikeMark precedes the name of a row on the page that decides as the row above it. alikeNote explains the mark.
const (
	alikeMark = "= "
	alikeNote = "=: decides every request as the row above"
)

const partialWarning = "PARTIAL: interrupted; the counts cover the beginning only"

// Remarks returns the page's lines below a run's rows: first the expectations, then other remarks.
func Remarks(r *result.Run) []Line {
	var lines []string
	if len(r.Alike()) < len(r.Results) {
		lines = append(lines, alikeNote)
	}
	return append(expectationLines(r, ""), Items(append(lines, remarks(r)...)...)...)
}

// remarks returns the warning about keys without a TTL, and the run's notes.
func remarks(r *result.Run) []string {
	notes := each(r.Notes, func(note string) string { return noted + note })
	return append(filled([]string{withoutTTL(r)}), notes...)
}

// withoutTTL names the rows that leave keys without a TTL. It omits managed buckets, which exist until they are
// deleted.
func withoutTTL(r *result.Run) string {
	var rows []string
	for i := range r.Results {
		name, n := r.Results[i].Algorithm, r.Results[i].KeysWithoutTTL
		// a variant with a flag is not managed
		managed := algorithms.Of(name).Traits.Managed && !strings.Contains(name, "+")
		if n != nil && *n > 0 && !managed && !algorithms.IsFloor(name) {
			rows = append(rows, fmt.Sprintf("%s %d", name, *n))
		}
	}
	if rows == nil {
		return ""
	}
	return "keys without a TTL, which never expire: " + strings.Join(rows, ", ")
}

// expectationLines returns one line for each missed expectation, and a summary that ends with more.
func expectationLines(r *result.Run, more string) []Line {
	if len(r.Expectations) == 0 {
		return Items(filled([]string{more})...)
	}
	var lines []Line
	met := 0
	for _, e := range r.Expectations {
		switch {
		case e.Met == nil:
		case *e.Met:
			met++
		default:
			lines = append(lines, Line{Text: "MISSED: " + Missed(e), Style: Alarm, Item: true})
		}
	}
	checked := met + len(lines)
	sum := fmt.Sprintf("%d of %s met", met, message.Count(checked, "expectation"))
	switch unchecked := len(r.Expectations) - checked; {
	case checked == 0:
		sum = message.Count(unchecked, "expectation") + ", none of them checked"
	case unchecked > 0:
		sum += fmt.Sprintf(", %d not checked", unchecked)
	}
	return append(lines, Items(strings.TrimSpace(sum+". "+more))...)
}

// Missed describes a missed expectation: the figure and the expected value.
func Missed(e result.Expectation) string {
	got := "nothing"
	if e.Got != nil {
		got = Float(math.Round(*e.Got*1e4) / 1e4)
	}
	return fmt.Sprintf("%s: %s is %s, expected %s", e.Algorithm, e.Measure, got, expected(e.Want))
}

// expected describes the expected values in words.
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
