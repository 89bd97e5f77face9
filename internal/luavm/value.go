// Package luavm runs Lua 5.1 exactly as the C implementation in Redis does: with the same order of keys in a table, the
// same length of a table with gaps, the same error messages and the same limits of depth. It compiles a parsed script
// to Go functions that call each other. The caller provides the globals. The package opens no file and reads no clock.
//
// It has no garbage collector of its own: weak tables, __gc and collectgarbage are missing. loadstring is its only
// function that compiles code at run time.
//
// Its tests compare it with real servers, on randomly generated programs.
package luavm

// Kind is the type of a value.
type Kind uint8

// The kinds of values.
const (
	KindNil Kind = iota
	KindBoolean
	KindLight // a value without contents, such as cjson.null
	KindNumber
	KindString
	KindTable
	KindFunction
	KindThread
)

var kindNames = [...]string{"nil", "boolean", "userdata", "number", "string", "table", "function", "thread"}

// String returns the kind's name, as Lua's type function does.
func (k Kind) String() string { return kindNames[k] }

// Value is a value of Lua. The zero Value is nil.
type Value struct {
	n float64
	o *object
}

// object is the part of a value besides the number. All numbers share one object. So do all true values, and all false
// ones.
type object struct {
	kind   Kind
	hash   uint32 // of a string, if hashed; of other objects, a number in place of their address
	hashed bool
	text   string
	ref    any // *Table, *Function, *thread
}

var (
	numberObject = object{kind: KindNumber}
	trueObject   = object{kind: KindBoolean, hash: 1}
	falseObject  = object{kind: KindBoolean}
)

// Nil, True and False are the values of these names.
var (
	Nil   = Value{}
	True  = Value{o: &trueObject}
	False = Value{o: &falseObject}
)

// Number returns n as a Value.
func Number(n float64) Value { return Value{n, &numberObject} }

// Int returns n as a Value.
func Int(n int) Value { return Value{float64(n), &numberObject} }

// String returns s as a Value.
func String(s string) Value { return Value{o: &object{kind: KindString, text: s}} }

// Bool returns b as a Value.
func Bool(b bool) Value {
	if b {
		return True
	}
	return False
}

// NewLight returns a value that equals only itself.
func NewLight() Value { return Value{o: &object{kind: KindLight}} }

// Kind returns the kind of v.
func (v Value) Kind() Kind {
	if v.o == nil {
		return KindNil
	}
	return v.o.kind
}

// IsNil reports whether v is nil.
func (v Value) IsNil() bool { return v.o == nil }

func (v Value) isNumber() bool { return v.o == &numberObject }

func (v Value) isString() bool { return v.o != nil && v.o.kind == KindString }

// Truth reports whether v is neither nil nor false.
func (v Value) Truth() bool { return v.o != nil && v.o != &falseObject }

// Float returns the value of a number; ok reports whether v is one.
func (v Value) Float() (n float64, ok bool) { return v.n, v.o == &numberObject }

// Text returns the text of a string; ok reports whether v is one.
func (v Value) Text() (text string, ok bool) {
	if v.isString() {
		return v.o.text, true
	}
	return "", false
}

// Table returns v as a table, or nil.
func (v Value) Table() *Table {
	if v.o != nil && v.o.kind == KindTable {
		return v.o.ref.(*Table)
	}
	return nil
}

func (v Value) function() *Function {
	if v.o != nil && v.o.kind == KindFunction {
		return v.o.ref.(*Function)
	}
	return nil
}

// same reports raw equality.
func same(a, b Value) bool {
	if a.o == b.o {
		return a.o != &numberObject || a.n == b.n
	}
	return a.isString() && b.isString() && a.o.text == b.o.text
}

// hashOf returns the hash of a string as Redis's Lua computes it. The order of the keys of a table depends on it.
func (o *object) hashOf() uint32 {
	if !o.hashed {
		h := uint32(len(o.text))
		for i := len(o.text); i > 0; i-- {
			h ^= h<<5 + h>>2 + uint32(o.text[i-1])
		}
		o.hash, o.hashed = h, true
	}
	return o.hash
}
