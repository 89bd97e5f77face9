package luavm

import (
	"fmt"
	"strings"
)

// argument returns argument i of a native function, counted from 1. A missing argument is nil.
func argument(args []Value, i int) Value {
	if i <= len(args) {
		return args[i-1]
	}
	return Nil
}

// BadArgument raises an error about an argument, as luaL_argerror does.
func (t *Thread) BadArgument(i int, why string, args ...any) {
	name := "?"
	if caller := t.depth - 2; caller >= 0 && t.frames[caller].fn.native == nil && t.frames[caller].at != nil {
		what, rest, found := strings.Cut(t.frames[caller].at.name, " '")
		if found {
			name = strings.TrimSuffix(rest, "'")
		}
		if what == "method" {
			if i--; i == 0 {
				t.Fail("calling '%s' on bad self (%s)", name, fmt.Sprintf(why, args...))
			}
		}
	}
	t.Fail("bad argument #%d to '%s' (%s)", i, name, fmt.Sprintf(why, args...))
}

func (t *Thread) badType(args []Value, i int, want string) {
	got := "no value"
	if i <= len(args) {
		got = args[i-1].Kind().String()
	}
	t.BadArgument(i, "%s expected, got %s", want, got)
}

// Text reads argument i as luaL_checklstring does.
func (t *Thread) Text(args []Value, i int) string {
	text, ok := TextOf(argument(args, i))
	if !ok {
		t.badType(args, i, "string")
	}
	return text
}

// Float reads argument i as luaL_checknumber does.
func (t *Thread) Float(args []Value, i int) float64 {
	n, ok := AsNumber(argument(args, i))
	if !ok {
		t.badType(args, i, "number")
	}
	return n
}

// integer reads argument i as luaL_checkinteger does.
func (t *Thread) integer(args []Value, i int) int { return int(Cut(t.Float(args, i))) }

// optional reads argument i as luaL_optinteger does.
func (t *Thread) optional(args []Value, i, otherwise int) int {
	if argument(args, i).IsNil() {
		return otherwise
	}
	return t.integer(args, i)
}

// short reads argument i as luaL_checkint does: its lower 32 bits.
func (t *Thread) short(args []Value, i int) int { return int(int32(t.integer(args, i))) }

func (t *Thread) optionalShort(args []Value, i, otherwise int) int {
	return int(int32(t.optional(args, i, otherwise)))
}

// table returns argument i, which must be a table.
func (t *Thread) table(args []Value, i int) *Table {
	table := argument(args, i).Table()
	if table == nil {
		t.badType(args, i, "table")
	}
	return table
}

// any returns argument i. It raises an error if the argument is missing.
func (t *Thread) any(args []Value, i int) Value {
	if i > len(args) {
		t.BadArgument(i, "value expected")
	}
	return args[i-1]
}
