package embedded

import (
	"slices"

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
	}
	values, problem := s.issue(append([]string{"HMGET", args[1]}, o.fields...))
	for i, field := range o.fields {
		list.SetInt(width*i+1, luavm.String(field))
		if name != "HKEYS" {
			list.SetInt(width*(i+1), values.Table().GetInt(i+1))
		}
	}
	return value, problem
}
