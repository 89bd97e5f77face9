package counting

import (
	"fmt"

	"ratelab/internal/measure"
	"ratelab/internal/message"
	"ratelab/internal/result"
)

// judgeDecisions compares what both sides decided, scenario by scenario.
func judgeDecisions(name string, base, head []Decided) Gate {
	g := Gate{Name: GateDecisions, Outcome: Noted, Rule: "exactly the same decisions in virtual time",
		Rows: []Judgement{}}
	for i := range base {
		g.add(decided(name, &base[i], &head[i]))
	}
	return g
}

// decided names the first measure that differs, in the order of the document.
func decided(name string, base, head *Decided) Judgement {
	j := Judgement{Limiter: name, Where: base.Scenario, Measure: "decisions_digest", Outcome: Same,
		Statement: "the same decisions"}
	j.Base, j.Head = Value{Text: base.DecisionsDigest}, Value{Text: head.DecisionsDigest}
	was, is, differing := figures(&base.Result), figures(&head.Result), 0
	for i := range was {
		if was[i].value.equal(is[i].value) {
			continue
		}
		if differing++; differing == 1 {
			j.Measure, j.Base, j.Head = was[i].name, was[i].value, is[i].value
		}
	}
	if differing > 0 {
		j.Outcome = Regression
		j.Statement = fmt.Sprintf("%s %s -> %s, the first of %s that differ", j.Measure, j.Base, j.Head,
			message.Count(differing, "measure"))
	}
	if differing == 1 {
		j.Statement = fmt.Sprintf("%s %s -> %s, and no other measure differs", j.Measure, short(j.Base), short(j.Head))
	}
	return j
}

// named is a figure with its name in JSON.
type named struct {
	name  string
	value Value
	slack float64 // the relative increase that is no regression
}

// short is a hash's beginning.
func short(v Value) string {
	const most = 12
	if s := v.String(); len(s) > most && v.Number == nil {
		return s[:most]
	}
	return v.String()
}

// figures are everything that follows from the decisions, the digest of them all last.
func figures(r *measure.Result) []named {
	var list []named
	for _, m := range measure.DecisionMeasures.Within(measure.Written) {
		if v := m.Value(&measure.Figures{Result: *r}); v.Known {
			list = append(list, named{name: m.Name, value: number(v.Number)})
		}
	}
	return append(list, named{name: "differs_from_exact", value: number(float64(r.DiffersFromExact))},
		named{name: "decisions_digest", value: Value{Text: r.DecisionsDigest}})
}

// judgeWork compares what each decision takes, but for what neither side has.
func judgeWork(name string, base, head *result.Work) Gate {
	g := Gate{Name: GateWork, Outcome: Noted, Rows: []Judgement{}, Rule: fmt.Sprintf(
		"no more calls, round trips or keys; at most %g %% more bytes", 100*WorkSlack)}
	was, is := workFigures(base), workFigures(head)
	for i := range was {
		if was[i].value.Number != nil || is[i].value.Number != nil {
			g.add(Judgement{Limiter: name}.of(was[i].name, was[i].value, is[i].value, was[i].slack))
		}
	}
	return g
}

// of judges a figure of both sides, of which more than slack is worse.
func (j Judgement) of(measure string, base, head Value, slack float64) Judgement {
	j.Measure, j.Base, j.Head, j.Outcome, j.Statement = measure, base, head, Same, "the same"
	was, is := base.Number, head.Number
	switch {
	case was == nil || is == nil:
		j.Outcome, j.Statement = Noted, "counted on one side only"
		return j
	case base.equal(head):
		return j
	case *is > *was*(1+slack):
		j.Outcome = Regression
	case *was > *is*(1+slack):
		j.Outcome = Improvement
	default:
		j.Statement = fmt.Sprintf("the same within %g %%", 100*slack)
		return j
	}
	j.Statement = fmt.Sprintf("%s %s -> %s", measure, base, head)
	return j
}

// workFigures are the figures of the gate. Evictions and calls that nobody sent are the run's validity, not the
// script's work.
func workFigures(w *result.Work) []named {
	return []named{
		{name: "redis_calls_per_decision", value: optional(w.RedisCallsPerDecision)},
		{name: "round_trips_per_decision", value: optional(w.RoundTripsPerDecision)},
		{name: "keys_left", value: optionalCount(w.KeysLeft)},
		{name: "keys_left_without_ttl", value: optionalCount(w.KeysLeftWithoutTTL)},
		{name: "bytes_per_key", value: optional(w.BytesPerKey), slack: WorkSlack},
		{name: "net_in_bytes_per_decision", value: optional(w.NetInPerDecision), slack: WorkSlack},
		{name: "net_out_bytes_per_decision", value: optional(w.NetOutPerDecision), slack: WorkSlack},
		{name: "replicated_bytes_per_decision", value: optional(w.ReplicatedPerDecision), slack: WorkSlack},
	}
}
