package luavm

import (
	"fmt"
	"runtime"
	"strconv"
)

// Native is a function in Go. What it returns is valid until the thread calls another function.
type Native func(t *Thread, args []Value) []Value

// Function is a function of Lua: a compiled one with the variables that it shares, or one in Go.
type Function struct {
	object
	native Native
	proto  *proto
	shared []*Value
}

// NewFunction makes a value of a function in Go.
func NewFunction(native Native) Value {
	v := newFunction(&Function{native: native})
	v.o.address() // now: threads that run at the same time may share the function
	return v
}

func newFunction(f *Function) Value {
	f.kind, f.ref = KindFunction, f
	return Value{o: &f.object}
}

// machine has what all threads of a run share.
type machine struct {
	Settings
	waiting map[*coroutine]bool // those that have not ended
}

// Thread is a coroutine, or the run itself.
type Thread struct {
	object // of a coroutine
	*machine
	stack   []Value // registers and arguments
	largest []Value // the largest stack that was made
	top     int     // what is taken of the stack
	frames  []*frame
	depth   int     // of frames
	spare   int     // frames beyond the limit, for a handler of errors
	nested  int     // calls of C's luaD_call that wait for one another
	ret     []Value // what the last call returned
	buffer  []byte

	resumed *coroutine // nil: the run itself
}

// frame is a call of a function under way.
type frame struct {
	t         *Thread
	regs      []Value
	cells     []*Value // of variables that inner functions share, by their register
	extra     []Value  // the arguments beyond the parameters
	fn        *Function
	at        *site // the place that is being executed
	tailCalls int
	ret       []Value
	tail      *Function // called in place of this one, with ret
}

// site is a place in a script, and what is called there.
type site struct {
	line int
	name string // "local 'f'", or ""
}

// Limits of Lua 5.1: LUAI_MAXCALLS lets a stack of frames double up to 2^14, and LUAI_MAXCCALLS.
const (
	deepestCall = 1 << 14
	spareCalls  = 1 << 10

	deepestInBrowser = 500 // a worker's stack has about a megabyte
	deepestNest      = 200
	mostReturned     = 8000 // LUAI_MAXCSTACK
)

// Error is an error of a script that nothing has caught.
type Error struct {
	Value Value
	Line  int // of the script, at which it was raised; 0: none
}

func (e *Error) Error() string {
	text, ok := TextOf(e.Value)
	if !ok {
		text = "an error that is a " + e.Value.Kind().String()
	}
	return text
}

// alloc takes n values of the stack. They may hold anything. The caller returns them by resetting stack and top. A full
// stack goes on in the largest one that was made. That one is free: calls in it would have it as their stack.
func (t *Thread) alloc(n int) []Value {
	if t.top+n > len(t.stack) {
		if len(t.largest) < n || len(t.largest) == len(t.stack) {
			t.largest = make([]Value, max(2*len(t.stack), n+256))
		}
		t.stack, t.top = t.largest, 0
	}
	t.top += n
	return t.stack[t.top-n : t.top : t.top]
}

// push begins a call.
func (t *Thread) push(fn *Function) *frame {
	if t.depth == len(t.frames) {
		t.frames = append(t.frames, &frame{t: t})
	}
	if runtime.GOOS == "js" && t.depth >= deepestInBrowser {
		Abort(&CannotError{"a browser has no stack for so many calls within one another"})
	}
	if t.depth >= deepestCall+t.spare {
		t.Raise("stack overflow")
	}
	f := t.frames[t.depth]
	t.depth++
	f.fn, f.at, f.tailCalls = fn, nil, 0
	return f
}

// One returns one result of a native function.
func (t *Thread) One(v Value) []Value {
	t.ret = append(t.ret[:0], v)
	return t.ret
}

// All returns several results of a native function.
func (t *Thread) All(values ...Value) []Value {
	t.ret = append(t.ret[:0], values...)
	return t.ret
}

// invoke calls a value, from a script.
func (t *Thread) invoke(v Value, args []Value) []Value {
	fn, args := t.callable(v, args)
	if fn.native == nil {
		return t.run(fn, args)
	}
	t.push(fn)
	ret := fn.native(t, args)
	t.depth--
	return ret
}

// callable returns the function that the call of a value calls, and the arguments: those for its metamethod __call if
// it is no function.
func (t *Thread) callable(v Value, args []Value) (*Function, []Value) {
	if fn := v.function(); fn != nil {
		return fn, args
	}
	fn := t.metamethod(v, "__call").function()
	if fn == nil {
		name := ""
		if caller := t.frames[t.depth-1]; caller.at != nil && caller.at.name != iterator {
			name = caller.at.name
		}
		t.mistyped(v, "call", name)
	}
	return fn, append([]Value{v}, args...)
}

// Call calls a value from a native function, as lua_call does.
func (t *Thread) Call(v Value, args ...Value) []Value { return t.call(v, args) }

func (t *Thread) call(v Value, args []Value) []Value {
	if t.nested++; t.nested >= deepestNest {
		if t.nested == deepestNest {
			t.Raise("C stack overflow")
		}
	}
	ret := t.invoke(v, args)
	t.nested--
	return ret
}

// run calls a function of Lua. A call in return position replaces its caller.
func (t *Thread) run(fn *Function, args []Value) []Value {
	t.breathe()
	stack, top := t.stack, t.top
	f := t.push(fn)
	for {
		p := fn.proto
		given := min(len(args), p.params)
		f.extra = nil
		if p.vararg && len(args) > given {
			f.extra = append([]Value(nil), args[given:]...)
		}
		f.regs = t.alloc(p.registers)
		copy(f.regs, args[:given])
		clear(f.regs[given:])
		f.cells = nil
		if p.shares {
			f.cells = make([]*Value, p.registers)
			for _, i := range p.sharedParams {
				f.cells[i] = &Value{f.regs[i].n, f.regs[i].o}
			}
		}
		if p.arg != nil {
			p.arg(f)
		}
		f.ret, f.tail = nil, nil
		f.block(p.body)
		if f.tail == nil {
			break
		}
		fn, args = f.tail, f.ret
		f.fn = fn
		f.tailCalls++
		t.stack, t.top = stack, top
		t.breathe()
	}
	ret := f.ret
	t.depth--
	t.stack, t.top = stack, top
	return ret
}

// where returns the place of the call at a level, as luaL_where writes it. Level 0 is the innermost. It returns "" for
// a native function, and for a function that a call in return position has replaced.
func (t *Thread) where(level int) string {
	if line := t.line(level); line > 0 {
		return t.Name + ":" + strconv.Itoa(line) + ": "
	}
	return ""
}

// line returns the line of the call at a level, or 0.
func (t *Thread) line(level int) int {
	for i := t.depth - 1; i >= 0; i-- {
		f := t.frames[i]
		if level == 0 {
			if f.at == nil || f.fn.native != nil {
				return 0
			}
			return f.at.line
		}
		level--
		if f.fn.native == nil {
			if level -= f.tailCalls; level < 0 {
				return 0
			}
		}
	}
	return 0
}

// Raise raises an error of Lua itself, as luaG_runerror does: after the place, if a function of Lua runs.
func (t *Thread) Raise(format string, args ...any) {
	t.Throw(String(t.where(0) + fmt.Sprintf(format, args...)))
}

// Fail raises an error of a native function, as luaL_error does: after the place of its call.
func (t *Thread) Fail(format string, args ...any) {
	t.Throw(String(t.where(1) + fmt.Sprintf(format, args...)))
}

// Throw raises a value.
func (t *Thread) Throw(v Value) { panic(t.located(v)) }

// located is an error with the innermost line of the script that runs.
func (t *Thread) located(v Value) *Error {
	e := &Error{Value: v}
	for level := 0; level < t.depth && e.Line == 0; level++ {
		e.Line = t.line(level)
	}
	return e
}

// mistyped raises that an operation has met a value of the wrong type; name says where it comes from.
func (t *Thread) mistyped(v Value, operation, name string) {
	if name != "" {
		t.Raise("attempt to %s %s (a %s value)", operation, name, v.Kind())
	}
	t.Raise("attempt to %s a %s value", operation, v.Kind())
}

// protect calls f, and returns the error that it raises. handle, if any, gets it while the stack still stands.
func (t *Thread) protect(f func(), handle func(*Error)) (caught *Error) {
	stack, top, depth, nested := t.stack, t.top, t.depth, t.nested
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		e, ok := r.(*Error)
		if !ok {
			panic(r)
		}
		if handle != nil {
			t.spare += spareCalls
			handle(e)
			t.spare -= spareCalls
		}
		caught = e
		t.stack, t.top, t.depth, t.nested = stack, top, depth, nested
	}()
	f()
	return nil
}

// Instead calls a native function in the place of the one that runs.
func (t *Thread) Instead(v Value, args []Value) []Value { return v.function().native(t, args) }
