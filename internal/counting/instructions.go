package counting

import (
	"fmt"
	"math"
	"strings"

	"ratelab/internal/redis"
	"ratelab/internal/result"
)

// judgeInstructions judges head, the second subject, by what was counted of both, path by path, and notes the paths
// that one side alone has.
func judgeInstructions(name string, counted *Counted) (g result.Gate, notes []string) {
	g = result.Gate{Name: "instructions", Outcome: result.Noted}
	if counted == nil {
		g.Reason = "not counted, since --without-instructions was given"
		return g, nil
	}
	slack := CountSlack
	if counted.Kind == redis.KindContainer {
		slack = ContainerSlack
	}
	g.Rule = fmt.Sprintf("on each path at most %g %% more instructions, and no more commands", 100*slack)
	sides := [2]string{"base", "head"}
	var failed []string
	for _, p := range counted.Paths {
		for i, f := range p.Of {
			switch {
			case f.Uncounted:
				failed = append(failed, fmt.Sprintf("%s of %s was not counted: %s", p.Name, sides[i], f.Missing))
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
	case len(failed) > 0:
		g.Outcome = g.Outcome.Worse(result.Inconclusive)
		g.Reason = strings.Join(failed, "; ") + "; --states leaves a path out"
	case len(g.Rows) == 0:
		g.Outcome, g.Reason = result.Inconclusive, "there is no path that both sides have"
	}
	return g, notes
}

// addPath judges a path's instructions, and its commands where they differ.
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

// closely is a ratio with a digit more where it is near to 1: 1.22x, but 1.013x.
func closely(ratio float64) string {
	if math.Abs(ratio-1) < 0.1 {
		return fmt.Sprintf("%.3fx", ratio)
	}
	return fmt.Sprintf("%.2fx", ratio)
}
