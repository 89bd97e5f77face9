package recommend

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"ratelab/internal/result"
	"ratelab/internal/sheet"
)

// Forms are those in which a document can be written.
var Forms = sheet.Forms[*Document]{
	{Name: "table", Write: WriteTable}, sheet.Everywhere("json", WriteJSON), sheet.Everywhere("csv",
		WriteCSV), sheet.Everywhere("markdown", WriteMarkdown),
}

// WriteJSON writes d as one indented JSON document and a newline.
func WriteJSON(w io.Writer, d *Document) error { return result.Write(w, d) }

// csvHeader names the columns of WriteCSV.
var csvHeader = []string{"rank_on_this_traffic", "rank_on_any_traffic", "algorithm", "burst", "kept", "seeds",
	"overshoot_median", "overshoot_least", "overshoot_most", "overshoot_scenario",
	"excess_median", "excess_least", "excess_most",
	"shortfall_median", "shortfall_least", "shortfall_most", "shortfall_scenario",
	"promise", "promise_found", "redis_calls_per_decision", "redis_calls_per_admitted",
	"redis_calls_per_rejected", "bytes_per_key", "server_us_per_decision", "confirmed", "excluded_by", "unpromised",
	"goodput_per_second", "amplification", "time_to_success_us_p99", "redis_calls_per_success"}

// WriteCSV writes one line for each candidate, in their order, with its worst figures.
func WriteCSV(w io.Writer, d *Document) error {
	return sheet.WriteCSV(w, csvHeader, func(yield func([]string) bool) {
		for i := range d.Candidates {
			if !yield(d.Candidates[i].csvLine()) {
				return
			}
		}
	})
}

func (c *Candidate) csvLine() []string {
	number := func(n int) string {
		if n == 0 {
			return ""
		}
		return strconv.Itoa(n)
	}
	burst, promise, found := "", "", ""
	if c.Burst != nil {
		burst = strconv.FormatInt(*c.Burst, 10)
	}
	if p := c.Promise; p != nil {
		promise = decimal(p.Ratio)
		if p.Found != nil {
			found = decimal(float64(*p.Found) / float64(p.Allowed))
		}
	}
	words := func(all []Exclusion) string {
		var texts []string
		for _, x := range all {
			texts = append(texts, x.Words)
		}
		return strings.Join(texts, "; ")
	}
	return slices.Concat([]string{number(c.RankOnThisTraffic), number(c.RankOnAnyTraffic), c.Algorithm, burst,
		strconv.Itoa(c.Kept), strconv.Itoa(c.Seeds)},
		c.Overshoot.csv(), []string{c.Overshoot.Scenario}, c.Excess.csv(), c.Shortfall.csv(),
		[]string{c.Shortfall.Scenario, promise, found, sheet.OptionalFloat(c.RedisCalls),
			sheet.OptionalFloat(c.CallsAdmitting), sheet.OptionalFloat(c.CallsRejecting),
			sheet.OptionalFloat(c.BytesPerKey), sheet.OptionalFloat(c.ServerUS), strconv.FormatBool(c.Confirmed),
			words(c.ExcludedBy), words(c.Unpromised), c.Goodput.median(), c.Amplification.median(),
			c.TimeToSuccessUS.median(), sheet.OptionalFloat(c.CallsPerSuccess)})
}

func (s Spread) csv() []string { return []string{decimal(s.Median), decimal(s.Least), decimal(s.Most)} }

func (w *Worst) median() string {
	if w == nil {
		return ""
	}
	return decimal(w.Median)
}
