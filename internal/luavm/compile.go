package luavm

import (
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
)

// A compiled script consists of Go functions. An expr computes one value. A list computes several values, which are
// valid until the next call. A step executes a statement.
type (
	expr func(f *frame) Value
	list func(f *frame) []Value
	step func(f *frame) flow
)

// flow tells how a step ended.
type flow uint8

const (
	onward   flow = iota // continue with the next step
	leaves               // leave the loop
	returned             // leave the function
)

// Script is a compiled script.
type Script struct{ main *proto }

// compiler compiles one script.
type compiler struct {
	fn     *function
	scopes []map[string]*variable
	inner  map[*ast.FunctionExpr]map[string]bool // names that inner functions use: see note
	texts  map[string]Value                      // constants
}

// Compile compiles a script. The error is a *SyntaxError.
func Compile(source string) (script *Script, err error) {
	if wrong := Check(source); wrong != nil {
		return nil, wrong
	}
	chunk, err := parse.Parse(strings.NewReader(source), "user_script")
	var bad *parse.Error
	switch {
	case errors.As(err, &bad):
		line := bad.Pos.Line
		if line == parse.EOF {
			line = 1 + strings.Count(source, "\n")
		}
		return nil, &SyntaxError{line, bad.Message + " near '" + bad.Token + "'"}
	case err != nil:
		return nil, &SyntaxError{1, err.Error()}
	}
	defer func() {
		if r := recover(); r != nil {
			wrong, ok := r.(*SyntaxError)
			if !ok {
				panic(r)
			}
			err = wrong
		}
	}()
	c := &compiler{inner: map[*ast.FunctionExpr]map[string]bool{}, texts: map[string]Value{}}
	main := &ast.FunctionExpr{ParList: &ast.ParList{HasVargs: true}, Stmts: chunk}
	c.note(reflect.ValueOf(main), nil)
	return &Script{c.function(main)}, nil
}

// function compiles the body of a function.
func (c *compiler) function(e *ast.FunctionExpr) *proto {
	p := &proto{line: e.Line(), params: len(e.ParList.Names), vararg: e.ParList.HasVargs}
	outer := c.fn
	c.fn = &function{proto: p, outer: outer, inner: c.inner[e]}
	c.within(func() {
		names := e.ParList.Names
		if p.vararg {
			names = append(slices.Clip(names), "arg")
		}
		set := c.declare(p.line, names...)
		for i, name := range names {
			if c.fn.inner[name] {
				p.sharedParams = append(p.sharedParams, i)
			}
		}
		p.body = c.statements(e.Stmts)
		if p.vararg && !c.fn.usesRest {
			p.arg = func(f *frame) {
				t := NewTable(len(f.extra), 1)
				copy(t.array, f.extra)
				t.SetName("n", Int(len(f.extra)))
				set[p.params](f, t.Value())
			}
		}
	})
	c.fn = outer
	return p
}

func (c *compiler) statements(all []ast.Stmt) []step {
	steps := make([]step, 0, len(all))
	for _, s := range all {
		steps = append(steps, c.statement(s))
	}
	return steps
}

// block compiles statements with a scope of their own.
func (c *compiler) block(all []ast.Stmt) (steps []step) {
	c.within(func() { steps = c.statements(all) })
	return steps
}

// loop compiles the body of a loop. The body has the names as variables.
func (c *compiler) loop(all []ast.Stmt, line int, names ...string) (set []setter, steps []step) {
	c.fn.loops++
	c.within(func() { set, steps = c.declare(line, names...), c.block(all) })
	c.fn.loops--
	return set, steps
}

func (c *compiler) statement(s ast.Stmt) step {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return c.assignment(s)
	case *ast.LocalAssignStmt:
		return c.local(s)
	case *ast.FuncCallStmt:
		call := c.call(s.Expr.(*ast.FuncCallExpr))
		return func(f *frame) flow {
			call(f)
			return onward
		}
	case *ast.DoBlockStmt:
		body := c.block(s.Stmts)
		return func(f *frame) flow { return f.block(body) }
	case *ast.WhileStmt:
		test, at := c.condition(s.Condition), &site{line: s.Line()}
		_, body := c.loop(s.Stmts, s.Line())
		return func(f *frame) flow { return f.loop(at, body, func() bool { return test(f) }) }
	case *ast.RepeatStmt:
		return c.repeat(s)
	case *ast.IfStmt:
		test, then, otherwise := c.condition(s.Condition), c.block(s.Then), c.block(s.Else)
		return func(f *frame) flow {
			if test(f) {
				return f.block(then)
			}
			return f.block(otherwise)
		}
	case *ast.NumberForStmt:
		return c.count(s)
	case *ast.GenericForStmt:
		return c.each(s)
	case *ast.FuncDefStmt:
		return c.definition(s)
	case *ast.ReturnStmt:
		return c.result(s)
	case *ast.BreakStmt:
		if c.fn.loops == 0 {
			c.fail(s.Line(), "no loop to break")
		}
		return func(*frame) flow { return leaves }
	}
	c.fail(s.Line(), "Lua 5.1 has no goto")
	return nil
}

// block executes steps until a step leaves the loop or the function.
func (f *frame) block(steps []step) flow {
	for _, s := range steps {
		if how := s(f); how != onward {
			return how
		}
	}
	return onward
}

// loop executes the body of a loop while next returns true.
func (f *frame) loop(at *site, body []step, next func() bool) flow {
	for next() {
		f.at = at
		f.t.breathe()
		if how := f.block(body); how != onward {
			return how.afterLoop()
		}
	}
	return onward
}

// afterLoop returns how a loop ends, given how its body ended.
func (how flow) afterLoop() flow {
	if how == leaves {
		return onward
	}
	return how
}

// breathe asks Stop whether the run has to end. If so, the error has the current line, and no script can catch it.
func (t *Thread) breathe() {
	if t.Stop == nil {
		return
	}
	if err := t.Stop(); err != nil {
		e := t.located(String(err.Error()))
		e.Value = String(t.Name + ":" + strconv.Itoa(e.Line) + ": " + err.Error())
		Abort(e)
	}
}

// repeat compiles a repeat loop. Its condition sees the variables of its body.
func (c *compiler) repeat(s *ast.RepeatStmt) step {
	var body []step
	var until func(f *frame) bool
	c.fn.loops++
	c.within(func() { body, until = c.statements(s.Stmts), c.condition(s.Condition) })
	c.fn.loops--
	at := &site{line: s.Line()}
	return func(f *frame) flow {
		begun := false
		return f.loop(at, body, func() bool {
			again := !begun || !until(f)
			begun = true
			return again
		})
	}
}

func (c *compiler) local(s *ast.LocalAssignStmt) step {
	if s.LastLine() > 0 { // a local function can call itself
		set := c.declare(s.Line(), s.Names...)[0]
		assign := c.assignment(&ast.AssignStmt{Lhs: []ast.Expr{&ast.IdentExpr{Value: s.Names[0]}}, Rhs: s.Exprs})
		return func(f *frame) flow {
			set(f, Nil)
			return assign(f)
		}
	}
	if len(s.Names) == 1 && len(s.Exprs) == 1 {
		value := c.expression(s.Exprs[0])
		set := c.declare(s.Line(), s.Names...)[0]
		if v, _ := c.find(s.Names[0]); !v.shared { // a faster version of set
			return func(f *frame) flow {
				f.regs[v.register] = value(f)
				return onward
			}
		}
		return func(f *frame) flow {
			set(f, value(f))
			return onward
		}
	}
	values := c.list(s.Exprs)
	set := c.declare(s.Line(), s.Names...)
	return func(f *frame) flow {
		f.spread(set, values(f))
		return onward
	}
}

// spread assigns values to variables. Variables without a value become nil.
func (f *frame) spread(set []setter, values []Value) {
	for i := range set {
		if i < len(values) {
			set[i](f, values[i])
		} else {
			set[i](f, Nil)
		}
	}
}

// place returns a function that finds the place of a local variable.
func (c *compiler) place(name string) func(f *frame) *Value {
	v, upvalue := c.find(name)
	switch {
	case upvalue >= 0:
		return func(f *frame) *Value { return f.fn.shared[upvalue] }
	case v.shared:
		return func(f *frame) *Value { return f.cells[v.register] }
	}
	return func(f *frame) *Value { return &f.regs[v.register] }
}

// target is the left side of an assignment. Object and key of a table element are computed before the value. A plain
// name has no object and no key.
type target struct {
	object, key expr
	set         func(f *frame, object, key, to Value)
	copies      []func(f *frame, parts []Value) // copy this variable into parts of earlier targets
}

// target compiles the i-th of several left sides.
func (c *compiler) target(targets []target, i int, all []ast.Expr) target {
	switch e := all[i].(type) {
	case *ast.IdentExpr:
		if v, _ := c.find(e.Value); v != nil {
			at := c.place(e.Value)
			return target{set: func(f *frame, _, _, to Value) { *at(f) = to }, copies: targets[i].copies}
		}
		name, at := c.text(e.Value), &site{line: e.Line()}
		return target{set: func(f *frame, _, _, to Value) {
			f.at = at
			f.t.setIndex(f.t.Globals.Value(), name, to, "")
		}}
	case *ast.AttrGetExpr:
		at := &site{e.Line(), c.describe(e.Object)}
		object, lateObject := c.part(e.Object, 3*i, targets, all)
		key, lateKey := c.part(e.Key, 3*i+1, targets, all)
		return target{object: object, key: key, set: func(f *frame, object, key, to Value) {
			if lateObject != nil {
				object = lateObject(f)
			}
			if lateKey != nil {
				key = lateKey(f)
			}
			if t := object.Table(); t != nil && !t.readOnly {
				if place := t.find(key); place != nil && (place.o != nil || t.meta == nil) {
					*place = to
					return
				}
			}
			f.at = at
			f.t.setIndex(object, key, to, at.name)
		}}
	}
	c.fail(all[i].Line(), "syntax error")
	return target{}
}

// part compiles the object or the key of a table element on the left side. If late is not nil, late is called after the
// value has been computed. Exception: if the variable is also a later target of the same statement, C copies it when it
// comes to that target.
func (c *compiler) part(e ast.Expr, at int, targets []target, all []ast.Expr) (early, late expr) {
	value := c.expression(e)
	if !c.late(e) {
		return value, nil
	}
	none := func(*frame) Value { return Nil }
	for i := at/3 + 1; i < len(all); i++ {
		if name, ok := all[i].(*ast.IdentExpr); ok && name.Value == e.(*ast.IdentExpr).Value {
			targets[i].copies = append(targets[i].copies, func(f *frame, parts []Value) { parts[at] = value(f) })
			return none, nil
		}
	}
	return none, value
}

// assignment compiles an assignment. All parts of the targets are computed first, then all values. The values are then
// assigned from the last target to the first.
func (c *compiler) assignment(s *ast.AssignStmt) step {
	targets := make([]target, len(s.Lhs))
	for i := range targets {
		targets[i] = c.target(targets, i, s.Lhs)
	}
	if len(s.Lhs) == 1 && len(s.Rhs) == 1 {
		to, value := targets[0], c.expression(s.Rhs[0])
		if to.object == nil {
			return func(f *frame) flow {
				to.set(f, Nil, Nil, value(f))
				return onward
			}
		}
		return func(f *frame) flow {
			object, key := to.object(f), to.key(f)
			to.set(f, object, key, value(f))
			return onward
		}
	}
	values := c.list(s.Rhs)
	return func(f *frame) flow {
		t := f.t
		stack, top := t.stack, t.top
		parts := t.alloc(3 * len(targets))
		for i, to := range targets {
			if parts[3*i+2] = Nil; to.object != nil {
				parts[3*i], parts[3*i+1] = to.object(f), to.key(f)
			}
			for _, do := range to.copies {
				do(f, parts)
			}
		}
		for i, v := range values(f) {
			if i < len(targets) {
				parts[3*i+2] = v
			}
		}
		for i, to := range slices.Backward(targets) {
			to.set(f, parts[3*i], parts[3*i+1], parts[3*i+2])
		}
		t.stack, t.top = stack, top
		return onward
	}
}

// definition compiles `function a.b.c:d() … end`.
func (c *compiler) definition(s *ast.FuncDefStmt) step {
	to := s.Name.Func
	if s.Name.Receiver != nil {
		to = &ast.AttrGetExpr{Object: s.Name.Receiver, Key: &ast.StringExpr{Value: s.Name.Method}}
		to.SetLine(s.Line())
		s.Func.ParList.Names = slices.Insert(s.Func.ParList.Names, 0, "self")
	}
	return c.assignment(&ast.AssignStmt{Lhs: []ast.Expr{to}, Rhs: []ast.Expr{s.Func}})
}

// count compiles a numeric for loop.
func (c *compiler) count(s *ast.NumberForStmt) step {
	first, last, increment := c.expression(s.Init), c.expression(s.Limit), c.constant(1)
	if s.Step != nil {
		increment = c.expression(s.Step)
	}
	at := &site{line: s.Line()}
	set, body := c.loop(s.Stmts, s.Line(), s.Name)
	number := func(f *frame, v Value, what string) float64 {
		n, ok := AsNumber(v)
		if !ok {
			f.at = at
			f.t.Raise("'for' %s must be a number", what)
		}
		return n
	}
	return func(f *frame) flow {
		from, to, by := first(f), last(f), increment(f)
		i, limit, width := number(f, from, "initial value"), number(f, to, "limit"), number(f, by, "step")
		for i = i - width + width; width > 0 && i <= limit || !(width > 0) && limit <= i; i += width {
			f.at = at
			f.t.breathe()
			set[0](f, Number(i))
			if how := f.block(body); how != onward {
				return how.afterLoop()
			}
		}
		return onward
	}
}

// iterator is the name that C gives the iterator function of a for loop in error messages.
const iterator = "local '(for generator)'"

// each compiles a generic for loop, such as over pairs(t).
func (c *compiler) each(s *ast.GenericForStmt) step {
	values, at := c.list(s.Exprs), &site{s.Line(), iterator}
	set, body := c.loop(s.Stmts, s.Line(), s.Names...)
	return func(f *frame) flow {
		stack, top := f.t.stack, f.t.top
		state := f.t.alloc(3)
		clear(state[copy(state, values(f)):])
		how := f.loop(at, body, func() bool {
			f.at = at
			given := f.t.call(state[0], state[1:])
			state[2] = first(given)
			f.spread(set, given)
			return !state[2].IsNil()
		})
		f.t.stack, f.t.top = stack, top
		return how
	}
}

// result compiles a return statement. A tail call replaces the running function.
func (c *compiler) result(s *ast.ReturnStmt) step {
	if len(s.Exprs) == 1 {
		if call, ok := s.Exprs[0].(*ast.FuncCallExpr); ok && !call.AdjustRet {
			return c.tailCall(call)
		}
		if !isMulti(s.Exprs[0]) {
			value := c.expression(s.Exprs[0])
			return func(f *frame) flow {
				f.ret = f.t.One(value(f))
				return returned
			}
		}
	}
	values := c.list(s.Exprs)
	return func(f *frame) flow {
		f.ret = f.t.All(values(f)...)
		return returned
	}
}

// text returns the constant for a string. Equal strings share one object, so that table lookups are fast. The hash is
// computed here, because several threads may use the constants at the same time.
func (c *compiler) text(s string) Value {
	if c.texts[s].IsNil() {
		c.texts[s] = String(s)
		c.texts[s].o.hashOf()
	}
	return c.texts[s]
}

// constant compiles a number of the script. In C, all zeros of a function are one constant, so that the sign of the
// first one counts for all.
func (c *compiler) constant(n float64) expr {
	if n == 0 {
		if c.fn.zero == nil {
			c.fn.zero = &n
		}
		n = *c.fn.zero
	}
	return func(*frame) Value { return Number(n) }
}

// numeral returns the value of a number, or of an operation on constants. C computes these at compile time too.
func numeral(e ast.Expr) (n float64, ok bool) {
	switch e := e.(type) {
	case *ast.NumberExpr:
		return ParseNumber(e.Value)
	case *ast.UnaryMinusOpExpr:
		n, ok = numeral(e.Expr)
		return -n, ok
	case *ast.ArithmeticOpExpr:
		a, ok := numeral(e.Lhs)
		b, okay := numeral(e.Rhs)
		if op := e.Operator[0]; ok && okay && (b != 0 || op != '/' && op != '%') {
			if _, exact := power(a, b); op == '^' && !exact {
				return 0, false
			}
			n = compute(op, a, b)
			return n, n == n
		}
	}
	return 0, false
}
