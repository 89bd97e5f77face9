package luavm

import "iter"

// coroutine is a thread that runs when another thread resumes it.
type coroutine struct {
	thread *Thread
	status string
	nested int     // calls of C in progress when it was resumed
	passed []Value // from resume to yield, or from yield to resume
	failed *Error
	resume func() (struct{}, bool)
	yield  func(struct{}) bool
	end    func()
}

const (
	running   = "running"
	suspended = "suspended"
	normal    = "normal"
	dead      = "dead"
)

func coroutines() map[string]Native {
	return map[string]Native{
		"create": func(t *Thread, args []Value) []Value { return t.One(Value{o: &t.create(args).thread.object}) },
		"wrap": func(t *Thread, args []Value) []Value {
			co := t.create(args)
			return t.One(NewFunction(func(t *Thread, args []Value) []Value {
				values, failed := t.resume(co, args)
				if failed != nil {
					if text, ok := TextOf(failed.Value); ok {
						failed.Value = String(t.where(1) + text)
					}
					panic(failed)
				}
				return t.All(values...)
			}))
		},
		"resume": func(t *Thread, args []Value) []Value {
			values, failed := t.resume(t.thread(args), args[1:])
			if failed != nil {
				return t.All(False, failed.Value)
			}
			return t.All(append([]Value{True}, values...)...)
		},
		"yield": func(t *Thread, args []Value) []Value {
			co := t.resumed
			if co == nil || t.nested > co.nested {
				t.Raise("attempt to yield across metamethod/C-call boundary")
			}
			co.passed = append([]Value(nil), args...)
			if !co.yield(struct{}{}) {
				panic(co) // the run has ended
			}
			return t.All(co.passed...)
		},
		"status": func(t *Thread, args []Value) []Value { return t.One(String(t.thread(args).status)) },
		"running": func(t *Thread, _ []Value) []Value {
			if t.resumed == nil {
				return t.One(Nil)
			}
			return t.One(Value{o: &t.object})
		},
	}
}

// thread returns the first argument, which must be a coroutine.
func (t *Thread) thread(args []Value) *coroutine {
	if v := argument(args, 1); v.Kind() == KindThread {
		return v.o.ref.(*coroutine)
	}
	t.BadArgument(1, "coroutine expected")
	return nil
}

func (t *Thread) create(args []Value) *coroutine {
	fn := argument(args, 1).function()
	if fn == nil || fn.native != nil {
		t.BadArgument(1, "Lua function expected")
	}
	co := &coroutine{thread: &Thread{machine: t.machine}, status: suspended}
	co.thread.resumed, co.thread.object = co, object{kind: KindThread, ref: co}
	t.waiting[co] = true
	co.resume, co.end = iter.Pull(func(yield func(struct{}) bool) {
		defer func() {
			if r := recover(); r != nil && r != co {
				panic(r)
			}
		}()
		co.yield = yield
		co.failed = co.thread.protect(func() {
			co.passed = append([]Value(nil), co.thread.run(fn, co.passed)...)
		}, nil)
		co.status = dead
		delete(t.waiting, co)
	})
	return co
}

// resume runs a coroutine until it yields, returns or fails.
func (t *Thread) resume(co *coroutine, args []Value) ([]Value, *Error) {
	if co.status != suspended {
		return nil, &Error{Value: String("cannot resume " + co.status + " coroutine")}
	}
	if t.nested >= deepestNest {
		return nil, &Error{Value: String("C stack overflow")}
	}
	co.nested = t.nested + 1
	co.thread.nested = co.nested
	if t.resumed != nil {
		t.resumed.status = normal
	}
	co.status, co.passed = running, append([]Value(nil), args...)
	co.resume()
	if t.resumed != nil {
		t.resumed.status = running
	}
	if co.status != dead {
		co.status = suspended
	}
	return co.passed, co.failed
}
