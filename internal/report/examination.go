package report

import (
	"fmt"
	"io"

	"ratelab/internal/message"
	"ratelab/internal/sheet"
)

// WriteExaminations writes what was found of users' scripts, below what is written already; nothing where there is
// none.
func WriteExaminations(w io.Writer, d *Document, t sheet.Terminal) error {
	if len(d.Examinations) == 0 {
		return nil
	}
	if _, err := io.WriteString(w, "\n"); err != nil {
		return err
	}
	return d.examined().WriteTerminal(w, t)
}

// examined has a part for each script.
func (d *Document) examined() (s sheet.Sheet) {
	for i := range d.Examinations {
		e := &d.Examinations[i]
		s = append(s, sheet.Part{Title: fmt.Sprintf("%s, examined by standard traffic at %v", e.Algorithm, e.Limit),
			Notes: e.lines()})
	}
	return s
}

// lines are the findings, faults first.
func (e *Examination) lines() []sheet.Line {
	var lines []sheet.Line
	for _, fault := range []bool{true, false} {
		for _, f := range e.Findings {
			if f.Fault != fault {
				continue
			}
			line := sheet.Line{Text: "it " + message.Shown(f.Text), Item: true}
			if fault {
				line.Style = sheet.Alarm
			}
			lines = append(lines, line)
		}
	}
	if lines == nil {
		lines = sheet.Items("nothing found: it admits steady traffic and the whole limit at once, keeps clients " +
			"apart, sees " +
			"what happens within a second, and leaves no key for good")
	}
	return lines
}
