package report

import (
	"fmt"
	"strings"

	"ratelab/internal/measure"
	"ratelab/internal/message"
	"ratelab/internal/result"
)

// Nobody needs to be told about fairness where the Jain index is 1 to three digits and no key lacks more than a tenth:
// among thousands of keys the index does not notice one that starves.
const (
	evenly    = 0.9995
	wellEvery = 0.9
)

// fairness has a line for each way in which keys are not served alike, with the rows that serve them so.
func fairness(r *result.Run) []string {
	var texts []string
	rows := map[string][]string{}
	for i := range r.Results {
		row := &r.Results[i]
		if row.Fairness == nil || row.Algorithm == result.FloorLabel || row.Fairness.JainIndex >= evenly &&
			row.Fairness.WorstServed >= wellEvery {
			continue
		}
		text := served(row.Fairness)
		if rows[text] == nil {
			texts = append(texts, text)
		}
		rows[text] = append(rows[text], row.Algorithm)
	}
	var lines []string
	for _, text := range texts {
		lines = append(lines, "fairness of "+strings.Join(rows[text], ", ")+": "+text)
	}
	return lines
}

// served is a key's share of what the exact reference admits it, from the worst to the best, in words.
func served(f *measure.Fairness) string {
	return fmt.Sprintf("Jain's index %.3f; a key gets from %s (%s) to %s of what is exact; %s short of it",
		f.JainIndex, Times(f.WorstServed), f.WorstKey, Times(f.BestServed),
		message.Count(f.KeysShort, "key"))
}

// manyKeys is from how many keys on a run is one of many sources, whose decisions are worth an average.
const manyKeys = 1000

// published is what is known of the sliding counter elsewhere.
// Source: https://blog.cloudflare.com/counting-things-a-lot-of-different-things/
const published = "published for a sliding window counter, on other traffic (400 million requests of 270,000 " +
	"sources): 0.003 % wrong, rate off by 6 %"

// rateDifferences says, of the rows that count in a run of many sources, how many of their decisions are wrong and how
// far off the rate is that they believe in; beside the counter for which the same is published elsewhere.
func rateDifferences(r *result.Run) []string {
	var rows []string
	counter := false
	for i := range r.Results {
		row := &r.Results[i]
		if row.RateDifference == nil || row.Offered == 0 || r.Keys < manyKeys {
			continue
		}
		wrong := float64(row.Excess+row.Shortfall) / float64(row.Offered)
		rows = append(rows, fmt.Sprintf("%s %s and %s", row.Algorithm, Percent(wrong),
			Percent(*row.RateDifference)))
		counter = counter || strings.HasPrefix(row.Algorithm, "sliding-window-counter")
	}
	if rows == nil {
		return nil
	}
	lines := []string{"excess and shortfall, of the offered, and by how much the believed rate is off: " +
		strings.Join(rows, ", ")}
	if counter {
		lines = append(lines, published)
	}
	return lines
}
