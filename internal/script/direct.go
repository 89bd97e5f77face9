package script

import (
	"slices"
	"strconv"

	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
)

// mostDirect limits the number of elements of a reply that Direct spreads, and of commands that it replaces by
// functions. A Lua function can use only 60 outer variables.
const mostDirect = 8

// Direct is a Facts.Body in a form that is faster to call. The functions of the script are unchanged.
type Direct struct {
	Body string
	// Width is the number of values that the body returns instead of a list. If Width is 0, the body's replies are
	// unchanged.
	Width int
	// Commands are the commands that the body calls through functions. For the first command, redis.call('GET', key)
	// has become NAME1(key).
	Commands []string
}

// Direct returns the faster form. The names of the functions begin with name. Lists are spread only if spread is true.
func (f Facts) Direct(name string, spread bool) Direct {
	d := Direct{}
	if spread {
		d.Width = f.lists
	}
	tokens, _ := lex(f.Body)
	var out []token
	var blocks []int // the tokens that opened the blocks around a token
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		switch t.kind {
		case parse.TFunction, parse.TIf, parse.TDo, parse.TRepeat:
			blocks = append(blocks, t.kind)
		case parse.TEnd, parse.TUntil:
			blocks = blocks[:len(blocks)-1]
		}
		inFunction := slices.Contains(blocks, parse.TFunction)
		if t.kind == parse.TReturn && !inFunction && d.Width > 0 {
			list := braced(tokens[i+1:])
			if list == nil { // the list is in parentheses
				return f.Direct(name, false)
			}
			tokens = slices.Replace(tokens, i+1, i+1+len(list), list[1:len(list)-1]...)
		}
		command, words := literalCall(tokens[i:])
		if command == "" || inFunction || f.ownRedis || i > 0 && slices.Contains([]int{'.', ':'}, tokens[i-1].kind) {
			out = append(out, t)
			continue
		}
		at := slices.Index(d.Commands, command)
		switch {
		case at < 0 && len(d.Commands) == mostDirect:
			out = append(out, t)
			continue
		case at < 0:
			at, d.Commands = len(d.Commands), append(d.Commands, command)
		}
		// The bracket stays on its line: Lua 5.1 reports an error if the bracket and the name before it are on
		// different lines.
		line := tokens[i+3].line
		out = append(out, token{parse.TIdent, name + strconv.Itoa(at+1), line}, token{'(', "(", line})
		i += words - 1
	}
	d.Body = spell(out)
	return d
}

// literalCall returns the command that tokens call by its literal name. words is the number of tokens before the first
// argument, or before the closing bracket if there are no arguments. command is "" if tokens do not begin with such a
// call.
func literalCall(tokens []token) (command string, words int) {
	if len(tokens) < 6 || tokens[0].kind != parse.TIdent || !isRedis(tokens[0].text) || tokens[1].kind != '.' ||
		tokens[2].text != "call" || tokens[3].kind != '(' || tokens[4].kind != parse.TString {
		return "", 0
	}
	switch tokens[5].kind {
	case ',':
		return tokens[4].text, 6
	case ')':
		return tokens[4].text, 5
	}
	return "", 0
}

// braced returns the list at the beginning of tokens, with its braces. It returns nil if tokens do not begin with a
// list. In the returned list, commas separate the elements, and no comma follows the last element.
func braced(tokens []token) []token {
	if tokens[0].kind != '{' {
		return nil
	}
	var list []token
	depth := 0
	for _, t := range tokens {
		switch t.kind {
		case '{', '(', '[':
			depth++
		case '}', ')', ']':
			depth--
		case ';':
			if depth == 1 {
				t = token{',', ",", t.line}
			}
		}
		if last := len(list) - 1; depth == 0 && list[last].kind == ',' {
			list[last] = token{} // the comma after the last element
		}
		list = append(list, t)
		if depth == 0 {
			return list
		}
	}
	return nil
}

// returned records the width of a return statement of the script itself: see Facts.lists.
func (r *reader) returned(exprs []ast.Expr) {
	width := 0
	if len(exprs) == 1 {
		if list, ok := exprs[0].(*ast.TableExpr); ok && r.plainList(list) {
			width = len(list.Fields)
		}
	}
	if r.returns++; r.returns == 1 {
		r.facts.lists = width
	} else if width != r.facts.lists {
		r.facts.lists = 0
	}
}

// plainList reports whether a table has only elements without names, and a number of elements that is certain.
func (r *reader) plainList(t *ast.TableExpr) bool {
	named := func(f *ast.Field) bool { return f.Key != nil }
	n := len(t.Fields)
	return 0 < n && n <= mostDirect && !slices.ContainsFunc(t.Fields, named) && r.single(t.Fields[n-1].Value)
}

// single reports whether an expression certainly has exactly one value.
func (r *reader) single(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Comma3Expr:
		return false
	case *ast.FuncCallExpr:
		of, ok := e.Func.(*ast.AttrGetExpr)
		if !ok {
			return false
		}
		name, ok := of.Object.(*ast.IdentExpr)
		field, constant := of.Key.(*ast.StringExpr)
		return ok && constant && isRedis(name.Value) && r.free(name.Value) && field.Value == "call"
	}
	return true
}
