package page

import (
	"fmt"
	"slices"
	"strings"

	"ratelab/internal/limit"
	"ratelab/internal/report"
	"ratelab/internal/sheet"
)

// newOverview answers at one glance: a line per scenario, a column per algorithm.
func newOverview(doc *report.Document, ids []string) sheet.Sheet {
	names := doc.Everywhere()
	matrix := sheet.Table{Caption: "Overview", Matrix: true, Columns: []sheet.Column{{Name: "scenario", Words: true}}}
	matrix.Columns = append(matrix.Columns, sheet.Numbers(names...)...)
	for i := range doc.Runs {
		r := &doc.Runs[i]
		line := []sheet.Cell{{Text: r.Scenario, Link: "#" + ids[i], Help: r.Question}}
		for _, n := range names {
			line = append(line, overviewCell(r, r.Find(n)))
		}
		matrix.Rows = append(matrix.Rows, sheet.TableRow{Cells: line})
	}
	part := sheet.Part{Title: "Which one?", Level: 2}
	if len(doc.Runs) > 1 {
		if text := answer(doc, alike(doc), names); text != "" {
			part.Lead = append(part.Lead, sheet.Line{Text: text, Style: sheet.Strong})
		}
	}
	part.Lead = append(part.Lead, sheet.Line{Style: sheet.Faint,
		Text: "How many times what the contract allows got through, or after a minus how much of what an exact " +
			"limiter " +
			"lets through was lost, whichever is the larger share; ok where the contract held and no more than " +
			sheet.Percent(report.Tolerated) + " was lost."})
	part.Tables = []sheet.Table{matrix}
	return sheet.Sheet{part}
}

// overviewCell is an algorithm in a scenario.
func overviewCell(r *report.Run, row *report.Row) sheet.Cell {
	if row == nil {
		return sheet.Cell{Text: "–"}
	}
	text, level := r.Glance(row)
	return sheet.Cell{Text: text, Shade: level}
}

// alike is what of doc compares the algorithms themselves: all rows saw the same requests and were held to the same
// contract, that of most runs; every clock was right, and the server was always there.
func alike(doc *report.Document) *report.Document {
	contract := usual(doc)
	other := func(row report.Row) bool { return row.ClockEffect != nil || row.Race != nil || row.Unavailable > 0 }
	return &report.Document{Runs: slices.DeleteFunc(slices.Clone(doc.Runs), func(r report.Run) bool {
		return len(r.ClientGroups) > 0 || r.Limit.Contract != contract || slices.ContainsFunc(r.Results, other)
	})}
}

// usual is the contract of most runs.
func usual(doc *report.Document) limit.Contract {
	byBucket := 0
	for i := range doc.Runs {
		if doc.Runs[i].Limit.Contract == limit.ByBucket {
			byBucket++
		}
	}
	if 2*byBucket > len(doc.Runs) {
		return limit.ByBucket
	}
	return limit.ByWindow
}

// answer says, of doc's scenarios that compare like with like, who is exact, who else keeps the contract in all, and at
// what price.
func answer(all, doc *report.Document, rows []string) string {
	if len(doc.Runs) == 0 {
		return ""
	}
	scenarios := count(int64(len(doc.Runs)), "scenario")
	if len(doc.Runs) < len(all.Runs) {
		scenarios += fmt.Sprintf(" in which all algorithms meet the same requests under the %s's contract, and "+
			"neither a clock nor the server fails,", usual(all))
	}
	var right, keep []string
	price := map[string]float64{}
	for _, n := range rows {
		kept := n != report.FloorLabel
		for i := range doc.Runs {
			if row := doc.Runs[i].Find(n); row != nil {
				kept = kept && row.ExcessCost == 0
				price[n] = max(price[n], share(row.ShortfallCost, row.ExactCost))
			}
		}
		switch {
		case !kept:
		case price[n] == 0:
			right = append(right, shown(n))
		default:
			keep = append(keep, fmt.Sprintf("%s, which lets through up to %s less", shown(n), sheet.Percent(price[n])))
		}
	}
	var sentences []string
	if right != nil {
		sentences = append(sentences, fmt.Sprintf("In %s %s %s the contract always, and %s through all that an exact "+
			"limiter would.", scenarios, enumerate(right), verb(len(right), "keeps", "keep"), verb(len(right), "lets",
			"let")))
	}
	switch {
	case keep == nil && right == nil:
		return fmt.Sprintf("In %s no algorithm keeps the contract always.", scenarios)
	case keep == nil:
		sentences = append(sentences, "Nobody else always keeps it.")
	case right == nil:
		sentences = append(sentences, fmt.Sprintf("In %s the contract is always kept by %s.", scenarios,
			strings.Join(keep, "; ")))
	default:
		sentences = append(sentences, fmt.Sprintf("Who else keeps it always: %s.", strings.Join(keep, "; ")))
	}
	return strings.Join(sentences, " ")
}
