package luavm

import (
	"fmt"
	"strconv"
	"strings"
)

// base returns the functions that belong to no library.
func base() map[string]Native {
	return map[string]Native{
		"assert": func(t *Thread, args []Value) []Value {
			if !t.any(args, 1).Truth() {
				message := "assertion failed!"
				if !argument(args, 2).IsNil() {
					message = t.Text(args, 2)
				}
				message, _, _ = strings.Cut(message, "\x00") // C ends a text at its first zero byte
				t.Fail("%s", message)
			}
			return t.All(args...)
		},
		"error": func(t *Thread, args []Value) []Value {
			v, level := argument(args, 1), t.optionalShort(args, 2, 1)
			if message, ok := TextOf(v); ok && level > 0 {
				v = String(t.where(level) + message)
			}
			t.Throw(v)
			return nil
		},
		"getmetatable": func(t *Thread, args []Value) []Value {
			meta := t.Meta(t.any(args, 1))
			if meta == nil {
				return t.One(Nil)
			}
			if hidden := meta.GetName("__metatable"); !hidden.IsNil() {
				return t.One(hidden)
			}
			return t.One(meta.Value())
		},
		"setmetatable": func(t *Thread, args []Value) []Value {
			table, kind := t.table(args, 1), argument(args, 2).Kind()
			if len(args) < 2 || kind != KindNil && kind != KindTable {
				t.BadArgument(2, "nil or table expected")
			}
			if table.meta != nil && !table.meta.GetName("__metatable").IsNil() {
				t.Fail("cannot change a protected metatable")
			}
			t.writableTable(table)
			table.meta = args[1].Table()
			return t.One(args[0])
		},
		"ipairs": func(t *Thread, args []Value) []Value {
			t.table(args, 1)
			return t.All(following, args[0], Number(0))
		},
		"pairs": func(t *Thread, args []Value) []Value {
			t.table(args, 1)
			return t.All(next, args[0], Nil)
		},
		"rawequal": func(t *Thread, args []Value) []Value {
			return t.One(Bool(same(t.any(args, 1), t.any(args, 2))))
		},
		"rawget": func(t *Thread, args []Value) []Value {
			return t.One(t.table(args, 1).Get(t.any(args, 2)))
		},
		"rawset": func(t *Thread, args []Value) []Value {
			table := t.table(args, 1)
			t.any(args, 3)
			*t.writable(table, args[1]) = args[2]
			return t.One(args[0])
		},
		"select": func(t *Thread, args []Value) []Value {
			if text, ok := argument(args, 1).Text(); ok && text != "" && text[0] == '#' {
				return t.One(Int(len(args) - 1))
			}
			at := t.short(args, 1)
			if at < 0 {
				at += len(args)
			} else {
				at = min(at, len(args))
			}
			if at < 1 {
				t.BadArgument(1, "index out of range")
			}
			return t.All(args[at:]...)
		},
		"tonumber": tonumber,
		"tostring": func(t *Thread, args []Value) []Value { return t.One(t.Show(t.any(args, 1))) },
		"type": func(t *Thread, args []Value) []Value {
			return t.One(String(t.any(args, 1).Kind().String()))
		},
		"unpack": func(t *Thread, args []Value) []Value {
			table := t.table(args, 1)
			from, to := t.optionalShort(args, 2, 1), t.optionalShort(args, 3, table.Len())
			if from > to {
				return nil
			}
			if to-from+1+len(args) > mostReturned {
				t.Fail("too many results to unpack")
			}
			t.ret = t.ret[:0]
			for i := from; i <= to; i++ {
				t.ret = append(t.ret, table.GetInt(i))
			}
			return t.ret
		},
		"xpcall": func(t *Thread, args []Value) []Value {
			t.any(args, 2)
			handler, handled := args[1], Nil
			return t.attempt(func() []Value { return t.Call(args[0]) }, func(e *Error) {
				if wrong := t.protect(func() { handled = first(t.Call(handler, e.Value)) }, nil); wrong != nil {
					handled = String("error in error handling")
				}
				e.Value = handled
			})
		},
		"loadstring": func(t *Thread, args []Value) []Value {
			script, err := Compile(t.Text(args, 1))
			if err != nil {
				return t.All(Nil, String(err.Error()))
			}
			return t.One(newFunction(&Function{proto: script.main}))
		},
		"pcall": func(t *Thread, args []Value) []Value {
			if len(args) == 0 {
				args = []Value{True} // without arguments, Redis's pcall calls its own first result, true
			}
			return t.attempt(func() []Value { return t.call(args[0], args[1:]) }, nil)
		},
	}
}

// attempt calls f and returns the results of pcall or xpcall.
func (t *Thread) attempt(f func() []Value, handle func(*Error)) []Value {
	var ret []Value
	if e := t.protect(func() { ret = f() }, handle); e != nil {
		return t.All(False, e.Value)
	}
	t.ret = append(append(make([]Value, 0, len(ret)+1), True), ret...)
	return t.ret
}

// writableTable raises an error if the table is read-only.
func (t *Thread) writableTable(table *Table) {
	if table.readOnly {
		t.Raise("Attempt to modify a readonly table")
	}
}

// following is the iterator of ipairs.
var following = NewFunction(func(t *Thread, args []Value) []Value {
	table, i := t.table(args, 1), t.short(args, 2)+1
	v := table.GetInt(i)
	if v.IsNil() {
		return nil
	}
	return t.All(Int(i), v)
})

// next is Lua's next, and the iterator of pairs.
var next = NewFunction(func(t *Thread, args []Value) []Value {
	key, v, err := t.table(args, 1).Next(argument(args, 2))
	switch {
	case err != nil:
		t.Raise("%s", err)
	case key.IsNil():
		return t.One(Nil)
	}
	return t.All(key, v)
})

func tonumber(t *Thread, args []Value) []Value {
	n, ok := 0.0, false
	if base := t.optionalShort(args, 2, 10); base == 10 {
		n, ok = AsNumber(t.any(args, 1))
	} else {
		text := t.Text(args, 1)
		if base < 2 || base > 36 {
			t.BadArgument(2, "base out of range")
		}
		n, ok = parseBase(text, base)
	}
	if !ok {
		return t.One(Nil)
	}
	return t.One(Number(n))
}

// Show converts a value to a string, as tostring does.
func (t *Thread) Show(v Value) Value {
	if by := t.metamethod(v, "__tostring"); !by.IsNil() {
		return first(t.Call(by, v))
	}
	if text, ok := TextOf(v); ok {
		return String(text)
	}
	switch v.Kind() {
	case KindNil:
		return String("nil")
	case KindBoolean:
		return String(strconv.FormatBool(v.Truth()))
	case KindLight:
		return String("userdata: (nil)")
	}
	return String(fmt.Sprintf("%s: 0x7f%010x", v.Kind(), v.o.address()))
}
