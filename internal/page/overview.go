package page

import (
	"fmt"
	"strings"

	"ratelab/internal/report"
	"ratelab/internal/result"
)

// The marks beside the name of a scenario, which a note below the matrix explains.
const (
	leftOutMark  = "†"
	measuredMark = "‡"
)

// newOverview answers at one glance: a line per scenario, a column per limiter.
func newOverview(in Input, ids []string) report.Sheet {
	doc := in.Document
	part := report.Part{Title: "At a glance", Level: 2}
	if len(doc.Runs) > 1 {
		part.Title = "Which limiter keeps its limit?"
		part.Lead = append(part.Lead, report.Line{Text: report.Guaranteeing(doc), Style: report.Strong})
		part.Notes = append(part.Notes, leftOut(doc)...)
	}
	part.Lead = append(part.Lead, report.Line{Style: report.Faint, Text: report.GlanceKey +
		". Orange: above the limit, in three steps from 1.1, 1.5 and 2 times; blue: lost, from 5 %, 15 % and 30 %."})
	if settings := report.ReducedWords(doc); settings != "" {
		part.Notes = append(part.Notes, report.Line{Style: report.Faint, Text: settings})
	}
	part.Notes = append(part.Notes, alsoMeasured(in)...)
	if len(doc.Runs) > 1 {
		part.Tables = append(part.Tables, narrowOf(doc)...)
	}
	part.Tables = append(part.Tables, matrixOf(in, ids))
	return report.Sheet{part}
}

// narrowOf is what a phone shows in one view: the worst of each limiter. There is none where clients react in every
// scenario.
func narrowOf(doc *result.Document) []report.Table {
	t := report.Worst(doc)
	if len(t.Rows) == 0 {
		return nil
	}
	t.Caption, t.Narrow = "The worst of each, of the scenarios in which all meet the same requests", true
	return []report.Table{t}
}

// matrixOf leads from each scenario to its part of the page.
func matrixOf(in Input, ids []string) report.Table {
	matrix := report.Matrix(in.Document)
	matrix.Caption, matrix.Columns[0].Name = "Overview", "scenario"
	for i := range in.Document.Runs {
		r, first := &in.Document.Runs[i], &matrix.Rows[1+i].Cells[0]
		first.Text += marksOf(in, r)
		first.Link, first.Help = "#"+ids[i], r.Question
	}
	for _, row := range matrix.Rows {
		for i := range row.Cells[1:] { // a delay is small below the figure
			row.Cells[1+i].Text = strings.Replace(row.Cells[1+i].Text, ", ", "\n", 1)
		}
	}
	return matrix
}

// marksOf are those beside a scenario's name, with a blank before them that does not break.
func marksOf(in Input, r *result.Run) string {
	marks := ""
	if len(in.Document.Runs) > 1 && in.Document.LeftOut(r) != "" {
		marks += leftOutMark
	}
	if playOf(in.Bench, r) != nil {
		marks += measuredMark
	}
	if marks == "" {
		return ""
	}
	return "\u00a0" + marks
}

// leftOut says which scenarios do not compare the limiters themselves, and why, the reasons in the order in which they
// are met.
func leftOut(doc *result.Document) []report.Line {
	var reasons []string
	names := map[string][]string{}
	for i := range doc.Runs {
		r := &doc.Runs[i]
		why := doc.LeftOut(r)
		if why == "" {
			continue
		}
		if names[why] == nil {
			reasons = append(reasons, why)
		}
		names[why] = append(names[why], r.Scenario)
	}
	if reasons == nil {
		return nil
	}
	for i, why := range reasons {
		reasons[i] = why + " (" + strings.Join(names[why], ", ") + ")"
	}
	return []report.Line{{Style: report.Faint, Text: leftOutMark + " No comparison of the limiters themselves: " +
		strings.Join(reasons, "; ") + "."}}
}

// alsoMeasured says what stands on the page besides virtual time.
func alsoMeasured(in Input) []report.Line {
	for i := range in.Document.Runs {
		if playOf(in.Bench, &in.Document.Runs[i]) != nil {
			return []report.Line{{Style: report.Faint, Text: measuredMark + " Also measured on " +
				in.Bench.Server.String() + ", by the wall clock: response times, and how many decisions were others. " +
				"They stand in a part of their own. All else on this page is decided in virtual time, and exact."}}
		}
	}
	return nil
}

// What page.css gives the matrix, in rem: the names of its rows, and each column. The rest of the page's width, in em
// of a media query, which are those rem: the margins and a scroll bar, and from besideFrom on the contents beside it.
const (
	matrixName, matrixCell   = 9.6, 3.2
	matrixMargins            = 3.0
	besideFrom, besideMatrix = 68.75, 22.0
)

// matrixCSS says how many columns the matrix has, and from which width of the window on it is not cut: there its box
// does not scroll. What it takes is known without a script, since all its columns have the same width.
func matrixCSS(columns int) string {
	needs := matrixName + matrixCell*float64(columns)
	free := ".wide{overflow:visible;max-height:none}.wide::before,.wide::after{content:none}"
	css := fmt.Sprintf(".matrix{--columns:%d}\n@media (min-width:%.2fem) and (max-width:%.2fem){%s}\n", columns,
		needs+matrixMargins, besideFrom-0.01, free)
	return css + fmt.Sprintf("@media (min-width:%.2fem){%s}\n", max(besideFrom, needs+besideMatrix), free)
}
