package luavm

import (
	"errors"
	"strconv"
	"strings"

	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
)

// A compiled script consists of functions: an expression gives a value, a list gives several, which are valid until the
// next call, and a step does a statement.
type (
	expr func(f *frame) Value
	list func(f *frame) []Value
	step func(f *frame) flow
)

// flow says how a step ended.
type flow uint8

const (
	onward   flow = iota // the following step is next
	leaves               // the loop is left
	returned             // the function is left
)

// Script is a compiled script.
type Script struct{ main *proto }

// compiler makes the code of a script.
type compiler struct {
	resolver
	texts map[string]*object // constants
}

// Compile compiles a script. The error is a *SyntaxError.
func Compile(source string) (script *Script, err error) {
	text, wrong := prepared(source)
	if wrong != nil {
		return nil, wrong
	}
	chunk, err := parse.Parse(strings.NewReader(text), "user_script")
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
	c := &compiler{resolver: resolver{uses: map[*ast.IdentExpr]*variable{}, declared: map[any][]*variable{},
		functions: map[*ast.FunctionExpr]*function{}}, texts: map[string]*object{}}
	main := &ast.FunctionExpr{ParList: &ast.ParList{HasVargs: true}, Stmts: chunk}
	c.resolver.function(main, false)
	return &Script{c.function(main)}, nil
}

// block does steps until one leaves.
func (f *frame) block(steps []step) flow {
	for _, s := range steps {
		if how := s(f); how != onward {
			return how
		}
	}
	return onward
}

// function compiles the body of a function.
func (c *compiler) function(e *ast.FunctionExpr) *proto {
	outer := c.fn
	c.fn = c.functions[e]
	p := c.fn.proto
	for _, v := range c.declared[e] {
		if v.shared {
			p.sharedParams = append(p.sharedParams, v.register)
		}
	}
	if params := c.declared[e]; p.vararg && !c.fn.usesRest && len(params) > 0 {
		set := c.setter(params[len(params)-1])
		p.arg = func(f *frame) {
			t := NewTable(len(f.extra), 1)
			copy(t.array, f.extra)
			t.SetName("n", Int(len(f.extra)))
			set(f, t.Value())
		}
	}
	p.body = c.statements(e.Stmts)
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
		body := c.statements(s.Stmts)
		return func(f *frame) flow { return f.block(body) }
	case *ast.WhileStmt:
		return c.while(s)
	case *ast.RepeatStmt:
		body, until, at := c.statements(s.Stmts), c.condition(s.Condition), &site{line: s.Line()}
		return func(f *frame) flow {
			for {
				f.turn(at)
				if how := f.block(body); how != onward {
					return how.afterLoop()
				}
				if until(f) {
					return onward
				}
			}
		}
	case *ast.IfStmt:
		test, then, otherwise := c.condition(s.Condition), c.statements(s.Then), c.statements(s.Else)
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
	}
	return func(*frame) flow { return leaves }
}

// afterLoop returns how a loop ends, given how its body ended.
func (how flow) afterLoop() flow {
	if how == leaves {
		return onward
	}
	return how
}

// turn begins a turn of the loop at a place.
func (f *frame) turn(at *site) {
	if f.t.stop != nil {
		f.at = at
		f.t.breathe()
	}
}

// breathe ends the run if it was stopped. The error says where, and no script can catch it.
func (t *Thread) breathe() {
	if t.stop == nil {
		return
	}
	if err := t.stop(); err != nil {
		e := t.located(String(err.Error()))
		e.Value = String(t.name + ":" + strconv.Itoa(e.Line) + ": " + err.Error())
		Abort(e)
	}
}

func (c *compiler) while(s *ast.WhileStmt) step {
	test, body, at := c.condition(s.Condition), c.statements(s.Stmts), &site{line: s.Line()}
	return func(f *frame) flow {
		for test(f) {
			f.turn(at)
			if how := f.block(body); how != onward {
				return how.afterLoop()
			}
		}
		return onward
	}
}

// setter sets a variable of the function that is compiled. A shared one becomes a new one.
func (c *compiler) setter(v *variable) func(f *frame, to Value) {
	r := v.register
	if v.shared {
		return func(f *frame, to Value) { f.cells[r] = &to }
	}
	return func(f *frame, to Value) { f.regs[r] = to }
}

func (c *compiler) setters(by any) []func(f *frame, to Value) {
	var all []func(f *frame, to Value)
	for _, v := range c.declared[by] {
		all = append(all, c.setter(v))
	}
	return all
}

func (c *compiler) local(s *ast.LocalAssignStmt) step {
	set := c.setters(s)
	switch {
	case isLocalFunction(s): // it sees itself
		value := c.expression(s.Exprs[0])
		get := c.getter(c.declared[s][0])
		shared := c.declared[s][0].shared
		return func(f *frame) flow {
			if !shared {
				set[0](f, value(f))
				return onward
			}
			set[0](f, Nil)
			*get(f) = value(f)
			return onward
		}
	case len(set) == 1 && len(s.Exprs) == 1:
		value, only := c.expression(s.Exprs[0]), set[0]
		if v := c.declared[s][0]; !v.shared {
			r := v.register
			return func(f *frame) flow {
				f.regs[r] = value(f)
				return onward
			}
		}
		return func(f *frame) flow {
			only(f, value(f))
			return onward
		}
	}
	values := c.list(s.Exprs)
	return func(f *frame) flow {
		given := values(f)
		for i := range set {
			if i < len(given) {
				set[i](f, given[i])
			} else {
				set[i](f, Nil)
			}
		}
		return onward
	}
}

// getter returns a function that finds the place of a variable.
func (c *compiler) getter(v *variable) func(f *frame) *Value {
	r := v.register
	switch {
	case v.owner != c.fn:
		i := c.fn.upvalue(v, &c.resolver)
		return func(f *frame) *Value { return f.fn.shared[i] }
	case v.shared:
		return func(f *frame) *Value { return f.cells[r] }
	}
	return func(f *frame) *Value { return &f.regs[r] }
}

// target is the left side of an assignment. Its parts are computed before the value.
type target struct {
	object, key         expr // of an element
	lateObject, lateKey bool // they are read when the value is there
	set                 func(f *frame, object, key, to Value)
}

// parts computes the object and the key that are read late, or those that are not.
func (t *target) parts(f *frame, late bool, object, key Value) (Value, Value) {
	if t.object != nil && t.lateObject == late {
		object = t.object(f)
	}
	if t.key != nil && t.lateKey == late {
		key = t.key(f)
	}
	return object, key
}

func (c *compiler) target(e ast.Expr) target {
	switch e := e.(type) {
	case *ast.IdentExpr:
		if v := c.uses[e]; v != nil {
			at := c.getter(v)
			return target{set: func(f *frame, _, _, to Value) { *at(f) = to }}
		}
		name, at := Value{o: c.text(e.Value)}, &site{line: e.Line()}
		return target{set: func(f *frame, _, _, to Value) {
			f.at = at
			f.t.setIndex(f.t.globals.Value(), name, to, "")
		}}
	case *ast.AttrGetExpr:
		at := &site{e.Line(), c.describe(e.Object)}
		set := func(f *frame, object, key, to Value) {
			if t := object.Table(); t != nil && !t.readOnly {
				if place := t.find(key); place != nil && (place.o != nil || t.meta == nil) {
					*place = to
					return
				}
			}
			f.at = at
			f.t.setIndex(object, key, to, at.name)
		}
		return target{c.expression(e.Object), c.expression(e.Key), c.late(e.Object), c.late(e.Key), set}
	}
	c.fail(e.Line(), "syntax error")
	return target{}
}

func (c *compiler) assignment(s *ast.AssignStmt) step {
	if len(s.Lhs) > 1 || len(s.Rhs) > 1 {
		return c.assignments(s)
	}
	target, value := c.target(s.Lhs[0]), c.expression(s.Rhs[0])
	if target.object == nil {
		return func(f *frame) flow {
			target.set(f, Nil, Nil, value(f))
			return onward
		}
	}
	return func(f *frame) flow {
		object, key := target.parts(f, false, Nil, Nil)
		to := value(f)
		object, key = target.parts(f, true, object, key)
		target.set(f, object, key, to)
		return onward
	}
}

// assignments computes the parts of all targets, then all values. Then the targets get them, the last one first.
func (c *compiler) assignments(s *ast.AssignStmt) step {
	var targets []target
	assigned := map[*variable]bool{}
	for _, e := range s.Lhs {
		targets = append(targets, c.target(e))
		if name, ok := e.(*ast.IdentExpr); ok {
			assigned[c.uses[name]] = true
		}
	}
	for i, e := range s.Lhs { // C copies a variable that the same statement assigns to
		if element, ok := e.(*ast.AttrGetExpr); ok {
			copied := func(part ast.Expr) bool {
				name, ok := part.(*ast.IdentExpr)
				return ok && assigned[c.uses[name]]
			}
			targets[i].lateObject = targets[i].lateObject && !copied(element.Object)
			targets[i].lateKey = targets[i].lateKey && !copied(element.Key)
		}
	}
	values := c.list(s.Rhs)
	return func(f *frame) flow {
		t := f.t
		stack, top := t.stack, t.top
		parts := t.alloc(3 * len(targets))
		for i := range targets {
			parts[3*i], parts[3*i+1] = targets[i].parts(f, false, Nil, Nil)
		}
		given := values(f)
		for i := range targets {
			parts[3*i+2] = Nil
			if i < len(given) {
				parts[3*i+2] = given[i]
			}
		}
		for i := len(targets) - 1; i >= 0; i-- {
			object, key := targets[i].parts(f, true, parts[3*i], parts[3*i+1])
			targets[i].set(f, object, key, parts[3*i+2])
		}
		t.stack, t.top = stack, top
		return onward
	}
}

// count compiles a loop over numbers.
func (c *compiler) count(s *ast.NumberForStmt) step {
	first, last, increment := c.expression(s.Init), c.expression(s.Limit), expr(nil)
	if s.Step != nil {
		increment = c.expression(s.Step)
	}
	set, body, at := c.setters(s)[0], c.statements(s.Stmts), &site{line: s.Line()}
	number := func(f *frame, v Value, what string) float64 {
		n, ok := AsNumber(v)
		if !ok {
			f.at = at
			f.t.Raise("'for' %s must be a number", what)
		}
		return n
	}
	return func(f *frame) flow {
		from, to, by := first(f), last(f), Number(1)
		if increment != nil {
			by = increment(f)
		}
		i, limit, width := number(f, from, "initial value"), number(f, to, "limit"), number(f, by, "step")
		for i = i - width + width; width > 0 && i <= limit || !(width > 0) && limit <= i; i += width {
			f.turn(at)
			set(f, Number(i))
			if how := f.block(body); how != onward {
				return how.afterLoop()
			}
		}
		return onward
	}
}

// iterator is C's name for the function of a for loop, in errors about its arguments.
const iterator = "local '(for generator)'"

// each compiles a loop over the values of an iterator.
func (c *compiler) each(s *ast.GenericForStmt) step {
	values, set, body := c.list(s.Exprs), c.setters(s), c.statements(s.Stmts)
	at := &site{s.Line(), iterator}
	return func(f *frame) flow {
		state := f.t.alloc(3)
		clear(state[copy(state, values(f)):])
		for {
			f.turn(at)
			f.at = at
			given := f.t.call(state[0], state[1:])
			if len(given) == 0 || given[0].IsNil() {
				return onward
			}
			state[2] = given[0]
			for i := range set {
				if i < len(given) {
					set[i](f, given[i])
				} else {
					set[i](f, Nil)
				}
			}
			if how := f.block(body); how != onward {
				return how.afterLoop()
			}
		}
	}
}

// definition compiles `function a.b.c:d() … end`.
func (c *compiler) definition(s *ast.FuncDefStmt) step {
	var to target
	if s.Name.Receiver != nil {
		key := &ast.StringExpr{Value: s.Name.Method}
		to = c.target(&ast.AttrGetExpr{Object: s.Name.Receiver, Key: key})
	} else {
		to = c.target(s.Name.Func)
	}
	value := c.closure(s.Func)
	return func(f *frame) flow {
		object, key := to.parts(f, false, Nil, Nil)
		object, key = to.parts(f, true, object, key)
		to.set(f, object, key, value(f))
		return onward
	}
}

// result compiles a return. A call there replaces the running function.
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

// text returns the constant of a string.
func (c *compiler) text(s string) *object {
	if c.texts[s] == nil {
		c.texts[s] = String(s).o
	}
	return c.texts[s]
}

// constant is a number that the script writes. In C the zeros of a function share a place: the first one's sign counts.
func (c *compiler) constant(n float64) expr {
	if n == 0 {
		if c.fn.zero == nil {
			c.fn.zero = &n
		}
		n = *c.fn.zero
	}
	return func(*frame) Value { return Number(n) }
}

// numeral returns the value of a constant number, or of an operation on constants: C computes it at compile time.
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
