package page

import (
	"fmt"
	"slices"
	"strings"

	"ratelab/internal/report"
	"ratelab/internal/result"
)

// The marks beside a scenario's name. Notes below the matrix explain them.
const (
	leftOutMark  = "†"
	measuredMark = "‡"
)

// newOverview is the matrix: a row for each scenario, a column for each limiter; and what is known of users' scripts.
func newOverview(in Input, ids []string) report.Sheet {
	doc := in.Document
	part := report.Part{Title: "At a glance", Level: 2}
	if len(doc.Runs) > 1 {
		part.Title = "Which limiter keeps its limit in any window?"
		part.Lead = append(part.Lead, report.Line{Text: report.Guaranteeing(doc), Style: report.Strong})
		part.Notes = append(part.Notes, leftOut(doc)...)
	}
	part.Lead = append(part.Lead, report.Line{Style: report.Faint, Text: report.GlanceKey +
		". Orange: above the limit, in three steps from 1.1, 1.5 and 2 times; blue: lost, from 5 %, 15 % and 30 %."})
	if settings := report.ReducedWords(doc); settings != "" {
		part.Notes = append(part.Notes, report.Line{Style: report.Faint, Text: settings})
	}
	if slices.ContainsFunc(doc.Runs, func(r result.Run) bool { return playOf(in.Bench, &r) != nil }) {
		part.Notes = append(part.Notes, report.Line{Style: report.Faint, Text: measuredMark + " Also measured on " +
			in.Bench.Server.String() + ", by the wall clock: response times, and how many decisions were others. " +
			"They stand in a part of their own. All else on this page is decided in virtual time, and exact."})
	}
	if len(doc.Runs) > 1 { // the table for a phone
		worst := report.Worst(doc)
		worst.Caption = "The worst of each, of the scenarios in which all meet the same requests"
		worst.Narrow = true
		part.Tables = append(part.Tables, worst)
	}
	part.Tables = append(part.Tables, matrixOf(in, ids))
	return slices.Concat(report.Sheet{part}, examinations(doc), in.Also)
}

// examinations are what was found about users' scripts. They are lists, whose lines a page breaks anywhere.
func examinations(doc *result.Document) (s report.Sheet) {
	for i := range doc.Examinations {
		e := &doc.Examinations[i]
		part := report.Part{Lead: report.Examined(e)}
		for kind, words := range e.Without(&result.Examination{}) {
			if kind != result.NotExamined {
				part.Notes = append(part.Notes, report.Items(words)...)
			}
		}
		s = append(s, part)
	}
	return s
}

// matrixOf is the matrix with links to the scenarios.
func matrixOf(in Input, ids []string) report.Table {
	matrix := report.Matrix(in.Document)
	matrix.Caption, matrix.Columns[0].Name = "Overview", "scenario"
	for i := range in.Document.Runs {
		r, first := &in.Document.Runs[i], &matrix.Rows[1+i].Cells[0]
		first.Text += marksOf(in, r)
		first.Link, first.Help = "#"+ids[i], r.Question
	}
	for _, row := range matrix.Rows {
		for i := range row.Cells[1:] { // a delay is in small print below the figure
			row.Cells[1+i].Text = strings.Replace(row.Cells[1+i].Text, ", ", "\n", 1)
		}
	}
	return matrix
}

// marksOf are the marks beside a scenario's name, after a non-breaking blank.
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

// leftOut says which scenarios do not compare the limiters themselves, and why.
func leftOut(doc *result.Document) []report.Line {
	var reasons [][2]string
	for i := range doc.Runs {
		if why := doc.LeftOut(&doc.Runs[i]); why != "" {
			reasons = append(reasons, [2]string{why, doc.Runs[i].Scenario})
		}
	}
	if reasons == nil {
		return nil
	}
	return []report.Line{{Style: report.Faint, Text: leftOutMark + " No comparison of the limiters themselves: " +
		report.Grouped("%s (%s)", reasons) + "."}}
}

// The widths in page.css. In rem: the matrix's names, and each of its columns. In em of a media query: the margins with
// a scroll bar; and, from besideFrom on, those with the contents beside the page.
const (
	matrixName, matrixCell   = 9.6, 3.2
	matrixMargins            = 3.0
	besideFrom, besideMatrix = 68.75, 22.0
)

// matrixCSS sets the number of the matrix's columns, and from which width of the window on its box does not scroll. No
// script is needed, since all columns have the same width.
func matrixCSS(columns int) string {
	needs := matrixName + matrixCell*float64(columns)
	free := ".wide{overflow:visible;max-height:none}.wide::before,.wide::after{content:none}"
	css := fmt.Sprintf(".matrix{--columns:%d}\n@media (min-width:%.2fem) and (max-width:%.2fem){%s}\n", columns,
		needs+matrixMargins, besideFrom-0.01, free)
	return css + fmt.Sprintf("@media (min-width:%.2fem){%s}\n", max(besideFrom, needs+besideMatrix), free)
}
