package compare

import (
	"slices"
	"strings"
	"testing"
	"time"

	"ratelab/internal/benchresult"
	"ratelab/internal/costresult"
	"ratelab/internal/limit"
	"ratelab/internal/result"
)

// burstAt is a path by hand: a burst at 10/1s, of a hundred decisions.
func burstAt(instructions float64) costresult.Path {
	return costresult.Path{State: costresult.Burst, Decisions: 100, Instructions: instructions, Commands: 2,
		ReplicatedBytes: 44, Limit: result.LimitOf(limit.Policy{Requests: 10, Window: time.Second})}
}

// countedBy is a run in which each label has paths.
func countedBy(kind string, rows map[string][]costresult.Path) *costresult.Document {
	d := &costresult.Document{Server: result.Server{Kind: kind}}
	for _, label := range []string{costresult.Control, benchresult.CountedBase, benchresult.CountedHead,
		benchresult.CountedPinned} {
		if paths, has := rows[label]; has {
			d.Rows = append(d.Rows, costresult.Row{Algorithm: label, Paths: paths})
		}
	}
	return d
}

// ofBurst is a run that counted one path on both sides.
func ofBurst(kind string, base, head float64) *costresult.Document {
	return countedBy(kind, map[string][]costresult.Path{"base": {burstAt(base)}, "head": {burstAt(head)}})
}

// judgedBy is the verdict on a comparison whose other gates find nothing.
func judgedBy(found *costresult.Document) *Report {
	p := withCounts(still(1))
	p.Counted = &benchresult.Counted{Document: found}
	return Paired(p)
}

func TestInstructionsByHand(t *testing.T) {
	more := burstAt(1000)
	more.Commands = 3
	bytes := burstAt(1000)
	bytes.ReplicatedBytes = 84
	both := func(base, head costresult.Path) *costresult.Document {
		return countedBy("process", map[string][]costresult.Path{"base": {base}, "head": {head}})
	}
	for _, c := range []struct {
		name    string
		counted *costresult.Document
		want    Outcome // of the gate
		exit    int
		finding string // part of the first
	}{
		{"the same", ofBurst("process", 61330, 61330), Same, 0, ""},
		{"dearer", ofBurst("process", 61330, 74800), Regression, 1,
			"regression instructions: gcra, burst at 10/1s: 61330 -> 74800, 1.22x"},
		{"by what is tolerated", ofBurst("process", 100000, 101000), Same, 0, ""},
		{"by a little more", ofBurst("process", 100000, 101100), Regression, 1,
			"regression instructions: gcra, burst at 10/1s: 100000 -> 101100, 1.011x"},
		{"cheaper", ofBurst("process", 101100, 100000), Improvement, 0,
			"improvement instructions: gcra, burst at 10/1s: 101100 -> 100000, 0.989x"},
		{"in a container, by what is tolerated", ofBurst("container", 100000, 103900), Same, 0,
			""},
		{"in a container", ofBurst("container", 100000, 104100), Regression, 1,
			"regression instructions: gcra, burst at 10/1s"},
		{"one more command", both(burstAt(1000), more), Regression, 1,
			"regression instructions: gcra, burst at 10/1s: redis_commands_per_decision 2 -> 3"},
		{"more replicated", both(burstAt(1000), bytes), Same, 0, ""},
	} {
		r := judgedBy(c.counted)
		found := strings.Join(append(r.Verdict.Findings, ""), "\n")
		if g := gateNamed(r, GateInstructions); g.Outcome != c.want || r.Verdict.ExitCode != c.exit ||
			!strings.HasPrefix(found, c.finding) || c.finding == "" && found != "" {
			t.Errorf("%s: %s, exit %d, %q; want %s, %d, %q", c.name, g.Outcome, r.Verdict.ExitCode, found, c.want,
				c.exit, c.finding)
		}
	}
}

// Nine steps of 0.9 % each pass beside their base, and none of them unseen beside the pinned release.
func TestSmallStepsAddUpAgainstThePinnedRelease(t *testing.T) {
	pinned, base := 100000.0, 100000.0
	for step := 1; step <= 9; step++ {
		head := base * 1.009
		run := countedBy("process", map[string][]costresult.Path{"base": {burstAt(base)}, "head": {burstAt(head)},
			"pinned": {burstAt(pinned)}})
		g := gateNamed(judgedBy(run), GateInstructions)
		if g.Rows[0].Outcome != Same {
			t.Errorf("step %d beside its base: %+v", step, g.Rows[0])
		}
		if seen := g.Rows[1].Outcome == Regression; seen != (step > 1) ||
			g.Rows[1].Where != "burst at 10/1s, against pinned" {
			t.Errorf("step %d beside the pinned release: %+v", step, g.Rows[1])
		}
		base = head
	}
}

// Other decisions and more work than the pinned release's: the one is a note, the other a regression.
func TestWorkAgainstThePinnedRelease(t *testing.T) {
	p := withCounts(still(1))
	pinned := p.Rows[0].Base
	pinned.Exact = slices.Clone(pinned.Exact)
	pinned.Exact[0].Admitted++
	p.Rows[0].Pinned = &pinned
	r := Paired(p)
	if r.Verdict.Outcome != OK || !slices.ContainsFunc(r.Notes, func(n string) bool {
		return strings.HasPrefix(n, "not the pinned release's decisions: gcra, ten-times-over: admitted")
	}) {
		t.Errorf("%+v with the notes %q", r.Verdict, r.Notes)
	}
	p.Rows[0].Pinned.Work.RedisCallsPerDecision = float(1)
	if r := Paired(p); r.Verdict.Outcome != Regression || !strings.HasPrefix(r.Verdict.Findings[0],
		"regression work: gcra, against pinned: redis_calls_per_decision") {
		t.Errorf("%+v", r.Verdict)
	}
}

// A path that one side alone has is named, with the other's reason.
func TestPathsOfOneSideAreNamed(t *testing.T) {
	run := ofBurst("process", 1000, 1000)
	full := burstAt(2000)
	full.State = costresult.FullLog
	run.Rows[0].Paths = append(run.Rows[0].Paths, full)
	run.Rows[1].Missing = []costresult.Missing{{State: costresult.FullLog, Reason: "it keeps no log"}}
	const want = "gcra, full log at 10/1s: counted of base only; of head: it keeps no log"
	if r := judgedBy(run); !slices.Contains(r.Notes, want) || r.Verdict.Outcome != OK {
		t.Errorf("%+v with the notes %q", r.Verdict, r.Notes)
	}
}

// Where nothing was counted the gate says why, and the times decide; an interrupted count is no verdict. What was
// counted alone is one, without times.
func TestWithoutCountsOrTimes(t *testing.T) {
	p := withCounts(still(1))
	p.Counted = &benchresult.Counted{LeftOut: "no valgrind; install it"}
	if r := Paired(p); r.Verdict.Outcome != OK || !strings.Contains(strings.Join(strings.Fields(written(t, r, "table")),
		" "), "not judged instructions: no valgrind; install it") {
		t.Errorf("%+v", r.Verdict)
	}
	run := ofBurst("process", 1000, 1000)
	p.Counted = &benchresult.Counted{Document: run}
	p.Untimed, p.Rows[0].Pairs, p.Rows[0].Confirm = "only counted", nil, nil
	if r := Paired(p); r.Verdict.Outcome != OK || gateNamed(r, GateServerCost).Outcome != Noted || CountedFailed(p) {
		t.Errorf("counted alone: %+v", r.Verdict)
	}
	run.Partial = true
	if r := Paired(p); r.Verdict.Outcome != Inconclusive {
		t.Errorf("interrupted: %+v", r.Verdict)
	}
	p.Counted.Document = ofBurst("process", 1000, 1100)
	if !CountedFailed(p) {
		t.Error("a tenth more is no regression")
	}
}
