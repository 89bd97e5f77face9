package strictyaml

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one mistake in a file. Line and Column count from 1. They are 0 if the problem is about the whole file.
// Field is a path such as init.keys[0]. It is empty if the problem is not about a field.
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

// Errors are all problems of a file, one line each.
type Errors []Problem

// Error implements error.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, p := range e {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// maxProblems limits the lines that a file with many mistakes can make us print.
const maxProblems = 100

// sorted returns e in the order of places, with at most maxProblems entries.
func (e Errors) sorted() Errors {
	slices.SortStableFunc(e, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if more := len(e) - maxProblems + 1; more > 1 {
		last := e[maxProblems-2]
		e = append(e[:maxProblems-1], Problem{File: last.File, Line: last.Line, Column: last.Column,
			Message: fmt.Sprintf("and %d more problems; want these fixed first", more)})
	}
	return e
}
