package compare

import (
	"fmt"

	"ratelab/internal/benchresult"
	"ratelab/internal/measure"
	"ratelab/internal/message"
)

// counted is a gate of figures that are counted, not timed: decisions or work.
type counted struct{ gateSoFar Gate }

func newDecisions() *counted {
	return &counted{Gate{Name: GateDecisions, Outcome: Noted, Reasons: []string{}, Rows: []Judgement{},
		Rule: "exactly the same decisions in virtual time"}}
}

func newWork() *counted {
	return &counted{Gate{Name: GateWork, Outcome: Noted, Reasons: []string{}, Rows: []Judgement{},
		Rule: fmt.Sprintf("no more calls, round trips or keys; at most %g %% more bytes and allocations",
			100*WorkSlack)}}
}

func (c *counted) gate() Gate {
	if len(c.gateSoFar.Rows) == 0 {
		c.gateSoFar.Reasons = append(c.gateSoFar.Reasons, "nothing was counted on both sides")
	}
	return c.gateSoFar
}

func (c *counted) add(r Judgement) {
	c.gateSoFar.Rows = append(c.gateSoFar.Rows, r)
	c.gateSoFar.Outcome = worse(c.gateSoFar.Outcome, r.Outcome)
}

// named is a figure with its name in JSON.
type named struct {
	name  string
	value Value
	slack float64 // the relative increase that is no regression
}

// compareExact compares decisions; the row names the first measure that differs, in the order of the document.
func (c *counted) compareExact(algorithm, where string, base, head *measure.Result) {
	row := Judgement{Algorithm: algorithm, Where: where, Measure: "decisions_digest", Outcome: Same,
		Statement: "the same decisions"}
	row.Base, row.Head = Value{Text: base.DecisionsDigest}, Value{Text: head.DecisionsDigest}
	was, is, differing := decided(base), decided(head), 0
	for i := range was {
		if was[i].value.equal(is[i].value) {
			continue
		}
		if differing++; differing == 1 {
			row.Measure, row.Base, row.Head = was[i].name, was[i].value, is[i].value
		}
	}
	if differing > 0 {
		row.Outcome = Regression
		row.Statement = fmt.Sprintf("%s %s -> %s, the first of %s that differ", row.Measure, row.Base, row.Head,
			message.Count(differing, "measure"))
		if differing == 1 {
			row.Statement = fmt.Sprintf("%s %s -> %s, and no other measure differs", row.Measure, short(row.Base),
				short(row.Head))
		}
	}
	c.add(row)
}

// short is a hash's beginning.
func short(v Value) string {
	const most = 12
	if s := v.String(); len(s) > most && v.Number == nil {
		return s[:most]
	}
	return v.String()
}

// decided is everything that follows from the decisions, the digest of them all last.
func decided(r *measure.Result) []named {
	var list []named
	for _, m := range measure.DecisionMeasures.Within(measure.Written) {
		if v := m.Value(&measure.Figures{Result: *r}); v.Known {
			list = append(list, named{name: m.Name, value: number(v.Number)})
		}
	}
	return append(list, named{name: "differs_from_exact", value: number(float64(r.DiffersFromExact))},
		named{name: "decisions_digest", value: Value{Text: r.DecisionsDigest}})
}

// againstPinned is where a row's head is compared with the script of a pinned release.
const againstPinned = "against pinned"

// compare compares what each decision takes.
func (c *counted) compare(algorithm, where string, base, head *benchresult.Work) {
	was, is := workFigures(base), workFigures(head)
	for i := range was {
		c.compareFigure(algorithm, where, was[i], is[i])
	}
}

// compareFigure leaves out what neither side has.
func (c *counted) compareFigure(algorithm, where string, base, head named) {
	if base.value.Number == nil && head.value.Number == nil {
		return
	}
	row := Judgement{Algorithm: algorithm, Where: where, Measure: base.name, Base: base.value, Head: head.value}
	row.Outcome, row.Statement = Same, "the same"
	switch {
	case base.value.Number == nil || head.value.Number == nil:
		row.Outcome, row.Statement = Noted, "counted on one side only"
	case base.value.equal(head.value):
	case *head.value.Number > *base.value.Number*(1+base.slack):
		row.Outcome, row.Statement = Regression, fmt.Sprintf("%s %s -> %s", row.Measure, row.Base, row.Head)
	case *base.value.Number > *head.value.Number*(1+base.slack):
		row.Outcome, row.Statement = Improvement, fmt.Sprintf("%s %s -> %s", row.Measure, row.Base, row.Head)
	default:
		row.Statement = fmt.Sprintf("the same within %g %%", 100*base.slack)
	}
	c.add(row)
}

// workFigures are the figures of the gate. Evictions and calls that nobody sent are the run's validity, not the
// script's work.
func workFigures(w *benchresult.Work) []named {
	return []named{
		{name: "redis_calls_per_decision", value: optional(w.RedisCallsPerDecision)},
		{name: "round_trips_per_decision", value: optional(w.RoundTripsPerDecision)},
		{name: "keys_left", value: optionalCount(w.KeysLeft)},
		{name: "keys_left_without_ttl", value: optionalCount(w.KeysLeftWithoutTTL)},
		{name: "bytes_per_key", value: optional(w.BytesPerKey), slack: WorkSlack},
		{name: "net_in_bytes_per_decision", value: optional(w.NetInPerDecision), slack: WorkSlack},
		{name: "net_out_bytes_per_decision", value: optional(w.NetOutPerDecision), slack: WorkSlack},
		{name: "replicated_bytes_per_decision", value: optional(w.ReplicatedPerDecision), slack: WorkSlack},
		{name: "client_allocations_per_call", value: optional(w.AllocationsPerCall), slack: WorkSlack},
	}
}
