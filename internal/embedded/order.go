package embedded

import (
	"math"
	"slices"
	"strconv"

	"ratelab/internal/luavm"
)

// A small hash keeps the order in which its fields were set. It has at most mostFields fields, and no text longer than
// longestText bytes. These are the defaults of hash-max-listpack-entries and hash-max-listpack-value.
const (
	mostFields  = 512
	longestText = 64
)

// order holds the order of the fields of a hash. miniredis itself answers in the order of the texts.
type order struct {
	fields []string
	table  bool // the hash was once larger: Redis draws the order, and virtual time sorts the fields
}

// entered notes the fields that a command has set, of which it has added some. A new hash has only those, so that no
// note is needed when a hash is deleted.
func (s *scripts) entered(key string, texts []string, added luavm.Value) {
	long := slices.ContainsFunc(texts, func(text string) bool { return len(text) > longestText })
	if added == luavm.Int(0) && !long {
		return
	}
	if size, _ := s.issue([]string{"HLEN", key}); size == added {
		s.orders[key] = &order{}
	}
	o := s.orders[key]
	if o == nil { // the hash was renamed or copied, or another connection has made it
		return
	}
	for i := 0; i < len(texts) && !o.table; i += 2 {
		if !slices.Contains(o.fields, texts[i]) {
			o.fields = append(o.fields, texts[i])
		}
	}
	if long || len(o.fields) > mostFields {
		o.fields, o.table = nil, true
	}
}

// incremented is the answer of HINCRBY. miniredis goes past the largest number, and past the least.
func (s *scripts) incremented(args []string, value luavm.Value) (luavm.Value, string) {
	by, _ := whole(args[3])
	n, _ := value.Float()
	if math.Abs(n) >= 1<<53 {
		text, _ := s.get("HGET", args[1], args[2])
		sum, _ := whole(text)
		if old := sum - by; (by > 0) != (sum > old) {
			s.issue([]string{"HSET", args[1], args[2], strconv.FormatInt(old, 10)})
			return luavm.Nil, "ERR increment or decrement would overflow"
		}
	}
	if n == float64(by) { // the field may be a new one
		s.entered(args[1], args[2:3], luavm.Int(1))
	}
	return value, ""
}

// ordered gives an answer the order of the fields.
func (s *scripts) ordered(name string, args []string, value luavm.Value) (luavm.Value, string) {
	list, width := value.Table(), 2
	switch name {
	case "HSCAN":
		list = list.GetInt(2).Table()
	case "HKEYS", "HVALS":
		width = 1
	}
	o := s.orders[args[1]]
	switch {
	case list.Len() <= width:
		return value, ""
	case o == nil || s.elsewhere || o.table && name == "HSCAN":
		return luavm.Nil, s.refuse("of the order in which " + name + " answers")
	case o.table:
		return value, ""
	case name == "HVALS":
		return s.issue(append([]string{"HMGET", args[1]}, o.fields...))
	}
	found := map[string]luavm.Value{}
	for i := 1; i <= list.Len(); i += width {
		field, _ := list.GetInt(i).Text()
		found[field] = list.GetInt(i + width - 1)
	}
	i := 1
	for _, field := range o.fields {
		if v, ok := found[field]; ok {
			list.SetInt(i+width-1, v)
			list.SetInt(i, luavm.String(field))
			i += width
		}
	}
	return value, ""
}
