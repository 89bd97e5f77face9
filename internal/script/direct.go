package script

import (
	"slices"
	"strconv"

	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
)

// mostDirect bounds the elements of a reply that Direct spreads, and the commands that it gives functions: a Lua
// function has room for 60 outer variables.
const mostDirect = 8

// Direct is a Facts.Body that spares its caller work. The functions of the script stay as they are.
type Direct struct {
	Body string
	// Width is how many values the body returns in place of the list that it is to answer; 0: it returns what it
	// answers.
	Width int
	// Commands are those that the body calls by functions: redis.call('GET', key) has become NAME1(key) for the first
	// one.
	Commands []string
}

// Direct makes one; name begins the names of the functions. Lists are spread only if the caller wants that.
func (f Facts) Direct(name string, spread bool) Direct {
	d := Direct{}
	if spread {
		d.Width = f.lists
	}
	tokens, _ := lex(f.Body)
	var out []token
	var blocks []int // what has opened the blocks around a token
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
			if list == nil { // it stands in parentheses
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
		// A bracket on another line than the name before it would be an error of Lua 5.1.
		line := tokens[i+3].line
		out = append(out, token{parse.TIdent, name + strconv.Itoa(at+1), line}, token{'(', "(", line})
		i += words - 1
	}
	d.Body = spell(out)
	return d
}

// literalCall is the command that tokens begin to call by its literal name, and how many of them come before its first
// argument, or before the bracket that ends the call; "" where they do not.
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

// braced is the list that tokens begin with, with its braces; nil where they begin with something else. Its elements
// are parted by commas, with none behind the last one.
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
			list[last] = token{} // behind the last element
		}
		list = append(list, t)
		if depth == 0 {
			return list
		}
	}
	return nil
}

// returned notes what a return of the script itself gives: see Facts.lists.
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

// plainList reports whether a table has elements without names, whose number is certain.
func (r *reader) plainList(t *ast.TableExpr) bool {
	named := func(f *ast.Field) bool { return f.Key != nil }
	n := len(t.Fields)
	return 0 < n && n <= mostDirect && !slices.ContainsFunc(t.Fields, named) && r.single(t.Fields[n-1].Value)
}

// single reports whether an expression gives one value for certain.
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
