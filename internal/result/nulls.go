package result

import (
	"reflect"
	"strings"
)

// Emptied is a pointer whose absence is written as something empty, too.
type Emptied interface{ OrEmpty() any }

var emptied = reflect.TypeFor[Emptied]()

// WithoutNulls is a copy of a document in which absent lists and maps are empty ones. What may be absent (a pointer to
// a figure, a list that JSON leaves out) stays so. What pointers lead to is shared, not copied.
func WithoutNulls(doc any) any {
	from := reflect.Indirect(reflect.ValueOf(doc))
	out := reflect.New(from.Type()).Elem()
	fill(out, from)
	return out.Interface()
}

func fill(to, from reflect.Value) {
	switch {
	case from.Type().Implements(emptied):
		to.Set(reflect.ValueOf(from.Interface().(Emptied).OrEmpty()))
	case from.Kind() == reflect.Slice:
		to.Set(reflect.MakeSlice(from.Type(), from.Len(), from.Len()))
		for i := range from.Len() {
			fill(to.Index(i), from.Index(i))
		}
	case from.Kind() == reflect.Map && from.IsNil():
		to.Set(reflect.MakeMap(from.Type()))
	case from.Kind() == reflect.Struct:
		to.Set(from) // with the fields that are not exported, such as those of a time
		for i := range from.NumField() {
			if field := from.Type().Field(i); field.IsExported() && !mayBeAbsent(field, from.Field(i)) {
				fill(to.Field(i), from.Field(i))
			}
		}
	default:
		to.Set(from)
	}
}

// mayBeAbsent reports whether a list or what a pointer leads to is one that JSON leaves out where there is none.
func mayBeAbsent(field reflect.StructField, v reflect.Value) bool {
	none := v.Kind() == reflect.Slice && v.Len() == 0 || v.Kind() == reflect.Pointer && v.IsNil()
	return none && strings.HasSuffix(field.Tag.Get("json"), ",omitempty")
}
