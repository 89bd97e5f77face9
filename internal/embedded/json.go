package embedded

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"ratelab/internal/luavm"
)

// Limits of Redis's cjson.
const (
	deepestJSON = 1000
	safeArray   = 10 // shorter arrays may have any gaps
	sparseArray = 2  // longer arrays may have at most this many times as many indices as elements
)

// cjson returns the library cjson. Null is a special value. Functions that change settings end the run.
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
			text := t.Text(args, 1)
			if len(text) >= 2 && (text[0] == 0 || text[1] == 0) {
				t.Fail("JSON parser does not support UTF-16 or UTF-32")
			}
			d := decoder{t: t, text: text + padding, null: null}
			d.next()
			value := d.value()
			d.need("T_END", "the end")
			return t.One(value)
		},
	})
	library.SetName("null", null)
	library.SetName("_NAME", luavm.String("cjson"))
	library.SetName("_VERSION", luavm.String("2.1.0"))
	for _, name := range []string{"new", "encode_sparse_array", "encode_max_depth", "decode_max_depth",
		"encode_number_precision", "encode_keep_buffer", "encode_invalid_numbers", "decode_invalid_numbers"} {
		library.SetName(name, luavm.NewFunction(luavm.Refused("cjson."+name)))
	}
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

// table writes an array or an object. The closing bracket replaces the last comma.
func (e *encoder) table(t *luavm.Table, depth int) {
	if depth > deepestJSON {
		e.t.Fail("Cannot serialise, excessive nesting (%d)", depth)
	}
	if n := e.arrayLength(t); n > 0 {
		e.text = append(e.text, '[')
		for i := range n {
			e.value(t.GetInt(i+1), depth)
			e.text = append(e.text, ',')
		}
		e.text[len(e.text)-1] = ']'
		return
	}
	e.text = append(e.text, '{')
	for key, item, _ := t.Next(luavm.Nil); !key.IsNil(); key, item, _ = t.Next(key) {
		name, ok := luavm.TextOf(key)
		if !ok {
			e.fail(key, "table key must be a number or string")
		}
		if n, _ := key.Float(); math.IsInf(n, 0) {
			e.fail(key, "must not be NaN or Inf")
		}
		e.quote(name)
		e.text = append(e.text, ':')
		e.value(item, depth)
		e.text = append(e.text, ',')
	}
	e.text = append(bytes.TrimSuffix(e.text, []byte(",")), '}')
}

// arrayLength returns the largest index of a table whose keys are all positive integers, or 0 for other tables. An
// index above 2^31 becomes the smallest integer, as in C.
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

// decoder reads JSON as the library does. The library accepts more than JSON: hexadecimal numbers, NaN and control
// characters.
type decoder struct {
	t     *luavm.Thread
	text  string // with padding
	at    int
	null  luavm.Value
	depth int

	kind  string // kind of the last token, as in error messages; or the error in it
	from  int    // start of the token
	token luavm.Value
}

// padding ends the text. It is as long as the longest token that is compared without a check for the end.
const padding = "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"

// marks are the tokens without a value.
var marks = map[string]string{"{": "T_OBJ_BEGIN", "}": "T_OBJ_END", "[": "T_ARR_BEGIN", "]": "T_ARR_END",
	":": "T_COLON", ",": "T_COMMA", "\x00": "T_END", "true": "T_BOOLEAN", "false": "T_BOOLEAN", "null": "T_NULL"}

func (d *decoder) next() {
	for strings.IndexByte(" \t\n\r", d.text[d.at]) >= 0 {
		d.at++
	}
	d.from = d.at
	rest := d.text[d.at:]
	for _, mark := range []string{rest[:1], rest[:4], rest[:5]} {
		if d.kind = marks[mark]; d.kind != "" {
			d.at += len(mark)
			if d.token = luavm.Bool(mark == "true"); mark == "null" {
				d.token = d.null
			}
			return
		}
	}
	switch {
	case rest[0] == '"':
		d.string()
	case strings.IndexByte("+-0123456789", rest[0]) >= 0, strings.EqualFold(rest[:3], "inf"),
		strings.EqualFold(rest[:3], "nan"):
		d.number()
	default:
		d.kind = "invalid token"
	}
}

// need reads the next token, which must have the given kind.
func (d *decoder) need(kind, what string) {
	if d.next(); d.kind != kind {
		d.expected(what)
	}
}

func (d *decoder) expected(what string) {
	d.t.Fail("Expected %s but found %s at character %d", what, d.kind, d.from+1)
}

// numeric has all characters of numbers, including nan(name).
const numeric = "0123456789+-.()_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// number reads a number with the longest possible text, as C's strtod does.
func (d *decoder) number() {
	rest := d.text[d.at:]
	for end := len(rest) - len(strings.TrimLeft(rest, numeric)); end > 0; end-- {
		if n, ok := luavm.ParseNumber(rest[:end]); ok {
			d.kind, d.token = "T_NUMBER", luavm.Number(n)
			d.at += end
			return
		}
	}
	d.kind = "invalid number"
}

var escaped = map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 't': '\t', 'n': '\n', 'f': '\f', 'r': '\r'}

func (d *decoder) string() {
	var text []byte
	wrong := ""
	for d.at++; d.text[d.at] != '"' && wrong == ""; {
		c, next := d.text[d.at], d.text[d.at+1]
		switch {
		case c == 0:
			wrong = "unexpected end of string"
		case c != '\\':
			text = append(text, c)
			d.at++
		case next == 'u':
			code, length := d.unicode()
			if length == 0 {
				wrong = "invalid unicode escape code"
			}
			text = utf8.AppendRune(text, code)
			d.at += length
		case escaped[next] == 0:
			wrong = "invalid escape code"
		default:
			text = append(text, escaped[next])
			d.at += 2
		}
	}
	if wrong != "" {
		d.kind, d.from = wrong, d.at
		return
	}
	d.at++
	d.kind, d.token = "T_STRING", luavm.String(string(text))
}

// unicode decodes an escape such as \u00e9, or a surrogate pair. It returns the character and the length of the text.
// The length is 0 if the escape is invalid.
func (d *decoder) unicode() (code rune, length int) {
	hex := func(from int) (rune, bool) {
		n, err := strconv.ParseUint(d.text[d.at+from:][:4], 16, 32)
		return rune(n), err == nil
	}
	code, ok := hex(2)
	if !ok || !utf16.IsSurrogate(code) {
		return code, 6 * btoi(ok)
	}
	second, ok := hex(8)
	pair := utf16.DecodeRune(code, second)
	return pair, 12 * btoi(ok && d.text[d.at+6:][:2] == `\u` && pair != utf8.RuneError)
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
			d.need("T_COLON", "colon")
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

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
