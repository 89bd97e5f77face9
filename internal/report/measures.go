package report

import (
	"encoding/json"
	"strconv"

	"ratelab/internal/measure"
)

// ReferenceLabel names the row of the exact sliding log in every output that has rows.
const ReferenceLabel = "exact reference"

// value is one measure of a row: its name in the JSON document, and its text. A measure that was not taken
// has no text.
type value struct {
	name string
	text string
}

// counts lists what every row and the reference have, in the order of the JSON document.
func counts(r *measure.Result) []value {
	return []value{
		{"offered", integer(r.Offered)},
		{"admitted", integer(r.Admitted)},
		{"rejected", integer(r.Rejected)},
		{"errors", integer(r.Errors)},
		{"offered_cost", integer(r.OfferedCost)},
		{"admitted_cost", integer(r.AdmittedCost)},
		{"peak_window_admitted", integer(r.PeakWindowAdmitted)},
		{"overshoot", float(r.Overshoot)},
		{"false_admits", integer(r.FalseAdmits)},
		{"false_rejects", integer(r.FalseRejects)},
		{"utilization", float(r.Utilization)},
	}
}

// extras lists the measures that depend on what decided: a script, a real server, a real clock.
func extras(r *Row) []value {
	return []value{
		{"redis_calls_per_decision", optionalFloat(r.RedisCallsPerDecision)},
		{"round_trips_per_decision", optionalFloat(r.RoundTripsPerDecision)},
		{"bytes_per_key", optionalFloat(r.BytesPerKey)},
		{"keys_left", optionalInteger(r.KeysLeft)},
		{"keys_left_without_ttl", optionalInteger(r.KeysWithoutTTL)},
		{"differs_from_virtual", optionalInteger(r.DiffersFromVirtual)},
	}
}

// findings lists what goes beyond a row's counts, each as compact JSON.
func findings(r *Row) []value {
	return []value{
		{"most_admitted", compact(r.MostAdmitted, r.MostAdmitted == nil)},
		{"bound", compact(r.Bound, r.Bound == nil)},
		{"fairness", compact(r.Fairness, r.Fairness == nil)},
		{"rate_difference", optionalFloat(r.RateDifference)},
		{"clients", compact(r.Clients, r.Clients == nil)},
		{"clock_effect", compact(r.ClockEffect, r.ClockEffect == nil)},
		{"race", compact(r.Race, r.Race == nil)},
		{"local_flag", compact(r.LocalFlag, r.LocalFlag == nil)},
	}
}

func compact(v any, absent bool) string {
	if absent {
		return ""
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // numbers and names
	}
	return string(text)
}

func integer(n int64) string { return strconv.FormatInt(n, 10) }

// float writes the shortest decimal that reads back as f, never with an exponent, which not every
// spreadsheet takes for a number.
func float(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func optionalInteger(n *int64) string {
	if n == nil {
		return ""
	}
	return integer(*n)
}

func optionalFloat(f *float64) string {
	if f == nil {
		return ""
	}
	return float(*f)
}
