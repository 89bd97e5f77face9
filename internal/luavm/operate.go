package luavm

// longestChain is the most __index or __newindex metamethods that one access may follow.
const longestChain = 100

// metamethod returns the metamethod of a value for an event, or nil.
func (t *Thread) metamethod(v Value, event string) Value {
	if meta := t.Meta(v); meta != nil {
		return meta.GetName(event)
	}
	return Nil
}

// Meta returns the metatable of a value, or nil.
func (t *Thread) Meta(v Value) *Table {
	if table := v.Table(); table != nil {
		return table.meta
	}
	if v.isString() {
		return t.Texts
	}
	return nil
}

// first returns the first result of a call.
func first(all []Value) Value {
	if len(all) > 0 {
		return all[0]
	}
	return Nil
}

// Index returns v[key].
func (t *Thread) Index(v, key Value) Value { return t.index(v, key, "") }

// index returns v[key], with metatables. The name tells in errors where v comes from.
func (t *Thread) index(v, key Value, name string) Value {
	for range longestChain {
		table := v.Table()
		if table != nil {
			if found := table.Get(key); found.o != nil || table.meta == nil {
				return found
			}
		}
		by := t.metamethod(v, "__index")
		switch {
		case by.function() != nil:
			return first(t.Call(by, v, key))
		case by.IsNil() && table != nil:
			return Nil
		case by.IsNil():
			t.mistyped(v, "index", name)
		}
		v, name = by, ""
	}
	t.Raise("loop in gettable")
	return Nil
}

// setIndex does v[key] = to, with metatables.
func (t *Thread) setIndex(v, key, to Value, name string) {
	for range longestChain {
		by := t.metamethod(v, "__newindex")
		if table := v.Table(); table != nil {
			if at := t.writable(table, key); at.o != nil || by.IsNil() {
				*at = to
				return
			}
		}
		switch {
		case by.function() != nil:
			t.Call(by, v, key, to)
			return
		case by.IsNil():
			t.mistyped(v, "index", name)
		}
		v, name = by, ""
	}
	t.Raise("loop in settable")
}

// writable returns the place of a key in a table, and adds the key if it is missing. The key stays even if a metamethod
// then takes the value.
func (t *Thread) writable(table *Table, key Value) *Value {
	switch {
	case table.readOnly:
		t.Raise("Attempt to modify a readonly table")
	case key.IsNil():
		t.Raise("table index is nil")
	case key.n != key.n:
		t.Raise("table index is NaN")
	}
	return table.place(key)
}

// arithmeticEvents are the metamethods of the operators. The operator u is the unary minus.
var arithmeticEvents = map[byte]string{'+': "__add", '-': "__sub", '*': "__mul", '/': "__div", '%': "__mod",
	'^': "__pow", 'u': "__unm"}

// compute applies an operator to two numbers. The operator u returns -a.
func compute(op byte, a, b float64) (n float64) {
	switch op {
	case '+':
		n = a + b
	case '-':
		n = a - b
	case '*':
		n = a * b
	case '/':
		n = a / b
	case '%':
		n = modulo(a, b)
	case '^':
		var exact bool
		if n, exact = power(a, b); !exact {
			inexact("^")
		}
	default:
		return -a
	}
	return computed(n, a, b)
}

// arithmetic applies an operator to values that are not both numbers.
func (t *Thread) arithmetic(op byte, a, b Value, nameA, nameB string) Value {
	x, ok := AsNumber(a)
	y, okay := AsNumber(b)
	if ok && okay {
		return Number(compute(op, x, y))
	}
	if by := t.binary(a, b, arithmeticEvents[op]); !by.IsNil() {
		return first(t.Call(by, a, b))
	}
	if ok {
		a, nameA = b, nameB
	}
	t.mistyped(a, "perform arithmetic on", nameA)
	return Nil
}

// binary returns the metamethod of the first operand, or of the second if the first has none.
func (t *Thread) binary(a, b Value, event string) Value {
	if by := t.metamethod(a, event); !by.IsNil() {
		return by
	}
	return t.metamethod(b, event)
}

func (t *Thread) length(v Value, name string) Value {
	if table := v.Table(); table != nil {
		return Int(table.Len())
	}
	if v.isString() {
		return Int(len(v.o.text))
	}
	if by := t.metamethod(v, "__len"); !by.IsNil() {
		return first(t.Call(by, v, Nil))
	}
	t.mistyped(v, "get length of", name)
	return Nil
}

// agreed returns the metamethod if both operands have the same one, or nil.
func (t *Thread) agreed(a, b Value, event string) Value {
	by := t.metamethod(a, event)
	if by.IsNil() || !same(by, t.metamethod(b, event)) {
		return Nil
	}
	return by
}

// equal returns a == b for values that are not the same object.
func (t *Thread) equal(a, b Value) bool {
	if a.Kind() != KindTable || b.Kind() != KindTable {
		return false
	}
	by := t.agreed(a, b, "__eq")
	return !by.IsNil() && first(t.Call(by, a, b)).Truth()
}

// ordered returns a < b, or a <= b with orEqual.
func (t *Thread) ordered(a, b Value, orEqual bool) bool {
	switch {
	case a.isNumber() && b.isNumber():
		return a.n < b.n || orEqual && a.n == b.n
	case a.isString() && b.isString():
		return a.o.text < b.o.text || orEqual && a.o.text == b.o.text
	case a.Kind() != b.Kind():
		t.incomparable(a, b)
	}
	if by := t.agreed(a, b, "__le"); orEqual && !by.IsNil() {
		return first(t.Call(by, a, b)).Truth()
	}
	by := t.agreed(a, b, "__lt")
	switch {
	case by.IsNil():
		t.incomparable(a, b)
	case orEqual:
		return !first(t.Call(by, b, a)).Truth()
	}
	return first(t.Call(by, a, b)).Truth()
}

// incomparable raises an error about types. C compares only the third letters of the types' names to see whether they
// are equal.
func (t *Thread) incomparable(a, b Value) {
	x, y := a.Kind().String(), b.Kind().String()
	if x[2] == y[2] {
		t.Raise("attempt to compare two %s values", x)
	}
	t.Raise("attempt to compare %s with %s", x, y)
}

// joined returns strings and numbers as one string.
func (t *Thread) joined(values []Value) Value {
	t.buffer = t.buffer[:0]
	for _, v := range values {
		if v.isNumber() {
			t.buffer = AppendNumber(t.buffer, v.n)
		} else {
			t.buffer = append(t.buffer, v.o.text...)
		}
	}
	t.bound(len(t.buffer))
	return String(string(t.buffer))
}

// concat applies the operator .. from the right, with metamethods. It joins adjacent strings and numbers in one step.
func (t *Thread) concat(values []Value, names []string) Value {
	isText := func(v Value) bool { return v.isString() || v.isNumber() }
	name := names[len(names)-1] // name of the last value
	for last := len(values) - 1; last > 0; name = "" {
		from := last + 1
		for from > 0 && isText(values[from-1]) {
			from--
		}
		left, right := values[last-1], values[last]
		by := Nil
		if from >= last {
			by = t.binary(left, right, "__concat")
		}
		switch {
		case from < last:
			values[from] = t.joined(values[from : last+1])
			last = from
		case !by.IsNil():
			last--
			values[last] = first(t.Call(by, left, right))
		case isText(left):
			t.mistyped(right, "concatenate", name)
		default:
			t.mistyped(left, "concatenate", names[last-1])
		}
	}
	return values[0]
}

// largestText is the most bytes of a string. A larger one could exhaust the memory and end this process.
const largestText = 1 << 28

func (t *Thread) bound(size int) {
	if size > largestText {
		t.Raise("resulting string too large")
	}
}
