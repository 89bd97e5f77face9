package luavm

import (
	"errors"
	"math"
	"math/bits"
	"sync/atomic"
)

// Table is a table of Lua. As in ltable.c of Lua 5.1, it consists of an array and a hash whose nodes are chained, and
// both grow in the same way. The order of next, and the length of a table with gaps, depend on this.
type Table struct {
	object
	array    []Value
	nodes    []node // the length is 0 or a power of two
	lastFree int    // all nodes from this index on are in use
	meta     *Table
	readOnly bool
}

type node struct {
	key, value Value
	next       int // index of the next node of the chain plus one; 0: none
}

// NewTable makes a table with room for the given numbers of list elements and named fields.
func NewTable(elements, names int) *Table {
	t := &Table{object: object{kind: KindTable}}
	t.ref = t
	if elements > 0 {
		t.array = make([]Value, elements)
	}
	t.setNodes(names)
	return t
}

// Value returns t as a Value.
func (t *Table) Value() Value { return Value{o: &t.object} }

// Protect makes the table read-only: each later write of a script raises an error.
func (t *Table) Protect() { t.readOnly = true }

// SetMeta sets the metatable.
func (t *Table) SetMeta(meta *Table) { t.meta = meta }

func (t *Table) setNodes(count int) {
	t.nodes = nil
	if count > 0 {
		t.nodes = make([]node, 1<<bits.Len(uint(count-1)))
	}
	t.lastFree = len(t.nodes)
}

// mainPosition returns the node to which a key hashes.
func (t *Table) mainPosition(key Value) int {
	switch key.o.kind {
	case KindString:
		return int(key.o.hashOf()) & (len(t.nodes) - 1)
	case KindNumber:
		if key.n == 0 {
			return 0
		}
		b := math.Float64bits(key.n)
		return int((uint32(b) + uint32(b>>32)) % uint32((len(t.nodes)-1)|1))
	case KindBoolean:
		return int(key.o.hash) & (len(t.nodes) - 1)
	}
	return int(key.o.address() % uint32((len(t.nodes)-1)|1))
}

var addresses atomic.Uint32

// address returns a number that is unique to the object. C uses the address of the object instead.
func (o *object) address() uint32 {
	if !o.hashed {
		o.hash, o.hashed = addresses.Add(16), true
	}
	return o.hash
}

// index returns a key as an index of the array, from 1 on. It returns 0 if the key cannot be one.
func index(key Value) int {
	if key.o == &numberObject && key.n >= 1 && key.n <= math.MaxInt32 {
		if i := int(key.n); float64(i) == key.n {
			return i
		}
	}
	return 0
}

// find returns the place of a key's value, or nil if the key is missing.
func (t *Table) find(key Value) *Value {
	switch i := t.position(key); {
	case i == 0:
		return nil
	case i <= len(t.array):
		return &t.array[i-1]
	default:
		return &t.nodes[i-len(t.array)-1].value
	}
}

// position returns the place of a key in the table's order, counted from 1. It returns 0 if the key is missing.
func (t *Table) position(key Value) int {
	if i := index(key); i > 0 && i <= len(t.array) {
		return i
	}
	if len(t.nodes) == 0 || key.o == nil {
		return 0
	}
	for at := t.mainPosition(key) + 1; at > 0; at = t.nodes[at-1].next {
		if same(t.nodes[at-1].key, key) {
			return len(t.array) + at
		}
	}
	return 0
}

// Get returns the value of a key, without metatables.
func (t *Table) Get(key Value) Value {
	if v := t.find(key); v != nil {
		return *v
	}
	return Nil
}

// GetInt returns the value of an integer key.
func (t *Table) GetInt(i int) Value { return t.Get(Int(i)) }

// GetName returns the value of a string key.
func (t *Table) GetName(name string) Value { return t.Get(String(name)) }

// SetInt sets the value of an integer key.
func (t *Table) SetInt(i int, v Value) { t.Set(Int(i), v) }

// SetName sets the value of a string key.
func (t *Table) SetName(name string, v Value) { t.Set(String(name), v) }

// Set sets the value of a key that is neither nil nor NaN.
func (t *Table) Set(key, v Value) { *t.place(key) = v }

// add makes a place for a key that is not in the table. If the key's main node is taken by a key of another chain, that
// key moves to a free node.
func (t *Table) add(key Value) *Value {
	if len(t.nodes) == 0 {
		t.rehash(key)
		return t.place(key)
	}
	main := t.mainPosition(key)
	if !t.nodes[main].value.IsNil() {
		free := t.free()
		if free < 0 {
			t.rehash(key)
			return t.place(key)
		}
		if other := t.mainPosition(t.nodes[main].key); other != main {
			for t.nodes[other].next != main+1 {
				other = t.nodes[other].next - 1
			}
			t.nodes[other].next = free + 1
			t.nodes[free] = t.nodes[main]
			t.nodes[main] = node{}
		} else {
			t.nodes[free].next = t.nodes[main].next
			t.nodes[main].next = free + 1
			main = free
		}
	}
	t.nodes[main].key = key
	return &t.nodes[main].value
}

// place returns the place of a key. It adds the key if it is missing.
func (t *Table) place(key Value) *Value {
	if at := t.find(key); at != nil {
		return at
	}
	return t.add(key)
}

// free returns a node that was never used, or -1.
func (t *Table) free() int {
	for t.lastFree--; t.lastFree >= 0; t.lastFree-- {
		if t.nodes[t.lastFree].key.IsNil() {
			return t.lastFree
		}
	}
	return -1
}

// largestArray is the binary logarithm of the largest size of an array.
const largestArray = 26

// rehash makes room for a key. The array gets the largest size at which more than half of its elements are used.
func (t *Table) rehash(key Value) {
	var counts [largestArray + 1]int // counts[i]: keys in (2^(i-1), 2^i]
	whole, all := 0, 1
	count := func(key Value) {
		if i := index(key); i > 0 && i <= 1<<largestArray {
			counts[bits.Len(uint(i-1))]++
			whole++
		}
	}
	for i, v := range t.array {
		if !v.IsNil() {
			counts[bits.Len(uint(i))]++
			whole++
			all++
		}
	}
	for i := range t.nodes {
		if !t.nodes[i].value.IsNil() {
			count(t.nodes[i].key)
			all++
		}
	}
	count(key)
	size, inArray, sum := 0, 0, 0
	for i, power := 0, 1; power/2 < whole; i, power = i+1, power*2 {
		if counts[i] > 0 {
			if sum += counts[i]; sum > power/2 {
				size, inArray = power, sum
			}
		}
		if sum == whole {
			break
		}
	}
	t.resize(size, all-inArray)
}

func (t *Table) resize(elements, names int) {
	array, nodes := t.array, t.nodes
	if elements > len(array) {
		t.array = append(make([]Value, 0, elements), array...)[:elements]
	}
	t.setNodes(names)
	if elements < len(array) {
		t.array = array[:elements:elements]
		for i, v := range array[elements:] {
			if !v.IsNil() {
				t.SetInt(elements+i+1, v)
			}
		}
	}
	for i := len(nodes) - 1; i >= 0; i-- {
		if !nodes[i].value.IsNil() {
			*t.place(nodes[i].key) = nodes[i].value
		}
	}
}

// Len returns a border: an index with a value, followed by an index without one. If there are several borders, Len
// returns the same one as C.
func (t *Table) Len() int {
	high := len(t.array)
	if high > 0 && t.array[high-1].IsNil() {
		return border(0, high, func(i int) bool { return t.array[i-1].IsNil() })
	}
	if len(t.nodes) == 0 {
		return high
	}
	missing := func(i int) bool { return t.GetInt(i).IsNil() }
	low := high
	for high++; !missing(high); high *= 2 {
		if low = high; high > math.MaxInt32/2 { // a table made to be slow here: search linearly, as C does
			for low = 1; !missing(low); low++ {
			}
			return low - 1
		}
	}
	return border(low, high, missing)
}

// border finds a border by bisection, between an index with a value (low) and one without (high).
func border(low, high int, missing func(int) bool) int {
	for high-low > 1 {
		if middle := (low + high) / 2; missing(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return low
}

// Next returns the entry after a key in the table's order, and nils after the last entry. With a nil key it returns the
// first entry.
func (t *Table) Next(key Value) (following, value Value, err error) {
	at := 0
	if !key.IsNil() {
		if at = t.position(key); at == 0 {
			return Nil, Nil, errors.New("invalid key to 'next'")
		}
	}
	for ; at < len(t.array); at++ {
		if v := t.array[at]; !v.IsNil() {
			return Int(at + 1), v, nil
		}
	}
	for i := at - len(t.array); i < len(t.nodes); i++ {
		if n := &t.nodes[i]; !n.value.IsNil() {
			return n.key, n.value, nil
		}
	}
	return Nil, Nil, nil
}
