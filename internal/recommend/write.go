package recommend

import (
	"io"
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
var csvHeader = []string{"rank", "algorithm", "qualifies", "burst", "overshoot", "overshoot_scenario",
	"over_limit_within", "false_admits_share",
	"false_rejects_share", "false_rejects_scenario", "utilization", "redis_calls_per_decision",
	"server_us_per_decision", "confirmed", "excluded_by"}

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
	optional := func(v *float64) string {
		if v == nil {
			return ""
		}
		return decimal(*v)
	}
	var calls *float64
	if c.RedisCalls != nil {
		calls = &c.RedisCalls.Value
	}
	rank, burst := "", ""
	if c.Qualifies {
		rank = strconv.Itoa(c.Rank)
	}
	if c.Burst != nil {
		burst = strconv.FormatInt(*c.Burst, 10)
	}
	var words []string
	for _, x := range c.ExcludedBy {
		words = append(words, x.Words)
	}
	return []string{rank, c.Algorithm, strconv.FormatBool(c.Qualifies), burst, decimal(c.Overshoot.Value),
		c.Overshoot.Scenario,
		strings.TrimPrefix(c.within(), absent),
		decimal(c.FalseAdmits.Value),
		decimal(c.FalseRejects.Value), c.FalseRejects.Scenario,
		decimal(c.Utilization.Value),
		optional(calls), optional(c.ServerUS), strconv.FormatBool(c.Confirmed), strings.Join(words, "; ")}
}
