package luavm

import "runtime"

// coroutine is a thread that runs in a goroutine of its own. Only one of all of them runs at a time.
type coroutine struct {
	thread  *Thread
	status  string
	nested  int // calls of C that waited when it was resumed
	resumes chan []Value
	yields  chan yielded
}

// yielded says why a coroutine stopped: it yielded or returned values, or it failed.
type yielded struct {
	values []Value
	failed *Error
	other  any // what ends the whole run
}

const (
	running   = "running"
	suspended = "suspended"
	normal    = "normal"
	dead      = "dead"
)

func coroutines() map[string]Native {
	return map[string]Native{
		"create": func(t *Thread, args []Value) []Value { return t.One(t.create(args)) },
		"wrap": func(t *Thread, args []Value) []Value {
			co := t.create(args).o.ref.(*coroutine)
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
			co.yields <- yielded{values: append([]Value(nil), args...)}
			return t.All(co.wait()...)
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

// thread is the first argument.
func (t *Thread) thread(args []Value) *coroutine {
	if v := argument(args, 1); v.Kind() == KindThread {
		return v.o.ref.(*coroutine)
	}
	t.BadArgument(1, "coroutine expected")
	return nil
}

func (t *Thread) create(args []Value) Value {
	fn := argument(args, 1).function()
	if fn == nil || fn.native != nil {
		t.BadArgument(1, "Lua function expected")
	}
	co := &coroutine{thread: &Thread{Machine: t.Machine}, status: suspended, resumes: make(chan []Value),
		yields: make(chan yielded)}
	co.thread.resumed, co.thread.object = co, object{kind: KindThread, ref: co}
	go func() {
		args := co.wait()
		var ended yielded
		defer func() { // also if the goroutine is told to end
			if r := recover(); r != nil {
				ended.other = r
			}
			select {
			case co.yields <- ended:
			case <-t.killed:
			}
		}()
		ended.failed = co.thread.protect(func() {
			ended.values = append([]Value(nil), co.thread.run(fn, args)...)
		}, nil)
		co.status = dead
	}()
	return Value{o: &co.thread.object}
}

// wait returns the arguments of the next resume. It does not return if the run has ended.
func (co *coroutine) wait() []Value {
	select {
	case args := <-co.resumes:
		return args
	case <-co.thread.killed:
		runtime.Goexit()
		return nil
	}
}

// resume lets a coroutine run until it yields, returns or fails.
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
	co.status = running
	co.resumes <- append([]Value(nil), args...)
	got := <-co.yields
	if t.resumed != nil {
		t.resumed.status = running
	}
	if got.other != nil {
		panic(got.other)
	}
	if co.status != dead {
		co.status = suspended
	}
	return got.values, got.failed
}
