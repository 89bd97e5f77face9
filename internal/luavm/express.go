package luavm

import "github.com/yuin/gopher-lua/ast"

// isMulti reports whether an expression can have any number of values.
func isMulti(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.FuncCallExpr:
		return !e.AdjustRet
	case *ast.Comma3Expr:
		return !e.AdjustRet
	}
	return false
}

// end returns the last line of an expression. C reports errors of an operator on that line.
func end(e ast.Expr) int {
	switch e := e.(type) {
	case *ast.ArithmeticOpExpr:
		return end(e.Rhs)
	case *ast.RelationalOpExpr:
		return end(e.Rhs)
	case *ast.StringConcatOpExpr:
		return end(e.Rhs)
	case *ast.LogicalOpExpr:
		return end(e.Rhs)
	case *ast.AttrGetExpr:
		return end(e.Key)
	}
	return max(e.Line(), e.LastLine())
}

// expression compiles an expression that yields exactly one value.
func (c *compiler) expression(e ast.Expr) expr {
	if n, ok := numeral(e); ok {
		return c.constant(n)
	}
	switch e := e.(type) {
	case *ast.TrueExpr:
		return func(*frame) Value { return True }
	case *ast.FalseExpr:
		return func(*frame) Value { return False }
	case *ast.NilExpr:
		return func(*frame) Value { return Nil }
	case *ast.StringExpr:
		v := c.text(e.Value)
		return func(*frame) Value { return v }
	case *ast.IdentExpr:
		return c.variable(e)
	case *ast.AttrGetExpr:
		return c.element(e)
	case *ast.FuncCallExpr, *ast.Comma3Expr:
		values := c.multi(e)
		return func(f *frame) Value { return first(values(f)) }
	case *ast.TableExpr:
		return c.constructor(e)
	case *ast.FunctionExpr:
		return c.closure(e)
	case *ast.LogicalOpExpr:
		if _, ok := numeral(e.Lhs); ok && e.Operator == "and" {
			return c.expression(e.Rhs)
		}
		left, right, and := c.expression(e.Lhs), c.expression(e.Rhs), e.Operator == "and"
		return func(f *frame) Value {
			if v := left(f); v.Truth() != and {
				return v
			}
			return right(f)
		}
	case *ast.RelationalOpExpr, *ast.UnaryNotOpExpr:
		test := c.condition(e)
		return func(f *frame) Value { return Bool(test(f)) }
	case *ast.StringConcatOpExpr:
		return c.concatenation(e)
	case *ast.ArithmeticOpExpr:
		return c.arithmetic(e)
	case *ast.UnaryMinusOpExpr:
		v, at := c.expression(e.Expr), &site{e.Line(), c.describe(e.Expr)}
		return func(f *frame) Value {
			n := v(f)
			if n.isNumber() {
				return Number(-n.n)
			}
			f.at = at
			return f.t.arithmetic('u', n, n, at.name, at.name)
		}
	case *ast.UnaryLenOpExpr:
		v, at := c.expression(e.Expr), &site{e.Line(), c.describe(e.Expr)}
		return func(f *frame) Value {
			of := v(f)
			f.at = at
			return f.t.length(of, at.name)
		}
	}
	c.fail(e.Line(), "syntax error")
	return nil
}

// condition compiles an expression that is only tested for truth.
func (c *compiler) condition(e ast.Expr) func(f *frame) bool {
	if _, ok := numeral(e); ok {
		return func(*frame) bool { return true }
	}
	switch e := e.(type) {
	case *ast.UnaryNotOpExpr:
		test := c.condition(e.Expr)
		return func(f *frame) bool { return !test(f) }
	case *ast.LogicalOpExpr:
		left, right, and := c.condition(e.Lhs), c.condition(e.Rhs), e.Operator == "and"
		return func(f *frame) bool {
			if left(f) != and {
				return !and
			}
			return right(f)
		}
	case *ast.RelationalOpExpr:
		return c.comparison(e)
	}
	value := c.expression(e)
	return func(f *frame) bool { return value(f).Truth() }
}

// variable compiles the use of a name.
func (c *compiler) variable(e *ast.IdentExpr) expr {
	v, upvalue := c.find(e.Value)
	switch {
	case v == nil:
		key, at := c.text(e.Value), &site{line: e.Line()}
		return func(f *frame) Value {
			f.at = at
			return f.t.index(f.t.Globals.Value(), key, "")
		}
	case upvalue >= 0:
		return func(f *frame) Value { return *f.fn.shared[upvalue] }
	}
	r := v.register
	if v.shared {
		return func(f *frame) Value { return *f.cells[r] }
	}
	return func(f *frame) Value { return f.regs[r] }
}

// late reports whether C Lua reads the operand e only after it has evaluated the other operand. It does so for local
// variables. The difference shows only if a call may change the variable, which needs an inner function that shares it.
func (c *compiler) late(e ast.Expr) bool {
	name, ok := e.(*ast.IdentExpr)
	if !ok {
		return false
	}
	v, upvalue := c.find(name.Value)
	return v != nil && upvalue < 0 && v.shared
}

// operands compiles two operands. With lateNumber, a numeric constant on the left is numbered after the constants on
// the right.
func (c *compiler) operands(left, right ast.Expr, lateNumber bool) func(f *frame) (a, b Value) {
	var second expr
	if _, ok := numeral(left); ok && lateNumber {
		second = c.expression(right)
	}
	first := c.expression(left)
	if second == nil {
		second = c.expression(right)
	}
	if c.late(left) {
		return func(f *frame) (a, b Value) {
			b = second(f)
			return first(f), b
		}
	}
	return func(f *frame) (a, b Value) {
		a = first(f)
		return a, second(f)
	}
}

// describe returns the origin of a value, as error messages name it, such as "local 'x'". It returns "" if Lua names no
// origin.
func (c *compiler) describe(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.IdentExpr:
		v, upvalue := c.find(e.Value)
		switch {
		case v == nil:
			return "global '" + e.Value + "'"
		case upvalue < 0:
			return "local '" + e.Value + "'"
		}
		return "upvalue '" + e.Value + "'"
	case *ast.AttrGetExpr:
		if key, ok := e.Key.(*ast.StringExpr); ok {
			return "field '" + key.Value + "'"
		}
		return "field '?'"
	case *ast.LogicalOpExpr: // C names the last operand of `a and b or c`, unless it omits the jump to it
		left, ok := e.Lhs.(*ast.LogicalOpExpr)
		if ok && left.Operator != e.Operator && truth(left.Lhs) != left.Operator {
			return c.describe(e.Rhs)
		}
	}
	return ""
}

// truth returns "and" for a constant that is true, "or" for a constant that is false, and "" for anything else.
func truth(e ast.Expr) string {
	switch e.(type) {
	case *ast.TrueExpr, *ast.NumberExpr, *ast.StringExpr:
		return "and"
	case *ast.FalseExpr, *ast.NilExpr:
		return "or"
	}
	return ""
}

// element compiles t[key].
func (c *compiler) element(e *ast.AttrGetExpr) expr {
	both, at := c.operands(e.Object, e.Key, false), &site{e.Line(), c.describe(e.Object)}
	return func(f *frame) Value {
		of, k := both(f)
		if t := of.Table(); t != nil {
			if v := t.Get(k); v.o != nil || t.meta == nil {
				return v
			}
		}
		f.at = at
		return f.t.index(of, k, at.name)
	}
}

// values compiles a list of expressions. The last one may have several values. The values are put on the stack, after
// room for that many more.
func (c *compiler) values(room int, all []ast.Expr) list {
	var single []expr
	var last list
	for i, e := range all {
		if i == len(all)-1 && isMulti(e) {
			last = c.multi(e)
		} else {
			single = append(single, c.expression(e))
		}
	}
	return func(f *frame) []Value {
		values := f.t.alloc(room + len(single))
		for i, e := range single {
			values[room+i] = e(f)
		}
		if last != nil {
			values = f.t.join(values, last(f))
		}
		return values
	}
}

// list compiles a list of expressions. The last one may have several values.
func (c *compiler) list(all []ast.Expr) list {
	if len(all) == 1 && isMulti(all[0]) {
		return c.multi(all[0])
	}
	values := c.values(0, all)
	return func(f *frame) []Value {
		stack, top := f.t.stack, f.t.top
		all := values(f)
		f.t.stack, f.t.top = stack, top
		return all
	}
}

// join appends the results of a call to values. These must be the topmost values of the stack.
func (t *Thread) join(values, more []Value) []Value {
	n := len(values) + len(more)
	if t.top+len(more) > len(t.stack) { // the stack is full: continue in another one
		all := t.alloc(n)
		copy(all[len(values):], more)
		copy(all, values)
		return all
	}
	copy(t.alloc(len(more)), more)
	return t.stack[t.top-n : t.top : t.top]
}

// multi compiles an expression with several values.
func (c *compiler) multi(e ast.Expr) list {
	if call, ok := e.(*ast.FuncCallExpr); ok {
		return c.call(call)
	}
	if c.fn.usesRest = true; !c.fn.vararg {
		c.fail(e.Line(), "cannot use '...' outside a vararg function near '...'")
	}
	return func(f *frame) []Value { return f.extra }
}

// prepare compiles a call except for the call itself. It evaluates the function, and puts the arguments on the stack.
func (c *compiler) prepare(e *ast.FuncCallExpr) func(f *frame) (Value, []Value) {
	if e.Receiver == nil {
		of, at, values := c.expression(e.Func), &site{end(e.Func), c.describe(e.Func)}, c.values(0, e.Args)
		return func(f *frame) (Value, []Value) {
			callee := of(f)
			args := values(f)
			f.at = at
			return callee, args
		}
	}
	of, method, values := c.expression(e.Receiver), c.text(e.Method), c.values(1, e.Args)
	looked, at := &site{e.Line(), c.describe(e.Receiver)}, &site{e.Line(), "method '" + e.Method + "'"}
	return func(f *frame) (Value, []Value) {
		self := of(f)
		f.at = looked
		callee := f.t.index(self, method, looked.name)
		args := values(f)
		args[0] = self
		f.at = at
		return callee, args
	}
}

func (c *compiler) call(e *ast.FuncCallExpr) list {
	prepare := c.prepare(e)
	return func(f *frame) []Value {
		t := f.t
		stack, top := t.stack, t.top
		callee, args := prepare(f)
		ret := t.invoke(callee, args)
		t.stack, t.top = stack, top
		return ret
	}
}

// tailCall compiles a call in return position. A Lua function is not called here, but by the loop in run, so that the
// stack does not grow.
func (c *compiler) tailCall(e *ast.FuncCallExpr) step {
	prepare := c.prepare(e)
	return func(f *frame) flow {
		fn, args := f.t.callable(prepare(f))
		if fn.native == nil {
			f.tail, f.ret = fn, args
		} else {
			f.ret = f.t.invoke(Value{o: &fn.object}, args)
		}
		return returned
	}
}

// closure compiles a function expression. The closure keeps the variables of the enclosing functions that it uses.
func (c *compiler) closure(e *ast.FunctionExpr) expr {
	p := c.function(e)
	return func(f *frame) Value {
		fn := &Function{proto: p, shared: make([]*Value, len(p.origins))}
		for i, from := range p.origins {
			if from.register {
				fn.shared[i] = f.cells[from.index]
			} else {
				fn.shared[i] = f.fn.shared[from.index]
			}
		}
		return newFunction(fn)
	}
}

// perFlush is the number of list elements that C stores into a new table at a time.
const perFlush = 50

// constructor compiles a table constructor. Named fields are stored one by one, list elements in groups of perFlush.
func (c *compiler) constructor(e *ast.TableExpr) expr {
	type field struct {
		key, value expr
		several    list // instead of value
		at         *site
	}
	fields := make([]field, len(e.Fields))
	elements, names := 0, 0
	for i, part := range e.Fields {
		switch {
		case part.Key != nil:
			names++
			fields[i] = field{key: c.expression(part.Key), value: c.expression(part.Value),
				at: &site{line: part.Key.Line()}}
		case i == len(e.Fields)-1 && isMulti(part.Value):
			fields[i].several = c.multi(part.Value)
		default:
			elements++
			fields[i].value = c.expression(part.Value)
		}
	}
	elements, names = roundedUp(elements), roundedUp(names)
	return func(f *frame) Value {
		t := f.t
		stack, top := t.stack, t.top
		table := NewTable(elements, names)
		done, waiting := 0, t.alloc(perFlush)[:0]
		flush := func() {
			if n := done + len(waiting); n > len(table.array) {
				table.resize(n, len(table.nodes))
			}
			for i := len(waiting); i > 0; i-- {
				table.SetInt(done+i, waiting[i-1])
			}
			done, waiting = done+len(waiting), waiting[:0]
		}
		for _, field := range fields {
			if field.key != nil {
				key, value := field.key(f), field.value(f)
				f.at = field.at
				t.setIndex(table.Value(), key, value, "")
				continue
			}
			if len(waiting) == perFlush {
				flush()
			}
			if field.several != nil {
				waiting = append(waiting, field.several(f)...)
			} else {
				waiting = append(waiting, field.value(f))
			}
		}
		flush()
		t.stack, t.top = stack, top
		return table.Value()
	}
}

// roundedUp rounds n up to a size that C can store in the NEWTABLE instruction: four significant bits, as luaO_int2fb
// does.
func roundedUp(n int) int {
	shift := 0
	for n >= 16 {
		n = (n + 1) >> 1
		shift++
	}
	return n << shift
}

// comparison compiles a comparison. For > and >=, the operands are exchanged.
func (c *compiler) comparison(e *ast.RelationalOpExpr) func(f *frame) bool {
	both, at := c.operands(e.Lhs, e.Rhs, false), &site{line: end(e)}
	if op := e.Operator; op == "==" || op == "~=" {
		equal := op == "=="
		return func(f *frame) bool {
			a, b := both(f)
			if same(a, b) {
				return equal
			}
			f.at = at
			return f.t.equal(a, b) == equal
		}
	}
	swap, orEqual := e.Operator[0] == '>', len(e.Operator) > 1
	return func(f *frame) bool {
		a, b := both(f)
		if swap {
			a, b = b, a
		}
		if a.isNumber() && b.isNumber() {
			return a.n < b.n || orEqual && a.n == b.n
		}
		f.at = at
		return f.t.ordered(a, b, orEqual)
	}
}

func (c *compiler) arithmetic(e *ast.ArithmeticOpExpr) expr {
	both, op := c.operands(e.Lhs, e.Rhs, true), e.Operator[0]
	at, leftName, rightName := &site{line: end(e)}, c.describe(e.Lhs), c.describe(e.Rhs)
	return func(f *frame) Value {
		a, b := both(f)
		if a.o == &numberObject && b.o == &numberObject {
			return Number(compute(op, a.n, b.n))
		}
		f.at = at
		return f.t.arithmetic(op, a, b, leftName, rightName)
	}
}

// concatenation compiles a .. b .. c. Lua joins the operands from the right.
func (c *compiler) concatenation(e *ast.StringConcatOpExpr) expr {
	var parts []expr
	var names []string
	at := &site{line: end(e)}
	for operand := ast.Expr(e); operand != nil; {
		left := operand
		operand = nil
		if joined, ok := left.(*ast.StringConcatOpExpr); ok {
			left, operand = joined.Lhs, joined.Rhs
		}
		parts, names = append(parts, c.expression(left)), append(names, c.describe(left))
	}
	return func(f *frame) Value {
		t := f.t
		stack, top := t.stack, t.top
		values := t.alloc(len(parts))
		for i, part := range parts {
			values[i] = part(f)
		}
		f.at = at
		joined := t.concat(values, names)
		t.stack, t.top = stack, top
		return joined
	}
}
