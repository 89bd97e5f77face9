package page

import (
	"fmt"
	"slices"
	"strings"

	"ratelab/internal/curves"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// measuredMark follows the name of a scenario that was also measured. A note below the matrix explains it.
const measuredMark = "‡"

// newOverview returns the matrices, with a row for each scenario and a column for each limiter, and the findings about
// users' scripts.
func newOverview(in Input, ids []string) report.Sheet {
	doc := in.Document
	all := matricesOf(in, ids)
	if all == nil {
		return report.Sheet{{Title: "At a glance", Level: 2}}
	}
	first, last := &all[0], &all[len(all)-1]
	if len(doc.Runs) == 1 {
		first.Title, first.Tables = "At a glance", first.Tables[1:]
	} else {
		answer := report.Line{Text: report.Guaranteeing(doc), Style: report.Strong}
		first.Lead = append([]report.Line{answer}, first.Lead...)
	}
	first.Lead = append(first.Lead, report.Line{Style: report.Faint,
		Text: "Orange: above the limit, in three steps from 1.1, 1.5 and 2 times; blue: lost, from 5 %, 15 % and " +
			"30 %."})
	if slices.ContainsFunc(doc.Runs, func(r result.Run) bool { return playOf(in.Bench, &r) != nil }) {
		last.Notes = append(last.Notes, report.Line{Style: report.Faint, Text: measuredMark + " Also measured on " +
			in.Bench.Server.String() + ", by the wall clock: response times, and how many decisions differed. " +
			"These have a section of their own. All other figures on this page are from virtual time, and exact."})
	}
	return slices.Concat(all, examinations(doc), in.Also)
}

// examinations returns the findings about users' scripts. They are lists, because a page may break the lines of lists
// anywhere.
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

// counterexamples returns a chart of the traffic that shows each fault about what a script admits. It adds the labels.
func counterexamples(doc *result.Document, l *labels) (all []plot) {
	for i := range doc.Examinations {
		e := &doc.Examinations[i]
		for k := range e.Findings {
			f := &e.Findings[k]
			charts := curves.Counterexample(e.Algorithm, f)
			if charts == nil {
				continue
			}
			l.add(e.Algorithm)
			l.add(curves.RightLabel)
			p := timelinePlot(charts[1], l)
			p.Kind = "counterexample"
			p.Caption = fmt.Sprintf("%s: %s. %s. The right limiter is %s", e.Algorithm, f.Name, p.Caption,
				f.Counterexample.Rule)
			all = append(all, p)
		}
	}
	return all
}

// matricesOf returns the matrices with links to the scenarios.
func matricesOf(in Input, ids []string) []report.Part {
	all := report.Matrices(in.Document, func(run int) report.Cell {
		r := &in.Document.Runs[run]
		c := report.Cell{Text: r.Scenario, Link: "#" + ids[run], Help: r.Question}
		if playOf(in.Bench, r) != nil {
			c.Text += "\u00a0" + measuredMark
		}
		return c
	})
	for _, p := range all {
		for i := range p.Lead {
			p.Lead[i] = report.Line{Text: p.Lead[i].Text, Style: report.Faint}
		}
		for i := range p.Notes {
			p.Notes[i] = report.Line{Text: p.Notes[i].Text, Style: report.Faint}
		}
		last := len(p.Tables) - 1
		p.Tables[last].Caption = p.Title
		for _, row := range p.Tables[last].Rows {
			for i := range row.Cells[1:] { // the delay becomes small print below the figure
				row.Cells[1+i].Text = strings.Replace(row.Cells[1+i].Text, ", ", "\n", 1)
			}
		}
	}
	return all
}

// The widths in page.css. In rem: the matrix's names, and each of its columns. In em of a media query: the margins with
// a scroll bar, and the same for windows of at least besideFrom, which have the contents beside the page.
const (
	matrixName, matrixCell   = 9.6, 3.2
	matrixMargins            = 3.0
	besideFrom, besideMatrix = 68.75, 22.0
)

// matrixCSS sets the number of each matrix's columns, and the window width from which the boxes do not scroll. This
// needs no script, because all columns have the same width.
func matrixCSS(all []report.Part) (css string) {
	most := 0
	for _, p := range all {
		columns := len(p.Tables[len(p.Tables)-1].Columns)
		if rule := fmt.Sprintf(".of%d{--columns:%d}\n", columns, columns-1); !strings.Contains(css, rule) {
			css += rule
		}
		most = max(most, columns-1)
	}
	needs := matrixName + matrixCell*float64(most)
	free := ".wide{overflow:visible;max-height:none}.wide::before,.wide::after{content:none}"
	css += fmt.Sprintf("@media (min-width:%.2fem) and (max-width:%.2fem){%s}\n", needs+matrixMargins,
		besideFrom-0.01, free)
	return css + fmt.Sprintf("@media (min-width:%.2fem){%s}\n", max(besideFrom, needs+besideMatrix), free)
}
