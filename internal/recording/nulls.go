package recording

import (
	"reflect"
	"strings"
)

var histogramType = reflect.TypeFor[*Histogram]()

// withoutNulls is a copy of a document in which absent lists, maps and histograms are empty ones, so that a reader need
// not tell the two apart. What may be absent (a pointer to a figure, a list that JSON leaves out) stays so. Histograms are shared, not copied.
func withoutNulls[T any](doc T) T {
	var out T
	fill(reflect.ValueOf(&out).Elem(), reflect.ValueOf(doc))
	return out
}

func fill(to, from reflect.Value) {
	switch {
	case from.Type() == histogramType:
		if h := from.Interface().(*Histogram); h == nil || h.Histogram == nil {
			from = reflect.ValueOf(NewHistogram())
		}
		to.Set(from)
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

// mayBeAbsent reports whether a list is one that JSON leaves out where it is empty.
func mayBeAbsent(field reflect.StructField, v reflect.Value) bool {
	return v.Kind() == reflect.Slice && v.Len() == 0 && strings.HasSuffix(field.Tag.Get("json"), ",omitempty")
}
