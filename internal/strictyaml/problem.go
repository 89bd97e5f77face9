package strictyaml

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one thing wrong with a file. Line and Column count from 1, and are 0 where the problem is with the
// file as a whole; Field is a path such as init.keys[0], and empty where no field is meant.
type Problem struct {
	File         string
	Line, Column int
	Field        string
	Message      string // what was found; what is wanted
}

// Error implements error: file:line:column: field: message.
func (p Problem) Error() string {
	place := p.File
	if p.Line > 0 {
		place = fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
	}
	if p.Field != "" {
		place += ": " + p.Field
	}
	return place + ": " + p.Message
}

// Errors are the problems of a reading, one line each.
type Errors []Problem

// Error implements error.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, p := range e {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// maxProblems is how many lines one hostile file can make us print.
const maxProblems = 100

// sorted is e in the order of places, and cut where there are too many to read.
func (e Errors) sorted() Errors {
	slices.SortStableFunc(e, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if more := len(e) - maxProblems + 1; more > 1 {
		last := e[maxProblems-2]
		e = append(e[:maxProblems-1], Problem{File: last.File, Line: last.Line, Column: last.Column,
			Message: fmt.Sprintf("and %d more problems; want these mended first", more)})
	}
	return e
}
