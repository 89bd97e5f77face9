package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one thing wrong with a file. Line and Column count from 1; the field is a path such as
// phases[0].poisson, and empty where the problem is with the file as a whole.
type Problem struct {
	File         string
	Line, Column int
	Field        string
	Message      string // what was found; what is wanted
}

// Error implements error: file:line:column: field: message.
func (p Problem) Error() string {
	if p.Field == "" {
		return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Message)
	}
	return fmt.Sprintf("%s:%d:%d: %s: %s", p.File, p.Line, p.Column, p.Field, p.Message)
}

// Errors are all problems of a file, in the order of their places.
type Errors []Problem

// Error implements error: one line each.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, p := range e {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// maxProblems bounds what one hostile file can make us print.
const maxProblems = 100

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
