package embedded

import (
	"fmt"
	"math"
	"math/bits"

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
	l.SetGlobal("bit", l.SetFuncs(l.NewTable(), ofBits))
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
		l.Push(lua.LString(out))
		return 1
	},
	"remove": func(l *lua.LState) int {
		t := l.CheckTable(1)
		n := t.Len()
		at := integer(l, 2, n)
		if at < 1 || at > n {
			return 0
		}
		l.Push(t.Remove(at))
		return 1
	},
	"sort": func(l *lua.LState) int {
		t := l.CheckTable(1)
		s := sorter{l: l, t: t}
		if l.Get(2) != lua.LNil {
			s.less = l.CheckFunction(2)
		}
		s.sort(1, t.Len())
		return 0
	},
}

// sorter is the quicksort of Lua's ltablib.c: where elements are equal, their order is that of Redis.
type sorter struct {
	l    *lua.LState
	t    *lua.LTable
	less *lua.LFunction
}

func (s *sorter) before(a, b lua.LValue) bool {
	if s.less == nil {
		return s.l.LessThan(a, b)
	}
	s.l.Push(s.less)
	s.l.Push(a)
	s.l.Push(b)
	s.l.Call(2, 1)
	is := lua.LVAsBool(s.l.Get(-1))
	s.l.Pop(1)
	return is
}

// order swaps the elements i and j if the second one comes before the first.
func (s *sorter) order(i, j int) {
	if a, b := s.t.RawGetInt(i), s.t.RawGetInt(j); s.before(b, a) {
		s.t.RawSetInt(i, b)
		s.t.RawSetInt(j, a)
	}
}

func (s *sorter) swap(i, j int) {
	a, b := s.t.RawGetInt(i), s.t.RawGetInt(j)
	s.t.RawSetInt(i, b)
	s.t.RawSetInt(j, a)
}

func (s *sorter) sort(lo, up int) {
	for lo < up {
		s.order(lo, up)
		if up-lo == 1 {
			return
		}
		mid := (lo + up) / 2
		if s.before(s.t.RawGetInt(mid), s.t.RawGetInt(lo)) {
			s.swap(mid, lo)
		} else if s.before(s.t.RawGetInt(up), s.t.RawGetInt(mid)) {
			s.swap(mid, up)
		}
		if up-lo == 2 {
			return
		}
		pivot := s.t.RawGetInt(mid)
		s.swap(mid, up-1)
		i, j := lo, up-1
		for {
			for i++; s.before(s.t.RawGetInt(i), pivot); i++ {
				if i > up {
					s.l.RaiseError("invalid order function for sorting")
				}
			}
			for j--; s.before(pivot, s.t.RawGetInt(j)); j-- {
				if j < lo {
					s.l.RaiseError("invalid order function for sorting")
				}
			}
			if j < i {
				break
			}
			s.swap(i, j)
		}
		s.swap(up-1, i)
		if i-lo < up-i {
			s.sort(lo, i-1)
			lo = i + 1
		} else {
			s.sort(i+1, up)
			up = i - 1
		}
	}
}

// ofNumbers are the functions of math that read texts as numbers otherwise in gopher-lua, or compute otherwise.
var ofNumbers = func() map[string]lua.LGFunction {
	all := map[string]lua.LGFunction{
		"max": extreme(func(a, b float64) bool { return a > b }),
		"min": extreme(func(a, b float64) bool { return a < b }),
		"fmod": func(l *lua.LState) int {
			l.Push(lua.LNumber(math.Mod(float(l, 1), float(l, 2))))
			return 1
		},
		"pow": func(l *lua.LState) int { l.Push(lua.LNumber(math.Pow(float(l, 1), float(l, 2)))); return 1 },
	}
	for name, f := range map[string]func(float64) float64{"abs": math.Abs, "ceil": math.Ceil, "floor": math.Floor,
		"sqrt": math.Sqrt, "exp": math.Exp, "log": math.Log, "log10": math.Log10} {
		all[name] = func(l *lua.LState) int { l.Push(lua.LNumber(f(float(l, 1)))); return 1 }
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
		l.Push(lua.LNumber(best))
		return 1
	}
}

// ofBits is the library bit of LuaJIT, which Redis has too.
var ofBits = func() map[string]lua.LGFunction {
	of := func(l *lua.LState, i int) uint32 { return uint32(int64(math.RoundToEven(float(l, i)))) }
	push := func(l *lua.LState, n uint32) int { l.Push(lua.LNumber(int32(n))); return 1 }
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
		"tobit":   func(l *lua.LState) int { return push(l, of(l, 1)) },
		"bnot":    func(l *lua.LState) int { return push(l, ^of(l, 1)) },
		"bswap":   func(l *lua.LState) int { return push(l, bits.ReverseBytes32(of(l, 1))) },
		"band":    fold(func(a, b uint32) uint32 { return a & b }),
		"bor":     fold(func(a, b uint32) uint32 { return a | b }),
		"bxor":    fold(func(a, b uint32) uint32 { return a ^ b }),
		"lshift":  shift(func(a uint32, n int) uint32 { return a << n }),
		"rshift":  shift(func(a uint32, n int) uint32 { return a >> n }),
		"arshift": shift(func(a uint32, n int) uint32 { return uint32(int32(a) >> n) }),
		"rol":     shift(bits.RotateLeft32),
		"ror":     shift(func(a uint32, n int) uint32 { return bits.RotateLeft32(a, -n) }),
		"tohex": func(l *lua.LState) int {
			n, digits, form := of(l, 1), integer(l, 2, 8), "%0*x"
			if digits < 0 {
				digits, form = -digits, "%0*X"
			}
			digits = min(digits, 8)
			if digits < 8 {
				n &= 1<<(4*digits) - 1
			}
			text := fmt.Sprintf(form, digits, n)
			l.Push(lua.LString(text[len(text)-digits:]))
			return 1
		},
	}
}()
