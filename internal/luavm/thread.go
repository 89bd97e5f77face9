package luavm

import (
	"fmt"
	"runtime"
	"strconv"
)

// Native is a function written in Go. Its results are valid until the thread calls another function.
type Native func(t *Thread, args []Value) []Value

// Function is a callable function: a compiled Lua function with its shared variables, or a Native.
type Function struct {
	object
	native Native
	proto  *proto
	shared []*Value
}

// NewFunction returns a Native as a Value.
func NewFunction(native Native) Value {
	v := newFunction(&Function{native: native})
	v.o.address() // now, because several threads may use the function at the same time
	return v
}

func newFunction(f *Function) Value {
	f.kind, f.ref = KindFunction, f
	return Value{o: &f.object}
}

// machine holds the state that all threads of a run share.
type machine struct {
	Settings
	waiting map[*coroutine]bool // the coroutines that have not ended
}

// Thread is a coroutine, or the main thread of a run.
type Thread struct {
	object // identifies a coroutine as a value
	*machine
	stack   []Value // registers and arguments
	largest []Value // the largest stack that was made
	top     int     // the number of used elements of stack
	frames  []*frame
	depth   int     // number of frames in use
	spare   int     // additional frames that an error handler may use
	nested  int     // calls of C's luaD_call in progress
	ret     []Value // the results of the last call
	buffer  []byte

	resumed *coroutine // nil: the main thread
}

// frame is a function call in progress.
type frame struct {
	t         *Thread
	regs      []Value
	cells     []*Value // variables shared with inner functions, by register
	extra     []Value  // the arguments beyond the parameters
	fn        *Function
	at        *site // the place that is being executed
	tailCalls int
	ret       []Value
	tail      *Function // tail call: run calls it next, with ret as arguments
}

// site is a place in a script, with the name of the operand or the called function.
type site struct {
	line int
	name string // "local 'f'", or ""
}

// Limits of Lua 5.1: LUAI_MAXCALLS, up to which a stack of frames can double (2^14), and LUAI_MAXCCALLS.
const (
	deepestCall = 1 << 14
	spareCalls  = 1 << 10

	deepestInBrowser = 500 // the stack of a web worker has about 1 MB
	deepestNest      = 200
	mostReturned     = 8000 // LUAI_MAXCSTACK
)

// Error is an error that the script raised and did not catch.
type Error struct {
	Value Value
	Line  int // the line of the script that raised the error; 0: unknown
}

func (e *Error) Error() string {
	text, ok := TextOf(e.Value)
	if !ok {
		text = "an error that is a " + e.Value.Kind().String()
	}
	return text
}

// alloc reserves n values on the stack. Their contents are undefined. The caller frees them by resetting stack and top.
// If the stack is full, alloc continues in the largest stack. That stack is free, since a call that ran in it would
// have it as its current stack.
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

// push adds the frame of a call.
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

// One returns v as the only result of a native function.
func (t *Thread) One(v Value) []Value {
	t.ret = append(t.ret[:0], v)
	return t.ret
}

// All returns several results of a native function.
func (t *Thread) All(values ...Value) []Value {
	t.ret = append(t.ret[:0], values...)
	return t.ret
}

// invoke calls a value from Lua code.
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

// callable returns the function that a call of v runs, and its arguments. If v is not a function, these are its
// metamethod __call, with v as the first argument.
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

// run calls a Lua function. A tail call replaces its caller.
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

// where returns the place of the call at a level as luaL_where writes it. Level 0 is the innermost call. It returns ""
// for a native function, and for a function that a tail call has replaced.
func (t *Thread) where(level int) string {
	if line := t.line(level); line > 0 {
		return t.Name + ":" + strconv.Itoa(line) + ": "
	}
	return ""
}

// line returns the line of the call at a level, or 0 if it has none.
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

// Raise raises an error of Lua itself, as luaG_runerror does. If a Lua function is running, the message begins with its
// place.
func (t *Thread) Raise(format string, args ...any) {
	t.Throw(String(t.where(0) + fmt.Sprintf(format, args...)))
}

// Fail raises an error of a native function, as luaL_error does. The message begins with the place of the call.
func (t *Thread) Fail(format string, args ...any) {
	t.Throw(String(t.where(1) + fmt.Sprintf(format, args...)))
}

// Throw raises a value as an error.
func (t *Thread) Throw(v Value) { panic(t.located(v)) }

// located returns v as an error, with the line of the innermost Lua function.
func (t *Thread) located(v Value) *Error {
	e := &Error{Value: v}
	for level := 0; level < t.depth && e.Line == 0; level++ {
		e.Line = t.line(level)
	}
	return e
}

// mistyped raises an error about an operation on a value of the wrong type. The name is the origin of the value.
func (t *Thread) mistyped(v Value, operation, name string) {
	if name != "" {
		t.Raise("attempt to %s %s (a %s value)", operation, name, v.Kind())
	}
	t.Raise("attempt to %s a %s value", operation, v.Kind())
}

// protect calls f, and returns the error that f raises. If handle is not nil, it gets the error before the stack is
// unwound.
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

// Instead calls a native function in place of the running one.
func (t *Thread) Instead(v Value, args []Value) []Value { return v.function().native(t, args) }
