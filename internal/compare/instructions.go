package compare

import (
	"fmt"
	"math"
	"slices"

	"ratelab/internal/benchresult"
	"ratelab/internal/costresult"
	"ratelab/internal/result"
)

// The measures of a path.
const (
	measureInstructions = "instructions_per_decision"
	measureCommands     = "redis_commands_per_decision"
	measureReplicated   = "replicated_bytes_per_decision"
	measureAllocations  = "server_allocations_per_decision"
)

// kindContainer is a server's kind where it is in a container, as a result has it.
const kindContainer = "container"

// slackOf is by how much two counts of one path may differ.
func slackOf(d *costresult.Document) float64 {
	if d.Server.Kind == kindContainer {
		return ContainerSlack
	}
	return CountSlack
}

// instructions judges head by what was counted of it, against base and against the pinned release.
func (r *Report) instructions(p *benchresult.Paired) Gate {
	g := &counted{Gate{Name: GateInstructions, Outcome: Noted, Reasons: []string{}, Rows: []Judgement{}, Rule: ruleOf(
		CountSlack)}}
	d := p.Counted.Document
	if d == nil {
		g.gateSoFar.Reasons = []string{p.Counted.LeftOut}
		return g.gateSoFar
	}
	slack, name := slackOf(d), p.Rows[0].Name
	g.gateSoFar.Rule = ruleOf(slack)
	for _, old := range []string{benchresult.CountedBase, benchresult.CountedPinned} {
		for _, pair := range pathsOf(d, old) {
			g.comparePath(name, &pair, slack)
		}
		r.Notes = append(r.Notes, oneSided(d, name, old)...)
	}
	if d.Partial {
		g.interrupted(name, len(pathsOf(d, benchresult.CountedBase)))
	}
	return g.gate()
}

func ruleOf(slack float64) string {
	return fmt.Sprintf("on each path at most %g %% more instructions, and no more commands", 100*slack)
}

// interrupted is that paths are missing: what was counted stands, and more is not known.
func (c *counted) interrupted(name string, paths int) {
	reason := fmt.Sprintf("interrupted: of all paths %d had been counted", paths)
	c.add(Judgement{Algorithm: name, Measure: measureInstructions, Outcome: Inconclusive, Statement: reason})
	c.gateSoFar.Reasons = append(c.gateSoFar.Reasons, reason)
	c.gateSoFar.remedies = append(c.gateSoFar.remedies, "let the run end")
}

// twoPaths is one path on two sides.
type twoPaths struct {
	old        string // whose the first is
	base, head costresult.Path
}

// where names the path.
func (p *twoPaths) where() string {
	if p.old == benchresult.CountedPinned {
		return pathName(&p.head) + ", " + againstPinned
	}
	return pathName(&p.head)
}

func pathName(p *costresult.Path) string { return p.State + " at " + p.Limit.String() }

func (p *twoPaths) ratio() float64 { return p.head.Instructions / p.base.Instructions }

// pathsOf are the paths that both sides have.
func pathsOf(d *costresult.Document, old string) []twoPaths {
	var all []twoPaths
	for _, path := range pathsIn(d, old) {
		if head := pathIn(d, benchresult.CountedHead, &path); head != nil {
			all = append(all, twoPaths{old: old, base: path, head: *head})
		}
	}
	return all
}

func pathsIn(d *costresult.Document, label string) []costresult.Path {
	if row := d.Of(label); row != nil {
		return row.Paths
	}
	return nil
}

// pathIn is a row's path of the same state and limit as another, or nil.
func pathIn(d *costresult.Document, label string, as *costresult.Path) *costresult.Path {
	paths := pathsIn(d, label)
	i := slices.IndexFunc(paths, func(p costresult.Path) bool { return p.State == as.State && p.Limit == as.Limit })
	if i < 0 {
		return nil
	}
	return &paths[i]
}

// comparePath judges a path's instructions and commands, and notes what else became dearer.
func (c *counted) comparePath(name string, p *twoPaths, slack float64) {
	c.compareInstructions(name, p, slack)
	for _, f := range []struct {
		measure    string
		base, head *float64
		worse      Outcome
	}{
		{measureCommands, &p.base.Commands, &p.head.Commands, Regression},
		{measureReplicated, &p.base.ReplicatedBytes, &p.head.ReplicatedBytes, Noted},
		{measureAllocations, p.base.Allocations, p.head.Allocations, Noted},
	} {
		if f.base == nil || f.head == nil || number(*f.head).equal(number(*f.base)) {
			continue
		}
		row := Judgement{Algorithm: name, Where: p.where(), Measure: f.measure, Base: number(*f.base),
			Head: number(*f.head), Outcome: f.worse}
		if f.worse == Noted && *f.head <= *f.base*(1+WorkSlack) {
			continue
		}
		if *f.head < *f.base {
			row.Outcome = Improvement
		}
		row.Statement = fmt.Sprintf("%s %s -> %s", f.measure, row.Base, row.Head)
		c.add(row)
	}
}

func (c *counted) compareInstructions(name string, p *twoPaths, slack float64) {
	row := Judgement{Algorithm: name, Where: p.where(), Measure: measureInstructions, Outcome: Same,
		Base: number(math.Round(p.base.Instructions)), Head: number(math.Round(p.head.Instructions))}
	switch ratio := p.ratio(); {
	case ratio > 1+slack:
		row.Outcome = Regression
	case ratio < 1/(1+slack):
		row.Outcome = Improvement
	}
	row.Statement = fmt.Sprintf("%s -> %s, %s", row.Base, row.Head, closely(p.ratio()))
	c.add(row)
}

// closely is a ratio with a digit more where it is near to 1: 1.22x, but 1.013x.
func closely(ratio float64) string {
	if math.Abs(ratio-1) < 0.1 {
		return fmt.Sprintf("%.3fx", ratio)
	}
	return times(ratio)
}

// oneSided names the paths that one side alone has, with the reason why the other has not.
func oneSided(d *costresult.Document, name, old string) []string {
	if d.Of(old) == nil || d.Of(benchresult.CountedHead) == nil {
		return nil
	}
	var notes []string
	for _, sides := range [][2]string{{old, benchresult.CountedHead}, {benchresult.CountedHead, old}} {
		for _, p := range pathsIn(d, sides[0]) {
			if pathIn(d, sides[1], &p) != nil {
				continue
			}
			if why := whyMissing(d.Of(sides[1]), p.State, p.Limit); why != "" {
				notes = append(notes, fmt.Sprintf("%s, %s: counted of %s only; of %s: %s", name, pathName(&p), sides[0],
					sides[1], why))
			}
		}
	}
	return notes
}

// whyMissing is why a row lacks a path; "" where the run was interrupted before it.
func whyMissing(row *costresult.Row, state string, of result.Limit) string {
	for _, m := range row.Missing {
		if m.State == state && (m.Limit == nil || *m.Limit == of) {
			return m.Reason
		}
	}
	return ""
}
