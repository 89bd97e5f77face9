package script

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/gopher-lua/ast"
)

// reader walks through a script and tracks its scopes, by the rules of Lua 5.1. Local names belong to the script. Free
// names must be names that Redis provides and that the prelude can replace.
type reader struct {
	facts    Facts
	scopes   []map[string]bool
	values   map[string]bool
	placed   map[string]bool
	reported map[string]bool
	made     map[string]bool // local names of texts that the script makes
	unpacks  bool            // the script names table.unpack

	functions int // number of functions around the current node
	returns   int // number of return statements read, outside functions

	converters, conversions int // how often tonumber is named, and how often it is called with one argument
}

// refuse adds a remark, unless an earlier line has the same remark.
func (r *reader) refuse(line int, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !r.reported[text] {
		r.reported[text] = true
		r.facts.Refused = append(r.facts.Refused, Remark{line, text})
	}
}

func (r *reader) declare(names ...string) {
	for _, name := range names {
		r.facts.ownRedis = r.facts.ownRedis || isRedis(name)
		r.scopes[len(r.scopes)-1][name] = true
	}
}

// within calls read in a new scope.
func (r *reader) within(read func()) {
	r.scopes = append(r.scopes, map[string]bool{})
	read()
	r.scopes = r.scopes[:len(r.scopes)-1]
}

func (r *reader) block(stmts []ast.Stmt) {
	r.within(func() { r.statements(stmts) })
}

func (r *reader) statements(stmts []ast.Stmt) {
	for _, s := range stmts {
		r.statement(s)
	}
}

func (r *reader) statement(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		r.expressions(s.Rhs...)
		for i, target := range s.Lhs {
			r.assign(target)
			if name, ok := target.(*ast.IdentExpr); ok {
				r.made[name.Value] = i < len(s.Rhs) && r.makes(s.Rhs[i])
			}
		}
	case *ast.LocalAssignStmt:
		r.local(s)
	case *ast.FuncCallStmt:
		r.expression(s.Expr)
	case *ast.DoBlockStmt:
		r.block(s.Stmts)
	case *ast.WhileStmt:
		r.expression(s.Condition)
		r.block(s.Stmts)
	case *ast.RepeatStmt: // the condition sees the names of the block
		r.within(func() { r.statements(s.Stmts); r.expression(s.Condition) })
	case *ast.IfStmt:
		r.expression(s.Condition)
		r.block(s.Then)
		r.block(s.Else)
	case *ast.NumberForStmt:
		r.expressions(s.Init, s.Limit, s.Step)
		r.within(func() { r.declare(s.Name); r.block(s.Stmts) })
	case *ast.GenericForStmt:
		r.expressions(s.Exprs...)
		r.within(func() { r.declare(s.Names...); r.block(s.Stmts) })
	case *ast.FuncDefStmt:
		r.definition(s)
	case *ast.ReturnStmt:
		r.expressions(s.Exprs...)
		if r.functions == 0 {
			r.returned(s.Exprs)
		}
	case *ast.BreakStmt:
	case *ast.GotoStmt, *ast.LabelStmt:
		r.refuse(s.Line(), "Redis's Lua 5.1 has no goto")
	default:
		r.refuse(s.Line(), "a statement of the unknown kind %T", s)
	}
}

// local reads a declaration. Its names are known after it. The name of a local function is already known inside the
// function. Only local functions have a last line.
func (r *reader) local(s *ast.LocalAssignStmt) {
	if s.LastLine() > 0 {
		r.declare(s.Names...)
	}
	r.expressions(s.Exprs...)
	r.declare(s.Names...)
	for i, name := range s.Names[:min(len(s.Names), len(s.Exprs))] {
		r.made[name] = r.makes(s.Exprs[i])
	}
}

// makes reports whether an expression is a text that the script makes, and not an element of KEYS.
func (r *reader) makes(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.StringExpr, *ast.StringConcatOpExpr:
		return true
	case *ast.IdentExpr:
		return r.made[e.Value] && !r.free(e.Value)
	}
	return false
}

// touches notes the line of a command if the script makes its key.
func (r *reader) touches(call *ast.FuncCallExpr) {
	f, isField := call.Func.(*ast.AttrGetExpr)
	if !isField || len(call.Args) < 2 || r.facts.OwnKey > 0 || !r.makes(call.Args[1]) {
		return
	}
	of, _ := f.Object.(*ast.IdentExpr)
	name, _ := f.Key.(*ast.StringExpr)
	command, _ := call.Args[0].(*ast.StringExpr)
	if of != nil && name != nil && command != nil && isRedis(of.Value) && strings.HasSuffix(name.Value, "call") &&
		!slices.Contains(keyless, strings.ToLower(command.Value)) {
		r.facts.OwnKey = call.Line()
	}
}

// leaves notes a function that Lua 5.4 does not have. A script that names table.unpack knows that unpack is missing.
func (r *reader) leaves(line int, name string) {
	r.unpacks = r.unpacks || name == "table.unpack"
	known := func(g Remark) bool { return g.Text == name }
	if slices.Contains(gone, name) && !slices.ContainsFunc(r.facts.Gone, known) {
		r.facts.Gone = append(r.facts.Gone, Remark{line, name})
	}
}

// definition reads `function a.b.c:d() … end`.
func (r *reader) definition(s *ast.FuncDefStmt) {
	if s.Name.Receiver != nil {
		r.assignField(s.Line(), s.Name.Receiver)
		r.within(func() { r.declare("self"); r.expression(s.Func) })
		return
	}
	r.assign(s.Name.Func)
	r.expression(s.Func)
}

const readOnly = "Redis refuses it: attempt to modify a readonly table"

// assign reads the target of an assignment.
func (r *reader) assign(target ast.Expr) {
	switch t := target.(type) {
	case *ast.IdentExpr:
		if r.free(t.Value) {
			r.refuse(t.Line(), "assigns to the global %.60q; %s", t.Value, readOnly)
		}
	case *ast.AttrGetExpr:
		r.assignField(t.Line(), t.Object)
		r.expression(t.Key)
	default:
		r.expression(target)
	}
}

func (r *reader) assignField(line int, of ast.Expr) {
	name, ok := of.(*ast.IdentExpr)
	if ok && r.free(name.Value) && slices.Contains(tables, name.Value) && !argument(name.Value) {
		r.refuse(line, "assigns to a field of %s; %s", name.Value, readOnly)
	}
	r.expression(of)
}

func argument(name string) bool { return name == "KEYS" || name == "ARGV" }

// free reports whether a name is not local to the script.
func (r *reader) free(name string) bool {
	return !slices.ContainsFunc(r.scopes, func(scope map[string]bool) bool { return scope[name] })
}

func (r *reader) expressions(all ...ast.Expr) {
	for _, e := range all {
		r.expression(e)
	}
}

func (r *reader) expression(e ast.Expr) {
	switch e := e.(type) {
	case nil, *ast.TrueExpr, *ast.FalseExpr, *ast.NilExpr, *ast.NumberExpr:
	case *ast.StringExpr:
		if e.Value == "__mode" {
			r.refuse(e.Line(), "what a weak table holds depends on the server's memory; remove __mode")
		}
	case *ast.Comma3Expr:
		r.facts.Varargs = r.facts.Varargs || r.functions == 0
	case *ast.IdentExpr:
		r.value(e)
	case *ast.AttrGetExpr:
		r.element(e)
	case *ast.TableExpr:
		for _, f := range e.Fields {
			r.expressions(f.Key, f.Value)
		}
	case *ast.FuncCallExpr:
		if name, ok := e.Func.(*ast.IdentExpr); ok && name.Value == "tonumber" && r.free(name.Value) &&
			len(e.Args) == 1 && r.single(e.Args[0]) {
			r.conversions++
		}
		r.touches(e)
		r.expressions(e.Func, e.Receiver)
		r.expressions(e.Args...)
	case *ast.LogicalOpExpr:
		r.expressions(e.Lhs, e.Rhs)
	case *ast.RelationalOpExpr:
		r.expressions(e.Lhs, e.Rhs)
	case *ast.StringConcatOpExpr:
		r.expressions(e.Lhs, e.Rhs)
	case *ast.ArithmeticOpExpr:
		r.expressions(e.Lhs, e.Rhs)
	case *ast.UnaryMinusOpExpr:
		r.expression(e.Expr)
	case *ast.UnaryNotOpExpr:
		r.expression(e.Expr)
	case *ast.UnaryLenOpExpr:
		r.length(e)
	case *ast.FunctionExpr:
		r.function(e)
	default:
		r.refuse(e.Line(), "an expression of the unknown kind %T", e)
	}
}

func (r *reader) function(f *ast.FunctionExpr) {
	r.functions++
	defer func() { r.functions-- }()
	r.within(func() {
		r.declare(f.ParList.Names...)
		if f.ParList.HasVargs {
			r.declare("arg") // Lua 5.1 gives arg to functions that declare … and do not use it
		}
		r.block(f.Stmts)
	})
}

// value reads a name that is used as a value, and not only to read one of its fields.
func (r *reader) value(name *ast.IdentExpr) {
	if !r.known(name) {
		return
	}
	switch {
	case argument(name.Value):
		r.facts.ReadsArguments = false
	case slices.Contains(tables, name.Value):
		r.values[name.Value] = true
		r.facts.Random = r.facts.Random || name.Value == "math"
		r.facts.SetsProtocol = r.facts.SetsProtocol || isRedis(name.Value)
	case name.Value == "tonumber":
		r.converters++
	case name.Value == "getmetatable" || name.Value == "setmetatable":
		r.facts.Metatables = true
	}
	r.leaves(name.Line(), name.Value)
	if slices.Contains(placed, name.Value) {
		r.placed[name.Value] = true
	}
}

func isRedis(name string) bool { return name == "redis" || name == "server" }

// known reports whether a name is free and permitted. If a free name is not permitted, known adds a remark.
func (r *reader) known(name *ast.IdentExpr) bool {
	if !r.free(name.Value) {
		return false
	}
	if why := nameRefused(name.Value); why != "" {
		r.refuse(name.Line(), "%s", why)
		return false
	}
	return true
}

// element reads t.name or t[key].
func (r *reader) element(e *ast.AttrGetExpr) {
	r.expression(e.Key)
	name, ok := e.Object.(*ast.IdentExpr)
	if !ok || !r.free(name.Value) {
		r.expression(e.Object)
		return
	}
	if number, ok := e.Key.(*ast.NumberExpr); ok && argument(name.Value) {
		if n, err := strconv.Atoi(number.Value); err == nil {
			r.facts.Reads = append(r.facts.Reads, Read{name.Value, n, e.Line()})
		}
	}
	field, constant := e.Key.(*ast.StringExpr)
	if constant {
		r.leaves(e.Line(), name.Value+"."+field.Value)
	}
	switch {
	case !r.known(name) || argument(name.Value):
	case !constant || !slices.Contains(tables, name.Value):
		r.value(name)
	case name.Value == "cjson" && slices.Contains(settings, field.Value):
		r.refuse(name.Line(), "%s.%s changes the server for all scripts", name.Value, field.Value)
	case name.Value == "cjson" && !slices.Contains(harmless, field.Value),
		name.Value == "table" && field.Value == "foreach", name.Value == "cmsgpack" && field.Value == "pack":
		r.value(name)
	case name.Value == "math":
		r.facts.Random = r.facts.Random || strings.HasPrefix(field.Value, "random")
	case isRedis(name.Value) && field.Value == "setresp":
		r.facts.SetsProtocol = true
	}
}

// length reads #e.
func (r *reader) length(e *ast.UnaryLenOpExpr) {
	if name, ok := e.Expr.(*ast.IdentExpr); ok && argument(name.Value) && r.free(name.Value) {
		return
	}
	r.expression(e.Expr)
}
