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
func countedBy(kind string, rows map[string][]costresult.Path) costresult.Document {
	d := costresult.Document{Server: result.Server{Kind: kind}}
	for _, label := range []string{costresult.Control, benchresult.CountedBase, benchresult.CountedHead,
		benchresult.CountedPinned} {
		if paths, has := rows[label]; has {
			d.Rows = append(d.Rows, costresult.Row{Algorithm: label, Paths: paths})
		}
	}
	return d
}

// ofBurst is a run that counted one path on both sides.
func ofBurst(kind string, base, head float64) costresult.Document {
	return countedBy(kind, map[string][]costresult.Path{"base": {burstAt(base)}, "head": {burstAt(head)}})
}

// judgedBy is the verdict on a comparison whose other gates find nothing.
func judgedBy(runs ...costresult.Document) *Report {
	p := withCounts(still(1))
	p.Counted = &benchresult.Counted{Runs: runs}
	return Paired(p)
}

func TestInstructionsByHand(t *testing.T) {
	few := burstAt(1000)
	few.Decisions = 25
	more := burstAt(1000)
	more.Commands = 3
	bytes := burstAt(1000)
	bytes.ReplicatedBytes = 84
	both := func(base, head costresult.Path) costresult.Document {
		return countedBy("process", map[string][]costresult.Path{"base": {base}, "head": {head}})
	}
	for _, c := range []struct {
		name    string
		runs    []costresult.Document
		want    Outcome // of the gate
		exit    int
		finding string // part of the first
	}{
		{"the same", []costresult.Document{ofBurst("process", 61330, 61330)}, Same, 0, ""},
		{"dearer", []costresult.Document{ofBurst("process", 61330, 74800)}, Regression, 1,
			"regression instructions: gcra, burst at 10/1s: 61330 -> 74800, 1.22x"},
		{"by what is tolerated", []costresult.Document{ofBurst("process", 100000, 101000)}, Same, 0, ""},
		{"by a little more", []costresult.Document{ofBurst("process", 100000, 101100)}, Regression, 1,
			"regression instructions: gcra, burst at 10/1s: 100000 -> 101100, 1.011x"},
		{"cheaper", []costresult.Document{ofBurst("process", 101100, 100000)}, Improvement, 0,
			"improvement instructions: gcra, burst at 10/1s: 101100 -> 100000, 0.989x"},
		{"in a container, by what is tolerated", []costresult.Document{ofBurst("container", 100000, 103900)}, Same, 0,
			""},
		{"in a container", []costresult.Document{ofBurst("container", 100000, 104100)}, Regression, 1,
			"regression instructions: gcra, burst at 10/1s"},
		{"disturbed once", []costresult.Document{ofBurst("process", 100000, 102000), ofBurst("process", 100100, 100200),
			ofBurst("process", 99900, 100000)}, Same, 0, ""},
		{"confirmed", []costresult.Document{ofBurst("process", 100000, 102000), ofBurst("process", 100100, 102100)},
			Regression, 1, "regression instructions: gcra, burst at 10/1s: 100050 -> 102050, 1.020x"},
		{"one more command", []costresult.Document{both(burstAt(1000), more)}, Regression, 1,
			"regression instructions: gcra, burst at 10/1s: redis_commands_per_decision 2 -> 3"},
		{"more replicated", []costresult.Document{both(burstAt(1000), bytes)}, Same, 0, ""},
		{"of fewer decisions", []costresult.Document{both(few, burstAt(1020))}, Inconclusive, 4,
			"inconclusive instructions: burst at 10/1s: counted over 25 decisions of base and 100 of head"},
		{"of as many in another run", []costresult.Document{both(few, burstAt(1020)), both(burstAt(1015), few)}, Same,
			0, ""},
	} {
		r := judgedBy(c.runs...)
		found := strings.Join(append(r.Verdict.Findings, ""), "\n")
		if g := gateNamed(r, GateInstructions); g.Outcome != c.want || r.Verdict.ExitCode != c.exit ||
			!strings.HasPrefix(found, c.finding) || c.finding == "" && found != "" {
			t.Errorf("%s: %s, exit %d, %q; want %s, %d, %q", c.name, g.Outcome, r.Verdict.ExitCode, found, c.want,
				c.exit, c.finding)
		}
	}
}

// What is near to what is tolerated is counted again, and what was never counted alike.
func TestWhatIsInDoubtIsCountedAgain(t *testing.T) {
	for head, want := range map[float64]int{1000: 0, 1004: 0, 1006: 1, 994: 1, 1020: 1, 1049: 1, 1060: 0, 1200: 0} {
		if got := Doubtful([]costresult.Document{ofBurst("process", 1000, head)}); len(got) != want {
			t.Errorf("%v instructions instead of 1000: %d in doubt, want %d", head, len(got), want)
		}
	}
	few := burstAt(1000)
	few.Decisions = 25
	if len(Doubtful([]costresult.Document{countedBy("process",
		map[string][]costresult.Path{"base": {few}, "head": {burstAt(1000)}})})) != 1 {
		t.Error("counts of 25 and of 100 decisions are beyond doubt")
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
	p.Counted = &benchresult.Counted{Runs: []costresult.Document{run}}
	p.Untimed, p.Rows[0].Pairs, p.Rows[0].Confirm = "only counted", nil, nil
	if r := Paired(p); r.Verdict.Outcome != OK || gateNamed(r, GateServerCost).Outcome != Noted || CountedFailed(p) {
		t.Errorf("counted alone: %+v", r.Verdict)
	}
	p.Counted.Runs[0].Partial = true
	if r := Paired(p); r.Verdict.Outcome != Inconclusive {
		t.Errorf("interrupted: %+v", r.Verdict)
	}
	p.Counted.Runs[0] = ofBurst("process", 1000, 1100)
	if !CountedFailed(p) {
		t.Error("a tenth more is no regression")
	}
}
