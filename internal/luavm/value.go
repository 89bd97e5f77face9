// Package luavm runs Lua 5.1 as the C implementation in Redis does: the same order of names in a table, the same length
// of a table with gaps, the same words in errors, the same limits of depth. It compiles a parsed script to Go functions
// that call each other. Its caller gives it the globals; it opens no file and reads no clock.
//
// It knows no garbage collector of its own: weak tables, __gc and collectgarbage are missing. So is code that is
// compiled at run time.
//
// The tests hold it equal to real servers on programs that are generated at random.
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

// String is the name that the function type of Lua gives the kind.
func (k Kind) String() string { return kindNames[k] }

// Value is a value of Lua. The zero Value is nil.
type Value struct {
	n float64
	o *object
}

// object is what a value has beside its number. Numbers and booleans share one each.
type object struct {
	kind   Kind
	hash   uint32 // of a string, if hashed; of others, what stands for their address
	hashed bool
	text   string
	ref    any // *Table, *Function, *thread
}

var (
	numberObject = object{kind: KindNumber}
	trueObject   = object{kind: KindBoolean, hash: 1}
	falseObject  = object{kind: KindBoolean}
)

// Nil, True and False are values.
var (
	Nil   = Value{}
	True  = Value{o: &trueObject}
	False = Value{o: &falseObject}
)

// Number makes a number.
func Number(n float64) Value { return Value{n, &numberObject} }

// Int makes a number.
func Int(n int) Value { return Value{float64(n), &numberObject} }

// String makes a string.
func String(s string) Value { return Value{o: &object{kind: KindString, text: s}} }

// Bool makes a boolean.
func Bool(b bool) Value {
	if b {
		return True
	}
	return False
}

// NewLight makes a value that equals nothing but itself.
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

// hashOf returns the hash of a string, as the Lua in Redis computes it. The order of names in a table follows from it.
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
