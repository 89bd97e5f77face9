package report

import (
	"fmt"
	"io"

	"ratelab/internal/message"
	"ratelab/internal/result"
)

// WriteExaminations writes what was found of users' scripts, below what is written already; nothing where there is
// none.
func WriteExaminations(w io.Writer, d *result.Document, t Terminal) error {
	if len(d.Examinations) == 0 {
		return nil
	}
	if _, err := io.WriteString(w, "\n"); err != nil {
		return err
	}
	return examined(d).WriteTerminal(w, t)
}

// examined has a part for each script.
func examined(d *result.Document) (s Sheet) {
	for i := range d.Examinations {
		e := &d.Examinations[i]
		s = append(s, Part{Title: fmt.Sprintf("%s, examined by standard traffic at %v", e.Algorithm, e.Limit),
			Notes: findings(e)})
	}
	return s
}

// findings are those of an examination.
func findings(e *result.Examination) []Line {
	var lines []Line
	for _, f := range e.Findings {
		line := Line{Text: "it " + message.Shown(f.Text), Item: true}
		if f.Fault {
			line.Style = Alarm
		}
		lines = append(lines, line)
	}
	if lines == nil {
		lines = Items("nothing found: it admits steady traffic and the whole limit at once, keeps clients " +
			"apart, sees " +
			"what happens within a second, and leaves no key for good")
	}
	return lines
}
