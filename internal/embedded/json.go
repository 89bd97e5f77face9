package embedded

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// Limits of Redis's cjson.
const (
	deepestJSON = 1000
	safeArray   = 10 // elements up to which an array may have any gaps
	sparseArray = 2  // beyond, it may be as many times as long as it has elements
)

// cjson is the library of that name. A null has a value of its own.
func (s *scripts) cjson(l *lua.LState) *lua.LTable {
	null := l.NewUserData()
	null.Metatable = l.SetFuncs(l.NewTable(), map[string]lua.LGFunction{
		"__tostring": func(l *lua.LState) int { return give(l, lua.LString("userdata: (nil)")) }})
	library := l.SetFuncs(l.NewTable(), map[string]lua.LGFunction{
		"encode": func(l *lua.LState) int {
			if l.GetTop() != 1 {
				l.ArgError(1, "expected 1 argument")
			}
			return give(l, lua.LString(appendJSON(l, nil, l.Get(1), null, 0)))
		},
		"decode": func(l *lua.LState) int {
			if l.GetTop() != 1 {
				l.ArgError(1, "expected 1 argument")
			}
			d := decoder{l, json.NewDecoder(strings.NewReader(text(l, 1))), null}
			d.UseNumber()
			value := d.value(0)
			if _, err := d.Token(); err != io.EOF {
				l.RaiseError("Expected the end but found invalid token")
			}
			return give(l, value)
		},
	})
	library.RawSetString("null", null)
	return library
}

func appendJSON(l *lua.LState, b []byte, value lua.LValue, null *lua.LUserData, depth int) []byte {
	switch v := value.(type) {
	case lua.LString:
		return quoted(b, string(v))
	case lua.LNumber:
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			l.RaiseError("Cannot serialise number: must not be NaN or Inf")
		}
		return appendNumber(b, float64(v))
	case lua.LBool, *lua.LNilType:
		if v == lua.LNil {
			return append(b, "null"...)
		}
		return append(b, v.String()...)
	case *lua.LTable:
		if depth++; depth > deepestJSON {
			l.RaiseError("Cannot serialise, excessive depth (%d)", depth)
		}
		if n := arrayLength(l, v); n > 0 {
			b = append(b, '[')
			for i := 1; i <= n; i++ {
				if i > 1 {
					b = append(b, ',')
				}
				b = appendJSON(l, b, v.RawGetInt(i), null, depth)
			}
			return append(b, ']')
		}
		b = append(b, '{')
		begin := len(b)
		v.ForEach(func(key, item lua.LValue) {
			if len(b) > begin {
				b = append(b, ',')
			}
			name, ok := textOf(key)
			if !ok {
				l.RaiseError("Cannot serialise %s: table key must be a number or string", key.Type())
			}
			b = append(quoted(b, name), ':')
			b = appendJSON(l, b, item, null, depth)
		})
		return append(b, '}')
	}
	if value != null {
		l.RaiseError("Cannot serialise %s: type not supported", value.Type())
	}
	return append(b, "null"...)
}

// arrayLength is the greatest index of a table with nothing but positive whole numbers as keys, 0 for another one.
func arrayLength(l *lua.LState, t *lua.LTable) int {
	most, count := 0.0, 0.0
	for key, _ := t.Next(lua.LNil); key != lua.LNil; key, _ = t.Next(key) {
		n, ok := key.(lua.LNumber)
		if !ok || n < 1 || math.Floor(float64(n)) != float64(n) {
			return 0
		}
		most = max(most, float64(n))
		count++
	}
	if most > count*sparseArray && most > safeArray {
		l.RaiseError("Cannot serialise table: excessively sparse array")
	}
	return int(most)
}

func quoted(b []byte, text string) []byte {
	b = append(b, '"')
	for _, c := range []byte(text) {
		if i := strings.IndexByte("\"\\/\b\t\n\f\r", c); i >= 0 {
			b = append(b, '\\', `"\/btnfr`[i])
		} else if c < ' ' || c == 127 {
			b = fmt.Appendf(b, `\u%04x`, c)
		} else {
			b = append(b, c)
		}
	}
	return append(b, '"')
}

// decoder makes values of Lua from JSON, and keeps the order of an object's names.
type decoder struct {
	l *lua.LState
	*json.Decoder
	null lua.LValue
}

func (d *decoder) value(depth int) lua.LValue {
	token, err := d.Token()
	if depth > deepestJSON {
		d.l.RaiseError("Found too many nested data structures (%d)", depth)
	}
	if err != nil {
		d.l.RaiseError("Expected value but found invalid token")
	}
	switch v := token.(type) {
	case bool:
		return lua.LBool(v)
	case string:
		return lua.LString(v)
	case json.Number:
		n, _ := parseNumber(string(v))
		return lua.LNumber(n)
	case json.Delim:
		t := d.l.NewTable()
		for i := 1; d.More(); i++ {
			key := lua.LValue(lua.LNumber(i))
			if v == '{' {
				key = d.value(depth + 1)
			}
			t.RawSet(key, d.value(depth+1))
		}
		if _, err := d.Token(); err != nil {
			d.l.RaiseError("Expected comma or end of the structure but found invalid token")
		}
		return t
	}
	return d.null
}
