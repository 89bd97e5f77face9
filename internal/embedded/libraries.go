package embedded

import (
	"math"
	"sort"

	lua "github.com/yuin/gopher-lua"
)

// amend puts what Redis's Lua does in the place of what gopher-lua does.
func (s *scripts) amend(l *lua.LState) {
	set := func(library string, functions map[string]lua.LGFunction) {
		l.SetFuncs(l.GetGlobal(library).(*lua.LTable), functions)
	}
	s.operators(l)
	set(lua.StringLibName, s.ofTexts())
	set(lua.TabLibName, ofTables)
	set(lua.MathLibName, ofNumbers)
	l.GetGlobal(lua.MathLibName).(*lua.LTable).RawSetString("huge", lua.LNumber(math.Inf(1)))
	set("_G", map[string]lua.LGFunction{"tostring": tostring, "tonumber": tonumber, "unpack": unpack,
		"assert": assert, "pcall": pcall(l.GetGlobal("pcall").(*lua.LFunction).GFunction)})
	texts := l.GetGlobal(lua.StringLibName).(*lua.LTable)
	texts.RawSetString("gfind", texts.RawGetString("gmatch"))
	l.SetGlobal("bit", l.SetFuncs(s.without(l, "bit."), ofBits))
}

// give is what a function returns that has one result.
func give(l *lua.LState, v lua.LValue) int {
	l.Push(v)
	return 1
}

func assert(l *lua.LState) int {
	if !lua.LVIsFalse(l.CheckAny(1)) {
		return l.GetTop()
	}
	message := "assertion failed!"
	if l.Get(2) != lua.LNil {
		message = text(l, 2)
	}
	l.Error(lua.LString(message), 0)
	return 0
}

// pcall gives the text of an error of Redis, not its table.
func pcall(plain lua.LGFunction) lua.LGFunction {
	return func(l *lua.LState) int {
		n := plain(l)
		if n == 2 && l.Get(-2) == lua.LFalse {
			if t, ok := l.Get(-1).(*lua.LTable); ok && t.RawGetString("err") != lua.LNil {
				l.Pop(1)
				l.Push(t.RawGetString("err"))
			}
		}
		return n
	}
}

// mostResults is how many values a C function may return in Redis.
const mostResults = 8000

func unpack(l *lua.LState) int {
	t := l.CheckTable(1)
	from, to := integer(l, 2, 1), integer(l, 3, t.Len())
	if from > to {
		return 0
	}
	if to-from < 0 || to-from+1+l.GetTop() > mostResults {
		l.RaiseError("too many results to unpack")
	}
	for i := from; i <= to; i++ {
		l.Push(t.RawGetInt(i))
	}
	return to - from + 1
}

var ofTables = map[string]lua.LGFunction{
	"concat": func(l *lua.LState) int {
		t := l.CheckTable(1)
		between := ""
		if l.Get(2) != lua.LNil {
			between = text(l, 2)
		}
		var out []byte
		from, to := integer(l, 3, 1), integer(l, 4, t.Len())
		for i := from; i <= to; i++ {
			part, ok := textOf(t.RawGetInt(i))
			if !ok {
				l.RaiseError("invalid value (%s) at index %d in table for 'concat'", t.RawGetInt(i).Type(), i)
			}
			if i > from {
				out = append(out, between...)
			}
			out = append(out, part...)
		}
		return give(l, lua.LString(out))
	},
	"remove": func(l *lua.LState) int {
		t := l.CheckTable(1)
		n := t.Len()
		at := integer(l, 2, n)
		if at < 1 || at > n {
			return 0
		}
		return give(l, t.Remove(at))
	},
	"sort": func(l *lua.LState) int {
		t := l.CheckTable(1)
		before := l.LessThan
		if l.Get(2) != lua.LNil {
			less := l.CheckFunction(2)
			before = func(a, b lua.LValue) bool {
				l.Push(less)
				l.Push(a)
				l.Push(b)
				l.Call(2, 1)
				defer l.Pop(1)
				return lua.LVAsBool(l.Get(-1))
			}
		}
		items := make([]lua.LValue, t.Len())
		for i := range items {
			items[i] = t.RawGetInt(i + 1)
		}
		sort.SliceStable(items, func(i, j int) bool { return before(items[i], items[j]) })
		for i, item := range items {
			t.RawSetInt(i+1, item)
		}
		return 0
	},
}

// ofNumbers are the functions of math that read texts as numbers otherwise in gopher-lua, or compute otherwise.
var ofNumbers = func() map[string]lua.LGFunction {
	all := map[string]lua.LGFunction{
		"max":  extreme(func(a, b float64) bool { return a > b }),
		"min":  extreme(func(a, b float64) bool { return a < b }),
		"fmod": func(l *lua.LState) int { return give(l, lua.LNumber(math.Mod(float(l, 1), float(l, 2)))) },
		"pow":  func(l *lua.LState) int { return give(l, lua.LNumber(math.Pow(float(l, 1), float(l, 2)))) },
	}
	for name, f := range map[string]func(float64) float64{"abs": math.Abs, "ceil": math.Ceil, "floor": math.Floor,
		"sqrt": math.Sqrt, "exp": math.Exp, "log": math.Log, "log10": math.Log10} {
		all[name] = func(l *lua.LState) int { return give(l, lua.LNumber(f(float(l, 1)))) }
	}
	all["mod"] = all["fmod"]
	return all
}()

func extreme(better func(a, b float64) bool) lua.LGFunction {
	return func(l *lua.LState) int {
		best := float(l, 1)
		for i := 2; i <= l.GetTop(); i++ {
			if n := float(l, i); better(n, best) {
				best = n
			}
		}
		return give(l, lua.LNumber(best))
	}
}

// ofBits are the functions of the library bit.
var ofBits = func() map[string]lua.LGFunction {
	of := func(l *lua.LState, i int) uint32 { return uint32(int64(math.RoundToEven(float(l, i)))) }
	push := func(l *lua.LState, n uint32) int { return give(l, lua.LNumber(int32(n))) }
	fold := func(f func(a, b uint32) uint32) lua.LGFunction {
		return func(l *lua.LState) int {
			n := of(l, 1)
			for i := 2; i <= l.GetTop(); i++ {
				n = f(n, of(l, i))
			}
			return push(l, n)
		}
	}
	shift := func(f func(a uint32, n int) uint32) lua.LGFunction {
		return func(l *lua.LState) int { return push(l, f(of(l, 1), int(of(l, 2)&31))) }
	}
	return map[string]lua.LGFunction{
		"tobit":  func(l *lua.LState) int { return push(l, of(l, 1)) },
		"bnot":   func(l *lua.LState) int { return push(l, ^of(l, 1)) },
		"band":   fold(func(a, b uint32) uint32 { return a & b }),
		"bor":    fold(func(a, b uint32) uint32 { return a | b }),
		"bxor":   fold(func(a, b uint32) uint32 { return a ^ b }),
		"lshift": shift(func(a uint32, n int) uint32 { return a << n }),
		"rshift": shift(func(a uint32, n int) uint32 { return a >> n }),
	}
}()
