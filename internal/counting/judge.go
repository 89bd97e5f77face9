package counting

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"ratelab/internal/measure"
	"ratelab/internal/message"
	"ratelab/internal/redis"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// Relative increases up to these are not a regression.
const (
	WorkSlack      = 0.01 // of bytes
	CountSlack     = 0.01 // of the instructions of a path
	ContainerSlack = 0.04 // of the instructions, if the server is in a container
)

// Forms are the output formats of a comparison.
var Forms = func() report.Formats {
	f := report.VerdictFormats
	f.Metrics = true
	return f
}()

// Side has the results of one script of a comparison.
type Side struct {
	Name            string // as the user gave it
	Label           string // of its row
	measure.Figures        // per decision in virtual time, over all scenarios
	Bytes           Bytes  // per call
}

// Bytes has the bytes per call: the mean of an admitted and a rejected call.
type Bytes struct {
	Sent, Received float64 // on the client's connection
	Replicated     float64 // to a replica
}

// Of compares two scripts on a server. Each run has two rows: base and head. counted has the counts of both, or is nil
// if they were not counted.
func Of(base, head *Side, runs []*result.Run, counted *Counted, server string) *result.Document {
	name := base.Label
	if head.Label != name {
		name += " -> " + head.Label
	}
	v := result.Verdict{Base: base.Name, Head: head.Name, Server: server}
	instructions, notes := judgeInstructions(name, counted)
	v.Gates = []result.Gate{result.JudgeDecisions(name, runs), judgeWork(name, base, head), instructions}
	v.Conclude()
	doc := result.New(result.OfCompare, "")
	doc.Verdicts, doc.Notes = []result.Verdict{v}, notes
	return doc
}

// judgeWork compares the work of a decision. It leaves out measures that no side has. It also leaves out evictions and
// unexpected calls, because they make the run invalid, and are not work of the script.
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

// judge compares the numbers of both sides. An increase by more than the share slack is a regression.
func judge(j *result.Judgement, slack float64) {
	j.Outcome, j.Statement = result.Same, "the same"
	was, counted := j.Base.(float64)
	is, both := j.Head.(float64)
	switch {
	case !counted || !both:
		j.Outcome, j.Statement = result.Noted, "counted on one side only"
		return
	case math.Abs(was-is) <= 1e-9*math.Abs(was): // allow for rounding errors of one or two divisions
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

// optional returns a figure of one side as a number, or nil if it is missing.
func optional[T int64 | float64](n *T) any {
	if n == nil {
		return nil
	}
	return float64(*n)
}

// shown formats an integer in full, and other numbers with at least three digits.
func shown(v float64) string {
	if (v == math.Trunc(v) || math.Abs(v) >= 1000) && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return report.Significant(v)
}

// judgeInstructions compares the counts of base and head, path by path. It returns a note for each path that only one
// of them has.
func judgeInstructions(name string, counted *Counted) (g result.Gate, notes []string) {
	g = result.Gate{Name: "instructions", Outcome: result.Noted}
	if counted == nil {
		g.Reason = "not counted, because of --without-instructions"
		return g, nil
	}
	slack := CountSlack
	if counted.Kind == redis.KindContainer {
		slack = ContainerSlack
	}
	g.Rule = fmt.Sprintf("on each path at most %g %% more instructions, and no more commands", 100*slack)
	sides := [2]string{"base", "head"}
	var reasons []string
	uncounted := map[string][]string{} // by reason
	for _, p := range counted.Paths {
		for i, f := range p.Of {
			switch {
			case f.Uncounted && i == 1 && f == p.Of[0]:
				all := uncounted[f.Missing]
				all[len(all)-1] = p.Name // both sides have this reason, so the name is without a side
			case f.Uncounted:
				if uncounted[f.Missing] == nil {
					reasons = append(reasons, f.Missing)
				}
				uncounted[f.Missing] = append(uncounted[f.Missing], p.Name+" of "+sides[i])
			case f.Missing != "" && p.Of[1-i].Missing == "":
				notes = append(notes, fmt.Sprintf("%s, %s: counted of %s only; of %s: %s", name, p.Name, sides[1-i],
					sides[i], f.Missing))
			}
		}
		if base, head := &p.Of[0], &p.Of[1]; base.Missing == "" && head.Missing == "" {
			addPath(&g, result.Judgement{Limiter: name, Where: p.State + " at " + p.Limit.String()}, base, head, slack)
		}
	}
	switch {
	case len(reasons) > 0:
		for i, reason := range reasons {
			reasons[i] = "not counted: " + message.List(uncounted[reason]) + ", since " + reason
		}
		g.Outcome = g.Outcome.Worse(result.Inconclusive)
		g.Reason = strings.Join(reasons, "; ") + "; --states leaves a path out, and --within gives more time"
	case len(g.Rows) == 0:
		g.Outcome, g.Reason = result.Inconclusive, "there is no path that both sides have"
	}
	return g, notes
}

// addPath adds the judgement of a path's instructions to a gate. If the commands differ, it also adds their judgement.
func addPath(g *result.Gate, j result.Judgement, base, head *Figures, slack float64) {
	was, is := math.Round(base.Instructions), math.Round(head.Instructions)
	j.Measure, j.Base, j.Head = "instructions_per_decision", was, is
	judge(&j, slack)
	j.Statement = fmt.Sprintf("%s -> %s, %s", shown(was), shown(is), closely(head.Instructions/base.Instructions))
	g.Add(j)
	j.Measure, j.Base, j.Head = "redis_commands_per_decision", base.Commands, head.Commands
	if judge(&j, 0); j.Outcome != result.Same {
		g.Add(j)
	}
}

// closely formats a ratio as 1.22x, with one more digit if it is near 1: 1.013x.
func closely(ratio float64) string {
	if math.Abs(ratio-1) < 0.1 {
		return fmt.Sprintf("%.3fx", ratio)
	}
	return fmt.Sprintf("%.2fx", ratio)
}
