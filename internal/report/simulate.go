package report

import (
	"io"

	"ratelab/internal/measure"
	"ratelab/internal/result"
)

// WriteNext writes a run as the table of a document does, behind others unless it is the first.
func WriteNext(w io.Writer, r *result.Run, first bool, t Terminal) error {
	if !first {
		if _, err := io.WriteString(w, "\n"); err != nil {
			return err
		}
	}
	return Sheet{RunPart(r)}.WriteTerminal(w, t)
}

// sheetOf is for each run its question and circumstances, a line per algorithm, the exact reference below them, and
// what was expected and not met.
func sheetOf(d *result.Document) (s Sheet) {
	for i := range d.Runs {
		s = append(s, RunPart(&d.Runs[i]))
	}
	return append(s, examined(d)...)
}

// RunPart is what people read of a run.
func RunPart(r *result.Run) Part {
	p := Part{Title: r.Scenario, Tables: Tables(r, measure.Table)}
	if r.Question != "" {
		p.Lead = append(p.Lead, Line{Text: r.Question})
	}
	p.Lead = append(p.Lead, Line{Text: circumstances(r), Style: Faint})
	if r.Partial {
		p.Lead = append(p.Lead, Line{Text: partialWarning, Style: Alarm})
	}
	p.Notes = Remarks(r)
	return p
}

// DocumentFormats are those of simulate's document.
var DocumentFormats = Formats{Sheet: sheetOf, CSV: writeRows, Bench: writeLines}
