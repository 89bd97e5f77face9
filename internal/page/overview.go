package page

import (
	"fmt"
	"slices"

	"ratelab/internal/report"
	"ratelab/internal/sheet"
)

// overview is the matrix that answers at one glance: a line per scenario, a column per algorithm.
type overview struct {
	Columns []label
	Lines   []overviewLine
	Worst   []overviewCell // of all scenarios; none where there is one
	Answer  string
}

type overviewLine struct {
	ID, Scenario, Question string
	Cells                  []overviewCell
}

// overviewCell is an algorithm in a scenario: the multiple of the limit, and below it the share of false rejects.
type overviewCell struct {
	Times   string
	Rejects string // empty where there are none worth a word
	Level   int    // 0 within the limit, to 4 at twice the limit and above
	Title   string
}

func newOverview(doc *report.Document, l *labels, ids []string) overview {
	names := everywhere(doc)
	o := overview{}
	for _, n := range names {
		o.Columns = append(o.Columns, l.of(n))
	}
	for i := range doc.Runs {
		r := &doc.Runs[i]
		line := overviewLine{ID: ids[i], Scenario: shown(r.Scenario), Question: shown(r.Question)}
		for _, n := range names {
			line.Cells = append(line.Cells, overviewCellOf(find(r, n)))
		}
		o.Lines = append(o.Lines, line)
	}
	if len(doc.Runs) > 1 {
		for _, n := range names {
			o.Worst = append(o.Worst, worstOf(doc, n))
		}
		o.Answer = answer(doc, alike(doc), names)
	}
	return o
}

func find(r *report.Run, name string) *report.Row {
	for i := range r.Results {
		if r.Results[i].Algorithm == name {
			return &r.Results[i]
		}
	}
	return nil
}

func overviewCellOf(row *report.Row) overviewCell {
	if row == nil {
		return overviewCell{Times: "–", Title: "was not run"}
	}
	rejects := share(row.FalseRejects, row.Offered)
	c := overviewCell{Times: sheet.Times(row.Overshoot), Level: level(row.Overshoot), Title: shown(row.Algorithm)}
	if rejects >= 0.0005 {
		c.Rejects = "−" + sheet.Percent(rejects)
	}
	return c
}

// worstOf is the highest of an algorithm's multiples and the highest of its shares, each over all scenarios.
func worstOf(doc *report.Document, name string) overviewCell {
	var overshoot, rejects float64
	for i := range doc.Runs {
		if row := find(&doc.Runs[i], name); row != nil {
			overshoot, rejects = max(overshoot, row.Overshoot), max(rejects, share(row.FalseRejects, row.Offered))
		}
	}
	c := overviewCell{Times: sheet.Times(overshoot), Level: level(overshoot), Title: shown(name)}
	if rejects >= 0.0005 {
		c.Rejects = "−" + sheet.Percent(rejects)
	}
	return c
}

// level is the shade of a multiple: a burst's worth above the limit is not the same as a hair's breadth.
func level(overshoot float64) int {
	switch {
	case overshoot <= 1:
		return 0
	case overshoot <= 1.1:
		return 1
	case overshoot <= 1.5:
		return 2
	case overshoot < 2:
		return 3
	}
	return 4
}

// everywhere are the rows that every run has, in the order of the first run; all rows, where no row is in every run.
func everywhere(doc *report.Document) []string {
	var common, every []string
	for i := range doc.Runs {
		for j := range doc.Runs[i].Results {
			n := doc.Runs[i].Results[j].Algorithm
			if slices.Contains(every, n) {
				continue
			}
			every = append(every, n)
			if !slices.ContainsFunc(doc.Runs, func(r report.Run) bool { return find(&r, n) == nil }) {
				common = append(common, n)
			}
		}
	}
	if common == nil {
		return every
	}
	return common
}

// alike is what of doc compares the algorithms themselves: all rows saw the same requests, and every clock was right.
func alike(doc *report.Document) *report.Document {
	return &report.Document{Runs: slices.DeleteFunc(slices.Clone(doc.Runs), func(r report.Run) bool {
		return len(r.ClientGroups) > 0 ||
			slices.ContainsFunc(r.Results,
				func(row report.Row) bool { return row.ClockEffect != nil || row.Race != nil })
	})}
}

// answer says, of doc's scenarios that compare like with like, who keeps the limit in all, and of those who rejects
// least.
func answer(all, doc *report.Document, rows []string) string {
	if len(doc.Runs) == 0 {
		return ""
	}
	var keep []string
	for _, n := range rows {
		if n != floor && !slices.ContainsFunc(doc.Runs,
			func(r report.Run) bool { row := find(&r, n); return row != nil && row.Overshoot > 1 }) {
			keep = append(keep, n)
		}
	}
	scenarios := count(int64(len(doc.Runs)), "scenario")
	if len(doc.Runs) < len(all.Runs) {
		scenarios += " in which all algorithms meet the same requests and every clock is right,"
	}
	if len(keep) == 0 {
		return fmt.Sprintf("Over %s no algorithm keeps the limit in every window of each.", scenarios)
	}
	text := fmt.Sprintf("Over %s %s %s the limit in every window of each", scenarios, enumerate(allShown(keep)),
		verb(len(keep), "keeps", "keep"))
	least, rejects := leastRejecting(doc, keep)
	if len(keep) == 1 {
		return fmt.Sprintf("%s; it rejects %s of the requests of any scenario that the exact limit admits.", text,
			atMost(rejects))
	}
	return fmt.Sprintf("%s. Of these %s %s least of what the exact limit admits: %s of the requests of any scenario.",
		text, enumerate(allShown(least)), verb(len(least), "rejects", "reject"), atMost(rejects))
}

func atMost(rejects float64) string {
	if rejects == 0 {
		return "none"
	}
	return "at most " + sheet.Percent(rejects)
}

// leastRejecting are those of names whose worst share of false rejects is the smallest.
func leastRejecting(doc *report.Document, names []string) (least []string, rejects float64) {
	for _, n := range names {
		worst := 0.0
		for i := range doc.Runs {
			if row := find(&doc.Runs[i], n); row != nil {
				worst = max(worst, share(row.FalseRejects, row.Offered))
			}
		}
		if least == nil || worst < rejects {
			least, rejects = nil, worst
		}
		if worst == rejects {
			least = append(least, n)
		}
	}
	return least, rejects
}
