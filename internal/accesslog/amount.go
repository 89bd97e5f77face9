package accesslog

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"strconv"
	"strings"

	"ratelab/internal/message"
)

// amount returns a number of the current line.
type amount func() (float64, error)

// amountOf returns the amount of a column, of a sum a+b, or of an expression in braces, such as {0.5 + 0.03 * tokens}.
// In an expression, a column whose name is no word is in quotes.
func (r *fields) amountOf(field, text string) (amount, error) {
	if !isExpression(text) {
		columns, err := r.columns(field, text)
		return func() (sum float64, err error) {
			for _, c := range columns {
				n, err := numberIn(c)
				if err != nil {
					return 0, err
				}
				sum += n
			}
			return sum, nil
		}, err
	}
	tree, err := parser.ParseExpr(text[1 : len(text)-1])
	if err != nil {
		return nil, &FieldError{field, fmt.Sprintf("%s is no expression; want numbers and columns with + - * / and "+
			"parentheses, such as {0.5 + 0.03 * tokens}", message.Quote(text))}
	}
	return r.term(field, tree)
}

// isExpression reports whether text is an expression in braces.
func isExpression(text string) bool {
	return strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}")
}

// numberIn reads a number from a column.
func numberIn(c column) (float64, error) {
	text, err := c()
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseFloat(string(bytes.TrimSpace(text)), 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return 0, fmt.Errorf("%s is not a number", message.Quote(text))
	}
	return n, nil
}

// term compiles a part of an expression.
func (r *fields) term(field string, e ast.Expr) (amount, error) {
	named := func(name string) (amount, error) {
		columns, err := r.columns(field, name)
		if err != nil {
			return nil, err
		}
		return func() (float64, error) { return numberIn(columns[0]) }, nil
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return r.term(field, e.X)
	case *ast.Ident:
		return named(e.Name)
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			name, _ := strconv.Unquote(e.Value) // the parser has checked the quotes
			return named(name)
		}
		n, err := strconv.ParseFloat(e.Value, 64)
		if err == nil && e.Kind != token.CHAR {
			return func() (float64, error) { return n, nil }, nil
		}
	case *ast.BinaryExpr:
		operate := map[token.Token]func(a, b float64) float64{
			token.ADD: func(a, b float64) float64 { return a + b },
			token.SUB: func(a, b float64) float64 { return a - b },
			token.MUL: func(a, b float64) float64 { return a * b },
			token.QUO: func(a, b float64) float64 { return a / b },
		}[e.Op]
		if operate == nil {
			break
		}
		left, err := r.term(field, e.X)
		if err != nil {
			return nil, err
		}
		right, err := r.term(field, e.Y)
		if err != nil {
			return nil, err
		}
		return func() (float64, error) {
			a, err := left()
			if err != nil {
				return 0, err
			}
			b, err := right()
			return operate(a, b), err
		}, nil
	}
	return nil, &FieldError{field, "an expression has only numbers, columns, + - * / and parentheses"}
}
