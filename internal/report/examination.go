package report

import (
	"fmt"
	"io"
	"strings"

	"ratelab/internal/message"
	"ratelab/internal/result"
)

// WriteExaminations writes the findings about users' scripts after an empty line. It writes nothing if there are no
// scripts.
func WriteExaminations(w io.Writer, d *result.Document, t Terminal) error {
	if len(d.Examinations) == 0 {
		return nil
	}
	if _, err := io.WriteString(w, "\n"); err != nil {
		return err
	}
	return examined(d).WriteTerminal(w, t)
}

// examined returns a part for each script that was examined.
func examined(d *result.Document) Sheet {
	return each(d.Examinations, func(e result.Examination) Part {
		return Part{Lead: Examined(&e), Tables: []Table{Findings(&e)}}
	})
}

// Examined returns the result of an examination, and the limit at which it was made.
func Examined(e *result.Examination) []Line {
	name := message.Shown(e.Algorithm)
	if e.NotExamined != "" {
		return []Line{{Text: fmt.Sprintf("%s: not examined, because %s", name, e.NotExamined), Style: Strong}}
	}
	family := e.Family
	switch {
	case family != "":
	case e.Nearest != "":
		family = "matches no known rule; the nearest is " + e.Nearest
	default:
		family = "matches no known rule"
	}
	if e.Partial {
		family = "interrupted; the findings until then"
	}
	properties := -e.Faults()
	for _, f := range e.Findings {
		if !f.IsNote() {
			properties++
		}
	}
	text := fmt.Sprintf("%s: %s. %s, %d %s.", name, family, message.Count(e.Faults(), "fault"), properties,
		message.Verb(properties, "property", "properties"))
	return []Line{{Text: text, Style: Strong}, {Text: fmt.Sprintf("examined at %v", e.Limit.Policy()), Style: Faint}}
}

// Checked returns how much was tried, and which laws held. It returns "" if nothing was tried.
func Checked(e *result.Examination) string {
	if len(e.Checked) < 2 {
		return ""
	}
	return fmt.Sprintf("Checked: %s: %s.", e.Checked[0], strings.Join(e.Checked[1:], ", "))
}

// Findings returns a table with a row for each finding of an examination, and one for the file that demonstrates it.
func Findings(e *result.Examination) Table {
	t := Table{Bare: true, Columns: []Column{{Name: "kind", Words: true}, {Name: "finding", Words: true, Widest: 68,
		Break: BreakWords}}}
	for _, f := range e.Findings {
		kind := Cell{Text: "property"}
		if f.Fault {
			kind = Cell{Text: "fault", Style: Alarm}
		} else if f.IsNote() {
			kind = Cell{Text: "note"}
		}
		t.Rows = append(t.Rows, TableRow{Cells: []Cell{kind, {Text: message.Shown(f.String())}}})
		if f.File != "" {
			t.Rows = append(t.Rows, TableRow{Cells: Cells("", fmt.Sprintf("%s shows it in %s", message.Path(f.File),
				message.Count(f.Requests, "request")))})
		}
	}
	return t
}
