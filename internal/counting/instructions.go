package counting

import (
	"fmt"
	"math"
	"strings"

	"ratelab/internal/redis"
)

// instructions judges head, the second subject, by what was counted of both, path by path, and notes the paths that one
// side alone has.
func (r *Report) instructions(name string, counted *Counted) Gate {
	g := Gate{Name: GateInstructions, Outcome: Noted, Rows: []Judgement{}}
	if counted == nil {
		g.Reason = "not counted, since --without-instructions was given"
		return g
	}
	slack := CountSlack
	if counted.Server.Kind == redis.KindContainer {
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
				r.Notes = append(r.Notes, fmt.Sprintf("%s, %s: counted of %s only; of %s: %s", name, p.Name, sides[1-i],
					sides[i], f.Missing))
			}
		}
		if base, head := &p.Of[0], &p.Of[1]; base.Missing == "" && head.Missing == "" {
			g.addPath(Judgement{Limiter: name, Where: p.State + " at " + p.Limit.String()}, base, head, slack)
		}
	}
	switch {
	case len(failed) > 0:
		g.Outcome, g.Reason = worse(g.Outcome, Inconclusive), strings.Join(failed, "; ")+"; --states leaves a path out"
	case len(g.Rows) == 0:
		g.Outcome, g.Reason = Inconclusive, "there is no path that both sides have"
	}
	return g
}

// addPath judges a path's instructions, and its commands where they differ.
func (g *Gate) addPath(j Judgement, base, head *Figures, slack float64) {
	j = j.of("instructions_per_decision", number(math.Round(base.Instructions)), number(math.Round(head.Instructions)),
		slack)
	j.Statement = fmt.Sprintf("%s -> %s, %s", j.Base, j.Head, closely(head.Instructions/base.Instructions))
	g.add(j)
	j = j.of("redis_commands_per_decision", number(base.Commands), number(head.Commands), 0)
	if j.Outcome != Same {
		g.add(j)
	}
}

// closely is a ratio with a digit more where it is near to 1: 1.22x, but 1.013x.
func closely(ratio float64) string {
	if math.Abs(ratio-1) < 0.1 {
		return fmt.Sprintf("%.3fx", ratio)
	}
	return fmt.Sprintf("%.2fx", ratio)
}
