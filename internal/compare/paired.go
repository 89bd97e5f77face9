package compare

import (
	"fmt"
	"slices"

	"ratelab/internal/benchresult"
	"ratelab/internal/result"
)

// Paired compares the two sides of one run. With a server for each side the timings are judged by the raw ratio, which
// includes what the servers themselves differ by; the ratio to the control, shown beside it, does not.
//
// A run that is not valid, or was interrupted, is inconclusive in its timings; decisions and work are counted in
// virtual time and stand.
func Paired(p *benchresult.Paired) *Report {
	r := &Report{
		SchemaVersion: result.Comparison.Version, Kind: result.Comparison.Kind, Way: wayPaired, paired: p,
		Base:  Party{p.Base.Name, p.Tool, p.Started, p.Base.Server.String()},
		Head:  Party{p.Head.Name, p.Tool, p.Started, p.Head.Server.String()},
		Notes: append([]string{}, p.Notes...),
	}
	if twoServers(p) {
		r.Notes = append(r.Notes, "the sides ran on a server each: the ratios judged are raw; those to the control "+
			"leave out what the servers differ by")
	}
	r.Gates = r.countedGates(p)
	for _, m := range metrics() {
		r.Gates = append(r.Gates, pairedGate(p, m))
	}
	r.conclude()
	return r
}

// countedGates are those that no quiet machine is needed for.
func (r *Report) countedGates(p *benchresult.Paired) []Gate {
	decisions, work := newDecisions(), newWork()
	for i := range p.Rows {
		row := &p.Rows[i]
		r.exactOf(decisions, row)
		work.compare(row.Name, "", &row.Base.Work, &row.Head.Work)
		if row.Pinned != nil {
			r.differsFromPinned(row)
			work.compare(row.Name, againstPinned, &row.Pinned.Work, &row.Head.Work)
		}
	}
	gates := []Gate{decisions.gate(), work.gate()}
	if p.Counted != nil {
		gates = append(gates, r.instructions(p))
	}
	return gates
}

// CountedFailed reports whether a gate that no quiet machine is needed for is a regression already: then no time
// changes the verdict.
func CountedFailed(p *benchresult.Paired) bool {
	return slices.ContainsFunc((&Report{}).countedGates(p), func(g Gate) bool { return g.Outcome == Regression })
}

// differsFromPinned notes where decisions are not those of the pinned release: that is news, and no fault.
func (r *Report) differsFromPinned(row *benchresult.PairedRow) {
	pinned := newDecisions()
	(&Report{}).exactOf(pinned, &benchresult.PairedRow{Name: row.Name, Base: *row.Pinned, Head: row.Head})
	for _, found := range pinned.gateSoFar.Rows {
		if found.Outcome != Same {
			r.Notes = append(r.Notes, fmt.Sprintf("not the pinned release's decisions: %s: %s", found.label(),
				found.Statement))
		}
	}
}

// twoServers reports whether each side has a server, and a control on it.
func twoServers(p *benchresult.Paired) bool {
	return slices.ContainsFunc(p.Rows,
		func(r benchresult.PairedRow) bool { return len(r.Pairs) > 0 && len(r.Pairs[0].Controls) == 2 })
}

// exactOf compares the decisions on the scenarios that both sides decided.
func (r *Report) exactOf(decisions *counted, row *benchresult.PairedRow) {
	head := map[string]*benchresult.ExactRun{}
	for i := range row.Head.Exact {
		head[row.Head.Exact[i].Scenario] = &row.Head.Exact[i]
	}
	for i := range row.Base.Exact {
		base := &row.Base.Exact[i]
		other := head[base.Scenario]
		delete(head, base.Scenario)
		if other == nil || base.ScenarioSHA256 != other.ScenarioSHA256 {
			r.Notes = append(r.Notes, fmt.Sprintf("%s, %s: the sides did not decide the same scenario", row.Name,
				base.Scenario))
			continue
		}
		decisions.compareExact(row.Name, base.Scenario, &base.Result, &other.Result)
	}
	for i := range row.Head.Exact {
		if head[row.Head.Exact[i].Scenario] != nil {
			r.Notes = append(r.Notes, fmt.Sprintf("%s, %s: the sides did not decide the same scenario", row.Name,
				row.Head.Exact[i].Scenario))
		}
	}
}

// pairedGate judges one metric of every row.
func pairedGate(p *benchresult.Paired, m *metric) Gate {
	if p.Untimed != "" {
		g := gateOf(m, nil)
		g.Outcome, g.Reasons = Noted, []string{p.Untimed}
		return g
	}
	var trials []*trial
	for i := range p.Rows {
		t := pairedTrial(&p.Rows[i], p.Rows[i].Pairs, m, len(p.Rows))
		if t.row.Outcome != Noted {
			t.obstruct(headerObstacle(&p.Header))
		}
		if m.gate == GateClientP50 && t.row.Outcome == Regression && !serverSlower(&p.Rows[i], len(p.Rows)) {
			t.confirm(&p.Rows[i], m, len(p.Rows))
		}
		trials = append(trials, t)
	}
	return gateOf(m, trials)
}

// headerObstacle is why no timing of a document can be judged.
func headerObstacle(h *benchresult.Header) (reason, remedy string) {
	switch {
	case !h.Validity.Valid && len(h.Validity.Reasons) > 0:
		first, remedy := h.Validity.Reasons[0], "measure again when the generator has the machine to itself"
		if benchresult.Culprit(h.Validity.Reasons) == benchresult.TheServer {
			remedy = "measure again when nothing stops the server"
		}
		return fmt.Sprintf("the run is not valid: %s: %s", first.Where, first.Statement), remedy
	case !h.Validity.Valid:
		return "the run is not valid", "measure again when the generator has the machine to itself"
	case h.Partial:
		return "the run was interrupted", "let the run end"
	}
	return "", ""
}

// pairedTrial is one metric of one of so many rows, judged by itself.
func pairedTrial(row *benchresult.PairedRow, pairs []benchresult.Pair, m *metric, rows int) *trial {
	b := collect(pairs, m)
	timing := b.timing(rows)
	t := &trial{row: Judgement{Algorithm: row.Name, Measure: m.name, Timing: timing}}
	if len(b.logs) > 0 {
		t.row.Base, t.row.Head = number(benchresult.Median(b.base)), number(benchresult.Median(b.head))
	}
	switch {
	case m.gate == GateClientP99:
		t.leaveOut("shown and not judged")
	case b.measured > 0 && len(b.logs) == 0:
		t.leaveOut("not measured: a server that others use does not tell whose work it was")
	default:
		t.judge()
		t.obstruct(b.obstacle(timing.Control))
	}
	return t
}

// confirm looks at the second run of a client that was slower in the first, where the server was not. Only both
// together are a regression.
func (t *trial) confirm(row *benchresult.PairedRow, m *metric, rows int) {
	if len(row.Confirm) == 0 {
		t.obstruct("slower, and there is no second run to confirm it", "compare once more")
		return
	}
	again := pairedTrial(row, row.Confirm, m, rows)
	t.row.Timing.Confirm = again.row.Timing
	switch again.row.Outcome {
	case Regression:
	case Inconclusive, Noted:
		t.obstruct("second run: "+again.reason, again.remedy)
		t.pairs = again.pairs
	default:
		t.row.Outcome = Same
	}
}
