package embedded

import (
	"slices"

	"ratelab/internal/luavm"
)

// A small hash keeps its fields in the order in which they were set. It has at most mostFields fields, and no text of
// more than longestText bytes. These are the defaults of hash-max-listpack-entries and hash-max-listpack-value.
const (
	mostFields  = 512
	longestText = 64
)

// order holds the order of a hash's fields. miniredis itself replies in alphabetical order.
type order struct {
	fields []string
	table  bool // the hash was larger before: then its order is random in Redis, and virtual time sorts the fields
}

// entered records the fields that a command has set. added is the number of new fields. If all of them are new and the
// hash has no other fields, the hash is new: so deletions need not be recorded.
func (s *scripts) entered(key string, texts []string, added luavm.Value) {
	long := slices.ContainsFunc(texts, func(text string) bool { return len(text) > longestText })
	if added == luavm.Int(0) && !long {
		return
	}
	if size, _ := s.issue([]string{"HLEN", key}); size == added {
		s.orders[key] = &order{}
	}
	o := s.orders[key]
	if o == nil { // the hash was renamed or copied, or another connection created it
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

// ordered sorts the fields in a reply into the order of Redis.
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
