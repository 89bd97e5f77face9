package report

import (
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"

	"ratelab/internal/measure"
	"ratelab/internal/result"
	"ratelab/internal/result/resulttest"
)

// reacting is a run whose clients try again and whose clocks are off; one row knows nothing of retry_after, and one has
// other traffic with right clocks.
func reacting() *result.Run {
	each := 2.5
	clients := func(attempts, succeeded int64) *measure.Clients {
		return &measure.Clients{Operations: 100, Succeeded: succeeded, Attempts: attempts, GoodputPerSecond: 12.34,
			Amplification:   &each,
			TimeToSuccessUS: &measure.Percentiles{P50: 0, P99: 61_234_567, Max: 70_000_000}, Lockstep: 12,
			RetryAfter: &measure.RetryAfter{Checked: 3000, True: 2999, TooEarly: 1}}
	}
	none := &measure.Clients{Operations: 100, GaveUp: 100, Attempts: 100}
	return &result.Run{Limit: result.Limit{Requests: 5, WindowUS: 1_000_000, Burst: 5}, Results: []result.Row{
		{Algorithm: "gcra:burst=100", Figures: measure.Figures{Clients: clients(250, 100),
			Result: measure.Result{Peak: 9}, ClockEffect: &measure.ClockEffect{ExtraAdmitted: 4,
				MissingAdmitted: 2, PeakWithRightClocks: 5, LockoutUS: 1_234_567, RecoveryUS: 999}}},
		{Algorithm: "fixed-window|<b>",
			Figures: measure.Figures{Clients: none, ClockEffect: &measure.ClockEffect{PeakWithRightClocks: 7}}},
	}}
}

func TestFindingTablesForATerminal(t *testing.T) {
	got := tablesOnTerminal(Tables(reacting(), measure.Table, nil)[1:], Terminal{})
	const want = `How the clients that retry fared
limiter           tries  done  gave  tries     after  lock-  hints
                                 up  /done       p99   step  right
gcra:burst=100      250   100     0   2.50  1.02 min     12  >99 %
fixed-window|<b>    100     0   100      -         -      0      -

What wrong clocks changed, against the same clients with right ones
limiter           extra  missing     peak with  lockout  recovery
                                  right clocks
gcra:burst=100        4        2             5   1.23 s    999 us
fixed-window|<b>      0        0             7        0         0
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// tablesOnTerminal is how tables show there.
func tablesOnTerminal(tables []Table, terminal Terminal) string {
	return render(func(w *strings.Builder) error { return Sheet{{Tables: tables}}.WriteTerminal(w, terminal) })
}

// A run without clients has no such table, nor has one in which nobody ever tried again.
func TestFindingTablesOnlyWhereThereIsSomething(t *testing.T) {
	r := reacting()
	for i := range r.Results {
		r.Results[i].Clients.Attempts, r.Results[i].ClockEffect = 100, nil
	}
	if tables := Tables(r, measure.Table, nil)[1:]; len(tables) != 0 {
		t.Errorf("%d tables", len(tables))
	}
	if tables := Tables(&resulttest.ExtremeCase().Runs[0], measure.Table, nil)[1:]; len(tables) != 0 {
		t.Errorf("%d tables of a run without clients", len(tables))
	}
}

// With the longest label and the largest figures of the built-in scenarios, a terminal of 96 columns holds the tables.
func TestFindingTablesAreNarrow(t *testing.T) {
	r := reacting()
	r.Results[1].Algorithm = "sliding-window-counter"
	if width := text.LongestLineLen(tablesOnTerminal(Tables(r, measure.Table, nil)[1:], Terminal{})); width > 96 {
		t.Errorf("%d columns", width)
	}
	r.Results[1].Algorithm = strings.Repeat("long-label-", 9)
	narrow := tablesOnTerminal(Tables(r, measure.Table, nil)[1:], Terminal{Width: 86})
	if width := text.LongestLineLen(narrow); width > 86 {
		t.Errorf("%d columns of 86", width)
	}
}

// Of several groups of clients a table says who got through; of one there is nothing to compare.
func TestGroupsAreCompared(t *testing.T) {
	run := &result.Run{ClientGroups: []string{"polite", "rude"}, Results: []result.Row{
		{Algorithm: "gcra",
			Figures: measure.Figures{Clients: &measure.Clients{Groups: []measure.ClientGroup{{Operations: 10,
				Succeeded: 3}, {Operations: 9, Succeeded: 9}}}}},
	}}
	tables := Tables(run, measure.Table, nil)[1:]
	if len(tables) != 1 || !strings.HasPrefix(tables[0].Title, "Who got through") {
		t.Fatalf("%d tables", len(tables))
	}
	got := render(func(w *strings.Builder) error { return Sheet{{Tables: tables}}.WriteMarkdown(w) })
	if !strings.Contains(got, "| limiter | polite | rude |") || !strings.Contains(got, "| gcra | 3/10 | 9/9 |") {
		t.Error(got)
	}
	run.ClientGroups = run.ClientGroups[:1]
	if tables := Tables(run, measure.Table, nil)[1:]; len(tables) != 0 {
		t.Errorf("%d tables for one group", len(tables))
	}
}

// A queue's table is the widest of the small ones, and fits a terminal of 80 columns.
func TestRacesFitATerminal(t *testing.T) {
	trips := 2.5
	race := &measure.Race{RaceAdmits: 949, RaceRejects: 71, QueuePeak: 64, Trimmed: 2186, TrimmedNeedlessly: 1617,
		QueueLost: 1579, QueueKept: 175}
	r := result.Run{Limit: result.Limit{Requests: 5, WindowUS: 1_000_000}, Results: []result.Row{
		{Algorithm: "push-then-trim:trim=by_excess",
			Figures: measure.Figures{Race: race, RoundTrips: &trips}}}}
	got := tablesOnTerminal(Tables(&r, measure.Table, nil)[1:], Terminal{Width: 80})
	if width := text.LongestLineLen(got); width > 80 || strings.Contains(got, "left out") {
		t.Errorf("%d columns of 80:\n%s", width, got)
	}
}
