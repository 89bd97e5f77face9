package counting

import (
	"fmt"
	"math"
	"strconv"

	"ratelab/internal/report"
	"ratelab/internal/result"
)

// judgeDecisions compares what both sides decided, scenario by scenario.
func judgeDecisions(name string, runs []*result.Run) result.Gate {
	g := result.Gate{Name: "decisions", Outcome: result.Noted, Rule: "exactly the same decisions in virtual time"}
	for _, r := range runs {
		g.Add(decided(name, r))
	}
	return g
}

// decided compares all decisions of a scenario.
func decided(name string, r *result.Run) result.Judgement {
	base, head := &r.Results[0], &r.Results[1]
	j := result.Judgement{Limiter: name, Where: r.Scenario, Measure: "decisions_digest", Base: base.DecisionsDigest,
		Head: head.DecisionsDigest, Outcome: result.Same, Statement: "the same decisions"}
	if len(r.Alike()) > 1 {
		j.Outcome = result.Regression
		j.Statement = fmt.Sprintf("admitted %d -> %d of %d", base.Admitted, head.Admitted, base.Offered)
	}
	return j
}

// judgeWork compares what each decision takes, but for what neither side has. Evictions and calls that nobody sent are
// the run's validity, not the script's work.
func judgeWork(name string, base, head *Side) result.Gate {
	g := result.Gate{Name: "work", Outcome: result.Noted, Rule: fmt.Sprintf(
		"no more commands or keys; at most %g %% more bytes", 100*WorkSlack)}
	add := func(measure string, was, is any, slack float64) {
		if was != nil || is != nil {
			j := result.Judgement{Limiter: name, Measure: measure, Base: was, Head: is}
			judge(&j, slack)
			g.Add(j)
		}
	}
	was, is := &base.Figures, &head.Figures
	add("commands", optional(was.Commands), optional(is.Commands), 0)
	add("keys_left", optional(was.KeysLeft), optional(is.KeysLeft), 0)
	add("keys_left_without_ttl", optional(was.KeysWithoutTTL), optional(is.KeysWithoutTTL), 0)
	add("bytes_per_key", optional(was.BytesPerKey), optional(is.BytesPerKey), WorkSlack)
	add("net_in_bytes_per_decision", base.Bytes.Sent, head.Bytes.Sent, WorkSlack)
	add("net_out_bytes_per_decision", base.Bytes.Received, head.Bytes.Received, WorkSlack)
	add("replicated_bytes_per_decision", base.Bytes.Replicated, head.Bytes.Replicated, WorkSlack)
	return g
}

// judge compares the numbers of both sides, of which more than slack is worse.
func judge(j *result.Judgement, slack float64) {
	j.Outcome, j.Statement = result.Same, "the same"
	was, counted := j.Base.(float64)
	is, both := j.Head.(float64)
	switch {
	case !counted || !both:
		j.Outcome, j.Statement = result.Noted, "counted on one side only"
		return
	case math.Abs(was-is) <= 1e-9*math.Abs(was): // but for the rounding of a division or two
		return
	case is > was*(1+slack):
		j.Outcome = result.Regression
	case was > is*(1+slack):
		j.Outcome = result.Improvement
	default:
		j.Statement = fmt.Sprintf("the same within %g %%", 100*slack)
		return
	}
	j.Statement = fmt.Sprintf("%s %s -> %s", j.Measure, shown(was), shown(is))
}

// optional is a figure of one side: a number, or nil where there is none.
func optional[T int64 | float64](n *T) any {
	if n == nil {
		return nil
	}
	return float64(*n)
}

// shown is a count in full, and what is measured with three digits at least.
func shown(v float64) string {
	if (v == math.Trunc(v) || math.Abs(v) >= 1000) && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return report.Significant(v)
}
