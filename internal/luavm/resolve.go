package luavm

import (
	"fmt"

	"github.com/yuin/gopher-lua/ast"
)

// variable is a local variable.
type variable struct {
	name     string
	owner    *function
	register int
	shared   bool // an inner function uses it
}

// function is a function that is being compiled.
type function struct {
	*proto
	outer    *function
	active   int // variables in scope
	upvalues []*variable
	usesRest bool // uses ...
	zero     *float64
}

// proto is a compiled function.
type proto struct {
	line         int // at which it begins
	params       int
	vararg       bool
	registers    int
	shares       bool // has variables that inner functions use
	sharedParams []int
	arg          func(f *frame) // makes the table arg
	origins      []origin       // of the variables of outer functions that it uses
	body         []step
}

// origin says where a shared variable comes from: a register of the function around, or that one's shared variables.
type origin struct {
	register bool
	index    int
}

// Limits of Lua 5.1.
const (
	mostLocals   = 200
	mostUpvalues = 60
)

// SyntaxError is that of a script which Lua does not compile.
type SyntaxError struct {
	Line int
	Text string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("user_script:%d: %s", e.Line, e.Text) }

// resolver finds out which variable each name means, before any code is made: only then is it known which variables
// are shared.
type resolver struct {
	fn        *function
	scopes    []map[string]*variable
	uses      map[*ast.IdentExpr]*variable // none: a global
	declared  map[any][]*variable          // by a statement or a function
	functions map[*ast.FunctionExpr]*function
	loops     int // around the statement
}

func (r *resolver) fail(line int, format string, args ...any) {
	panic(&SyntaxError{line, fmt.Sprintf(format, args...)})
}

// declare puts variables into scope, on behalf of a statement or a function.
func (r *resolver) declare(by any, line int, names ...string) {
	for _, name := range names {
		v := &variable{name: name, owner: r.fn, register: r.fn.active}
		if r.fn.active++; r.fn.active > mostLocals {
			r.fail(line, "function at line %d has more than %d local variables", r.fn.line, mostLocals)
		}
		r.fn.registers = max(r.fn.registers, r.fn.active)
		r.scopes[len(r.scopes)-1][name] = v
		r.declared[by] = append(r.declared[by], v)
	}
}

func (r *resolver) within(visit func()) {
	active := r.fn.active
	r.scopes = append(r.scopes, map[string]*variable{})
	visit()
	r.scopes = r.scopes[:len(r.scopes)-1]
	r.fn.active = active
}

func (r *resolver) block(list []ast.Stmt) { r.within(func() { r.statements(list) }) }

func (r *resolver) loop(list []ast.Stmt) {
	r.loops++
	r.block(list)
	r.loops--
}

func (r *resolver) statements(list []ast.Stmt) {
	for _, s := range list {
		r.statement(s)
	}
}

func (r *resolver) statement(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		r.expressions(s.Lhs...)
		r.expressions(s.Rhs...)
	case *ast.LocalAssignStmt:
		if isLocalFunction(s) {
			r.declare(s, s.Line(), s.Names...)
			r.expressions(s.Exprs...)
			return
		}
		r.expressions(s.Exprs...)
		r.declare(s, s.Line(), s.Names...)
	case *ast.FuncCallStmt:
		r.expressions(s.Expr)
	case *ast.DoBlockStmt:
		r.block(s.Stmts)
	case *ast.WhileStmt:
		r.expressions(s.Condition)
		r.loop(s.Stmts)
	case *ast.RepeatStmt: // its condition sees the names of its block
		r.loops++
		r.within(func() { r.statements(s.Stmts); r.expressions(s.Condition) })
		r.loops--
	case *ast.IfStmt:
		r.expressions(s.Condition)
		r.block(s.Then)
		r.block(s.Else)
	case *ast.NumberForStmt:
		r.expressions(s.Init, s.Limit, s.Step)
		r.within(func() { r.declare(s, s.Line(), s.Name); r.loop(s.Stmts) })
	case *ast.GenericForStmt:
		r.expressions(s.Exprs...)
		r.within(func() { r.declare(s, s.Line(), s.Names...); r.loop(s.Stmts) })
	case *ast.FuncDefStmt:
		r.expressions(s.Name.Func, s.Name.Receiver)
		r.function(s.Func, s.Name.Receiver != nil)
	case *ast.ReturnStmt:
		r.expressions(s.Exprs...)
	case *ast.BreakStmt:
		if r.loops == 0 {
			r.fail(s.Line(), "no loop to break")
		}
	default:
		r.fail(s.Line(), "Lua 5.1 has no goto")
	}
}

// isLocalFunction reports whether the name is in scope within the function.
func isLocalFunction(s *ast.LocalAssignStmt) bool {
	if len(s.Names) != 1 || len(s.Exprs) != 1 {
		return false
	}
	_, ok := s.Exprs[0].(*ast.FunctionExpr)
	return ok
}

// function reads the body of a function. A method has self as its first parameter.
func (r *resolver) function(e *ast.FunctionExpr, method bool) {
	outer, loops := r.fn, r.loops
	r.fn = &function{outer: outer, proto: &proto{line: e.Line(), vararg: e.ParList.HasVargs}}
	r.functions[e], r.loops = r.fn, 0
	r.within(func() {
		if method {
			r.declare(e, e.Line(), "self")
		}
		r.declare(e, e.Line(), e.ParList.Names...)
		r.fn.params = r.fn.active
		if e.ParList.HasVargs {
			r.declare(e, e.Line(), "arg")
		}
		r.statements(e.Stmts)
	})
	r.fn, r.loops = outer, loops
}

func (r *resolver) expressions(list ...ast.Expr) {
	for _, e := range list {
		r.expression(e)
	}
}

func (r *resolver) expression(e ast.Expr) {
	switch e := e.(type) {
	case *ast.IdentExpr:
		r.name(e)
	case *ast.Comma3Expr:
		if r.fn.usesRest = true; !r.fn.vararg {
			r.fail(e.Line(), "cannot use '...' outside a vararg function near '...'")
		}
	case *ast.AttrGetExpr:
		r.expressions(e.Object, e.Key)
	case *ast.TableExpr:
		for _, field := range e.Fields {
			r.expressions(field.Key, field.Value)
		}
	case *ast.FuncCallExpr:
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
		r.expression(e.Expr)
	case *ast.FunctionExpr:
		r.function(e, false)
	}
}

// name notes which variable a name means.
func (r *resolver) name(e *ast.IdentExpr) {
	for i := len(r.scopes) - 1; i >= 0; i-- {
		if v := r.scopes[i][e.Value]; v != nil {
			r.uses[e] = v
			if v.owner != r.fn {
				v.shared, v.owner.shares = true, true
				r.fn.upvalue(v, r)
			}
			return
		}
	}
}

// upvalue returns the index of an outer function's variable among those that fn uses.
func (fn *function) upvalue(v *variable, r *resolver) int {
	for i, known := range fn.upvalues {
		if known == v {
			return i
		}
	}
	from := origin{true, v.register}
	if v.owner != fn.outer {
		from = origin{false, fn.outer.upvalue(v, r)}
	}
	if len(fn.upvalues) == mostUpvalues {
		r.fail(fn.line, "function at line %d has more than %d upvalues", fn.line, mostUpvalues)
	}
	fn.upvalues, fn.origins = append(fn.upvalues, v), append(fn.origins, from)
	return len(fn.upvalues) - 1
}
