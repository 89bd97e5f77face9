package luavm

import (
	"fmt"
	"reflect"

	"github.com/yuin/gopher-lua/ast"
)

// variable is a local variable.
type variable struct {
	owner    *function
	register int
	shared   bool // an inner function may use it
}

// function is a function that is being compiled.
type function struct {
	*proto
	outer    *function
	inner    map[string]bool // names that inner functions use
	active   int             // variables in scope
	loops    int             // number of loops around the statement
	upvalues []*variable
	usesRest bool // uses ...
	zero     *float64
}

// proto is a compiled function.
type proto struct {
	line         int // the line where it begins
	params       int
	vararg       bool
	registers    int
	shares       bool // has variables that inner functions use
	sharedParams []int
	arg          func(f *frame) // creates the table arg
	origins      []origin       // where the outer variables that it uses come from
	body         []step
}

// origin is the source of a shared variable: a register of the enclosing function, or the shared variables of that
// function.
type origin struct {
	register bool
	index    int
}

// Limits of Lua 5.1.
const (
	mostLocals   = 200
	mostUpvalues = 60
)

// SyntaxError is an error in a script that Lua does not compile.
type SyntaxError struct {
	Line int
	Text string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("user_script:%d: %s", e.Line, e.Text) }

func (c *compiler) fail(line int, format string, args ...any) {
	panic(&SyntaxError{line, fmt.Sprintf(format, args...)})
}

// note collects the names that are used inside each function. A name is added to all functions around the node except
// the innermost, since only the innermost one uses it directly. A variable with such a name is treated as shared. That
// is sometimes slower, but never wrong.
func (c *compiler) note(node reflect.Value, around []*ast.FunctionExpr) {
	switch node.Kind() {
	case reflect.Interface:
		c.note(node.Elem(), around)
	case reflect.Pointer:
		switch e := node.Interface().(type) {
		case *ast.FunctionExpr:
			c.inner[e] = map[string]bool{}
			around = append(around, e)
		case *ast.IdentExpr:
			for _, fn := range around[:len(around)-1] {
				c.inner[fn][e.Value] = true
			}
		}
		c.note(node.Elem(), around)
	case reflect.Struct:
		for i := range node.NumField() {
			c.note(node.Field(i), around)
		}
	case reflect.Slice:
		for i := range node.Len() {
			c.note(node.Index(i), around)
		}
	}
}

// within compiles something in a new scope.
func (c *compiler) within(compile func()) {
	active := c.fn.active
	c.scopes = append(c.scopes, map[string]*variable{})
	compile()
	c.scopes = c.scopes[:len(c.scopes)-1]
	c.fn.active = active
}

// setter sets a local variable.
type setter func(f *frame, to Value)

// declare adds variables to the scope and returns their setters. Each call of a setter makes a new variable if the
// variable is shared.
func (c *compiler) declare(line int, names ...string) (set []setter) {
	for _, name := range names {
		r, shared := c.fn.active, c.fn.inner[name]
		if c.fn.active++; c.fn.active > mostLocals {
			c.fail(line, "function at line %d has more than %d local variables", c.fn.line, mostLocals)
		}
		c.fn.registers = max(c.fn.registers, c.fn.active)
		c.fn.shares = c.fn.shares || shared
		c.scopes[len(c.scopes)-1][name] = &variable{c.fn, r, shared}
		if shared {
			set = append(set, func(f *frame, to Value) { f.cells[r] = &to })
		} else {
			set = append(set, func(f *frame, to Value) { f.regs[r] = to })
		}
	}
	return set
}

// find returns the variable with a name, or nil for a global. For a variable of an outer function, upvalue is its index
// among the upvalues of the current function. Otherwise upvalue is -1.
func (c *compiler) find(name string) (v *variable, upvalue int) {
	for i := len(c.scopes) - 1; i >= 0; i-- {
		if v = c.scopes[i][name]; v != nil {
			return v, c.upvalue(c.fn, v)
		}
	}
	return nil, -1
}

func (c *compiler) upvalue(fn *function, v *variable) int {
	if v.owner == fn {
		return -1
	}
	for i, known := range fn.upvalues {
		if known == v {
			return i
		}
	}
	from := origin{true, v.register}
	if v.owner != fn.outer {
		from = origin{false, c.upvalue(fn.outer, v)}
	}
	if len(fn.upvalues) == mostUpvalues {
		c.fail(fn.line, "function at line %d has more than %d upvalues", fn.line, mostUpvalues)
	}
	fn.upvalues, fn.origins = append(fn.upvalues, v), append(fn.origins, from)
	return len(fn.upvalues) - 1
}
