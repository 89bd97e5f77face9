package embedded

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"ratelab/internal/luavm"
)

// Limits of Redis's cjson.
const (
	deepestJSON = 1000
	safeArray   = 10 // elements up to which an array may have any gaps
	sparseArray = 2  // beyond, it may be as many times as long as it has elements
)

// cjson is the library of that name. A null has a value of its own.
func cjson() *luavm.Table {
	null := luavm.NewLight()
	only := func(t *luavm.Thread, args []luavm.Value) {
		if len(args) != 1 {
			t.BadArgument(1, "expected 1 argument")
		}
	}
	library := luavm.NewLibrary(map[string]luavm.Native{
		"encode": func(t *luavm.Thread, args []luavm.Value) []luavm.Value {
			only(t, args)
			e := encoder{t, nil, null}
			e.value(args[0], 0)
			return t.One(luavm.String(string(e.text)))
		},
		"decode": func(t *luavm.Thread, args []luavm.Value) []luavm.Value {
			only(t, args)
			d := decoder{t: t, text: t.Text(args, 1), null: null}
			if text := d.text; len(text) >= 2 && (text[0] == 0 || text[1] == 0) {
				t.Fail("JSON parser does not support UTF-16 or UTF-32")
			}
			d.next()
			value := d.value()
			if d.next(); d.kind != "T_END" {
				d.expected("the end")
			}
			return t.One(value)
		},
	})
	library.SetName("null", null)
	return library
}

// encoder writes JSON.
type encoder struct {
	t    *luavm.Thread
	text []byte
	null luavm.Value
}

func (e *encoder) fail(v luavm.Value, why string) { e.t.Fail("Cannot serialise %s: %s", v.Kind(), why) }

func (e *encoder) value(v luavm.Value, depth int) {
	switch v.Kind() {
	case luavm.KindString:
		text, _ := v.Text()
		e.quote(text)
	case luavm.KindNumber:
		n, _ := v.Float()
		if math.IsNaN(n) || math.IsInf(n, 0) {
			e.fail(v, "must not be NaN or Inf")
		}
		e.text = luavm.AppendNumber(e.text, n)
	case luavm.KindBoolean:
		e.text = strconv.AppendBool(e.text, v.Truth())
	case luavm.KindTable:
		e.table(v.Table(), depth+1)
	default:
		if !v.IsNil() && v != e.null {
			e.fail(v, "type not supported")
		}
		e.text = append(e.text, "null"...)
	}
}

func (e *encoder) table(t *luavm.Table, depth int) {
	if depth > deepestJSON {
		e.t.Fail("Cannot serialise, excessive nesting (%d)", depth)
	}
	if n := e.arrayLength(t); n > 0 {
		for i := 1; i <= n; i++ {
			e.text = append(e.text, ",["[btoi(i == 1)])
			e.value(t.GetInt(i), depth)
		}
		e.text = append(e.text, ']')
		return
	}
	separator := byte('{')
	for key, item, _ := t.Next(luavm.Nil); !key.IsNil(); key, item, _ = t.Next(key) {
		e.text = append(e.text, separator)
		separator = ','
		name, ok := luavm.TextOf(key)
		if !ok {
			e.fail(key, "table key must be a number or string")
		}
		e.quote(name)
		e.text = append(e.text, ':')
		e.value(item, depth)
	}
	if separator == '{' {
		e.text = append(e.text, '{')
	}
	e.text = append(e.text, '}')
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// arrayLength is the greatest index of a table whose keys are all positive whole numbers, 0 for another one. An index
// above 2^31 becomes the least number, as in C.
func (e *encoder) arrayLength(t *luavm.Table) int {
	most, count := 0, 0
	for key, _, _ := t.Next(luavm.Nil); !key.IsNil(); key, _, _ = t.Next(key) {
		n, ok := key.Float()
		if !ok || n < 1 || math.Floor(n) != n {
			return 0
		}
		if n > float64(most) {
			if most = math.MinInt32; n < 1<<31 {
				most = int(n)
			}
		}
		count++
	}
	if most > count*sparseArray && most > safeArray {
		e.fail(t.Value(), "excessively sparse array")
	}
	return most
}

func (e *encoder) quote(text string) {
	e.text = append(e.text, '"')
	for _, c := range []byte(text) {
		if i := strings.IndexByte("\"\\/\b\t\n\f\r", c); i >= 0 {
			e.text = append(e.text, '\\', `"\/btnfr`[i])
		} else if c < ' ' || c == 127 {
			e.text = fmt.Appendf(e.text, `\u%04x`, c)
		} else {
			e.text = append(e.text, c)
		}
	}
	e.text = append(e.text, '"')
}

// decoder reads JSON as the library does, which takes more than JSON: hexadecimal numbers, NaN, control characters.
type decoder struct {
	t     *luavm.Thread
	text  string
	at    int
	null  luavm.Value
	depth int

	kind  string // of the last token, as errors name it; or what is wrong with it
	from  int    // where it begins
	token luavm.Value
}

func (d *decoder) expected(what string) {
	d.t.Fail("Expected %s but found %s at character %d", what, d.kind, d.from+1)
}

// peek is the character that comes next, 0 at the end.
func (d *decoder) peek(offset int) byte {
	if d.at+offset < len(d.text) {
		return d.text[d.at+offset]
	}
	return 0
}

// marks are the tokens of one character.
var marks = map[byte]string{'{': "T_OBJ_BEGIN", '}': "T_OBJ_END", '[': "T_ARR_BEGIN", ']': "T_ARR_END", ':': "T_COLON",
	',': "T_COMMA", 0: "T_END"}

func (d *decoder) next() {
	for strings.IndexByte(" \t\n\r", d.peek(0)) >= 0 && d.at < len(d.text) {
		d.at++
	}
	d.from = d.at
	c, rest := d.peek(0), d.text[min(d.at, len(d.text)):]
	switch {
	case marks[c] != "":
		d.kind = marks[c]
		if c != 0 {
			d.at++
		}
	case c == '"':
		d.at++
		d.string()
	case c == '-' || '0' <= c && c <= '9':
		d.number()
	case strings.HasPrefix(rest, "true"), strings.HasPrefix(rest, "false"):
		d.kind, d.token = "T_BOOLEAN", luavm.Bool(c == 't')
		d.at += 4 + btoi(c == 'f')
	case strings.HasPrefix(rest, "null"):
		d.kind, d.token = "T_NULL", d.null
		d.at += 4
	case c == '+', len(rest) >= 3 && (strings.EqualFold(rest[:3], "inf") || strings.EqualFold(rest[:3], "nan")):
		d.number()
	default:
		d.kind = "invalid token"
	}
}

// number reads as much as strtod of C does.
func (d *decoder) number() {
	end := d.at
	for end < len(d.text) && strings.IndexByte("0123456789+-.abcdefinptxyABCDEFINPTXY", d.text[end]) >= 0 {
		end++
	}
	for ; end > d.at; end-- {
		if n, ok := luavm.ParseNumber(d.text[d.at:end]); ok {
			d.kind, d.token, d.at = "T_NUMBER", luavm.Number(n), end
			return
		}
	}
	d.kind = "invalid number"
}

var escaped = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 't': '\t', 'n': '\n', 'f': '\f', 'r': '\r'}

func (d *decoder) string() {
	var text []byte
	for d.peek(0) != '"' {
		switch c := d.peek(0); {
		case c == 0:
			d.kind, d.from = "unexpected end of string", d.at
			return
		case c != '\\':
			text = append(text, c)
			d.at++
		case d.peek(1) == 'u':
			code, length := d.unicode()
			if length == 0 {
				d.kind, d.from = "invalid unicode escape code", d.at
				return
			}
			text = utf8.AppendRune(text, code)
			d.at += length
		case escaped[d.peek(1)] == 0:
			d.kind, d.from = "invalid escape code", d.at
			return
		default:
			text = append(text, escaped[d.peek(1)])
			d.at += 2
		}
	}
	d.at++
	d.kind, d.token = "T_STRING", luavm.String(string(text))
}

// unicode is the character of an escape such as \u00e9, or of a pair of them, and the length of the text. If the length
// is 0, the escape is not valid.
func (d *decoder) unicode() (code rune, length int) {
	hex := func(from int) int64 {
		if d.at+from+4 > len(d.text) {
			return -1
		}
		n, err := strconv.ParseUint(d.text[d.at+from:d.at+from+4], 16, 32)
		if err != nil {
			return -1
		}
		return int64(n)
	}
	first := hex(2)
	switch {
	case first < 0:
		return 0, 0
	case first&0xF800 != 0xD800:
		return rune(first), 6
	}
	second := hex(8)
	if first&0x400 != 0 || d.peek(6) != '\\' || d.peek(7) != 'u' || second < 0 || second&0xFC00 != 0xDC00 {
		return 0, 0
	}
	return rune((first&0x3FF)<<10|second&0x3FF) + 0x10000, 12
}

func (d *decoder) value() luavm.Value {
	switch d.kind {
	case "T_STRING", "T_NUMBER", "T_BOOLEAN", "T_NULL":
		return d.token
	case "T_OBJ_BEGIN", "T_ARR_BEGIN":
	default:
		d.expected("value")
	}
	if d.depth++; d.depth > deepestJSON {
		d.t.Fail("Found too many nested data structures (%d) at character %d", d.depth, d.at)
	}
	t := luavm.NewTable(0, 0)
	object, end, more := d.kind == "T_OBJ_BEGIN", "T_ARR_END", "comma or array end"
	if object {
		end, more = "T_OBJ_END", "comma or object end"
	}
	d.next()
	for i := 1; d.kind != end || i > 1; i++ {
		key := luavm.Int(i)
		if object {
			if d.kind != "T_STRING" {
				d.expected("object key string")
			}
			key = d.token
			if d.next(); d.kind != "T_COLON" {
				d.expected("colon")
			}
			d.next()
		}
		t.Set(key, d.value())
		if d.next(); d.kind == end {
			break
		}
		if d.kind != "T_COMMA" {
			d.expected(more)
		}
		d.next()
	}
	d.depth--
	return t.Value()
}
