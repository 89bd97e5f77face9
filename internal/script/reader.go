package script

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/yuin/gopher-lua/ast"
)

// reader walks a script and keeps account of its scopes, by the rules of Lua 5.1: what is local is the script's own
// business, and what is free must be something that Redis gives and that the prelude can stand before.
type reader struct {
	facts    Facts
	scopes   []map[string]bool
	self     []definition
	values   map[string]bool
	reported map[string]bool

	functions int // around what is being read

	fractions bool // some number in it need not be whole
	converts  int  // the first line that makes a number of other text than an argument; 0: none does
}

// definition is a `local name = function …` whose function is being read, with the number of scopes around it.
type definition struct {
	name   string
	scopes int
}

func (r *reader) refuse(line int, format string, args ...any) {
	r.note(&r.facts.Refused, Remark{line, fmt.Sprintf(format, args...)})
}

// note adds a remark, unless an earlier line has had it.
func (r *reader) note(to *[]Remark, remark Remark) {
	if !r.reported[remark.Text] {
		r.reported[remark.Text] = true
		*to = append(*to, remark)
	}
}

func (r *reader) declare(names ...string) {
	for _, name := range names {
		r.scopes[len(r.scopes)-1][name] = true
	}
}

// scope is the number of the scope that declares name, or -1 where it is free.
func (r *reader) scope(name string) int {
	for i := len(r.scopes) - 1; i >= 0; i-- {
		if r.scopes[i][name] {
			return i
		}
	}
	return -1
}

// within reads in a scope of its own.
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
		r.expressions(s.Rhs)
		for _, target := range s.Lhs {
			r.assign(target)
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
	case *ast.RepeatStmt: // its condition sees the names of its block
		r.within(func() { r.statements(s.Stmts); r.expression(s.Condition) })
	case *ast.IfStmt:
		r.expression(s.Condition)
		r.block(s.Then)
		r.block(s.Else)
	case *ast.NumberForStmt:
		r.expressions([]ast.Expr{s.Init, s.Limit, s.Step})
		r.within(func() { r.declare(s.Name); r.block(s.Stmts) })
	case *ast.GenericForStmt:
		r.expressions(s.Exprs)
		r.within(func() { r.declare(s.Names...); r.block(s.Stmts) })
	case *ast.FuncDefStmt:
		r.definition(s)
	case *ast.ReturnStmt:
		r.expressions(s.Exprs)
	case *ast.BreakStmt:
	case *ast.GotoStmt, *ast.LabelStmt:
		r.refuse(s.Line(), "Redis's Lua 5.1 has no goto")
	default:
		r.refuse(s.Line(), "a statement of the unknown kind %T", s)
	}
}

// local reads a declaration, whose names are known after it.
func (r *reader) local(s *ast.LocalAssignStmt) {
	if len(s.Names) == 1 && len(s.Exprs) == 1 {
		if _, ok := s.Exprs[0].(*ast.FunctionExpr); ok {
			r.self = append(r.self, definition{s.Names[0], len(r.scopes)})
			defer func() { r.self = r.self[:len(r.self)-1] }()
		}
	}
	r.expressions(s.Exprs)
	r.declare(s.Names...)
}

// definition reads `function a.b.c:d() … end`.
func (r *reader) definition(s *ast.FuncDefStmt) {
	if s.Name.Receiver != nil {
		r.assign(&ast.AttrGetExpr{ExprBase: base(s.Line()), Object: s.Name.Receiver,
			Key: &ast.StringExpr{Value: s.Name.Method}})
		r.within(func() { r.declare("self"); r.expression(s.Func) })
		return
	}
	r.assign(s.Name.Func)
	r.expression(s.Func)
}

func base(line int) ast.ExprBase {
	var b ast.ExprBase
	b.SetLine(line)
	return b
}

const readOnly = "Redis refuses it: attempt to modify a readonly table"

// assign reads the target of an assignment.
func (r *reader) assign(target ast.Expr) {
	switch t := target.(type) {
	case *ast.IdentExpr:
		if r.free(t) {
			r.refuse(t.Line(), "assigns to the global %.60q; %s", t.Value, readOnly)
		}
	case *ast.AttrGetExpr:
		if name, ok := t.Object.(*ast.IdentExpr); ok && r.free(name) && tables[name.Value] && !argument(name.Value) {
			r.refuse(t.Line(), "assigns to a field of %s; %s", name.Value, readOnly)
		}
		r.expression(t.Object)
		r.expression(t.Key)
	default:
		r.expression(target)
	}
}

func argument(name string) bool { return name == "KEYS" || name == "ARGV" }

// free reports whether a name is none of the script's own.
func (r *reader) free(name *ast.IdentExpr) bool {
	at := r.scope(name.Value)
	for _, d := range r.self {
		if d.name == name.Value && at < d.scopes {
			r.note(&r.facts.Embedded, Remark{name.Line(), fmt.Sprintf(
				"the embedded server takes the %.60s inside local %.60s = function … for the new one; Redis "+
					"does not", d.name, d.name)})
		}
	}
	return at < 0
}

func (r *reader) expressions(all []ast.Expr) {
	for _, e := range all {
		r.expression(e)
	}
}

func (r *reader) expression(e ast.Expr) {
	switch e := e.(type) {
	case nil, *ast.TrueExpr, *ast.FalseExpr, *ast.NilExpr:
	case *ast.NumberExpr:
		r.fractions = r.fractions || strings.ContainsAny(e.Value, ".eE") && !strings.HasPrefix(e.Value, "0x")
	case *ast.StringExpr:
		r.fractions = r.fractions || strings.Contains(strings.ToUpper(e.Value), "FLOAT") // INCRBYFLOAT
	case *ast.Comma3Expr:
		r.facts.Varargs = r.facts.Varargs || r.functions == 0
	case *ast.IdentExpr:
		r.value(e)
	case *ast.AttrGetExpr:
		r.element(e)
	case *ast.TableExpr:
		for _, f := range e.Fields {
			r.expressions([]ast.Expr{f.Key, f.Value})
		}
	case *ast.FuncCallExpr:
		r.call(e)
	case *ast.LogicalOpExpr:
		r.expressions([]ast.Expr{e.Lhs, e.Rhs})
	case *ast.RelationalOpExpr:
		r.expressions([]ast.Expr{e.Lhs, e.Rhs})
	case *ast.StringConcatOpExpr:
		r.expressions([]ast.Expr{e.Lhs, e.Rhs})
	case *ast.ArithmeticOpExpr:
		r.fractions = r.fractions || e.Operator == "/" || e.Operator == "^"
		r.expressions([]ast.Expr{e.Lhs, e.Rhs})
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

// call reads a call. Of tonumber it is of interest what text it is given.
func (r *reader) call(e *ast.FuncCallExpr) {
	name, ok := e.Func.(*ast.IdentExpr)
	if ok && name.Value == "tonumber" && r.scope(name.Value) < 0 {
		switch of := r.argumentOf(e); {
		case of && r.facts.Converts == 0:
			r.facts.Converts = name.Line()
		case !of && r.converts == 0:
			r.converts = name.Line()
		}
	}
	r.expressions([]ast.Expr{e.Func, e.Receiver})
	r.expressions(e.Args)
}

// argumentOf reports whether a call is given nothing but an element of ARGV or KEYS.
func (r *reader) argumentOf(e *ast.FuncCallExpr) bool {
	if len(e.Args) != 1 {
		return false
	}
	element, ok := e.Args[0].(*ast.AttrGetExpr)
	if !ok {
		return false
	}
	name, ok := element.Object.(*ast.IdentExpr)
	return ok && argument(name.Value) && r.scope(name.Value) < 0
}

// wholeMath are the functions of math that make whole numbers of whole ones.
var wholeMath = set("abs", "ceil", "floor", "fmod", "max", "min", "mod")

func (r *reader) function(f *ast.FunctionExpr) {
	r.functions++
	defer func() { r.functions-- }()
	r.within(func() {
		r.declare(f.ParList.Names...)
		if f.ParList.HasVargs {
			r.declare("arg") // Lua 5.1 gives one to functions that take … and do not use it
		}
		r.block(f.Stmts)
	})
}

// value reads a name that is used as it is, rather than for one of its fields.
func (r *reader) value(name *ast.IdentExpr) {
	if !r.known(name) {
		return
	}
	switch {
	case argument(name.Value):
		r.facts.ReadsArguments = false
	case tables[name.Value]:
		r.values[name.Value] = true
		r.fractions = true // whatever it is used for
		r.facts.Random = r.facts.Random || name.Value == "math"
		r.facts.SetsProtocol = r.facts.SetsProtocol || isRedis(name.Value)
	case name.Value == "getmetatable" || name.Value == "setmetatable":
		r.facts.Metatables = true
	}
}

func isRedis(name string) bool { return name == "redis" || name == "server" }

// known reports whether a name is free and permitted; where it is not permitted, that is noted.
func (r *reader) known(name *ast.IdentExpr) bool {
	if !r.free(name) {
		return false
	}
	if why := nameRefused(name.Value); why != "" {
		r.refuse(name.Line(), "%s", why)
		return false
	}
	if why, gap := embeddedGaps[name.Value]; gap {
		r.note(&r.facts.Embedded, Remark{name.Line(), why})
	}
	return true
}

// element reads t.name or t[key].
func (r *reader) element(e *ast.AttrGetExpr) {
	r.expression(e.Key)
	name, ok := e.Object.(*ast.IdentExpr)
	if !ok || r.scope(name.Value) >= 0 {
		r.expression(e.Object)
		return
	}
	if number, ok := e.Key.(*ast.NumberExpr); ok && argument(name.Value) {
		if n, err := strconv.Atoi(number.Value); err == nil {
			r.facts.Reads = append(r.facts.Reads, Read{name.Value, n, e.Line()})
		}
	}
	field, constant := e.Key.(*ast.StringExpr)
	switch {
	case !r.known(name) || argument(name.Value):
	case !constant || !tables[name.Value]:
		r.value(name)
	case settings[name.Value][field.Value]:
		r.refuse(name.Line(), "%s.%s changes the server for all its scripts", name.Value, field.Value)
	case name.Value == "math" && !wholeMath[field.Value]:
		r.fractions = true
		r.facts.Random = r.facts.Random || strings.HasPrefix(field.Value, "random")
	case isRedis(name.Value) && field.Value == "setresp":
		r.facts.SetsProtocol = true
	}
}

// length reads #e.
func (r *reader) length(e *ast.UnaryLenOpExpr) {
	if name, ok := e.Expr.(*ast.IdentExpr); ok && argument(name.Value) && r.scope(name.Value) < 0 {
		return
	}
	r.expression(e.Expr)
}
