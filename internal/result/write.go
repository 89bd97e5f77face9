package result

import (
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// Write writes a document as indented JSON with a newline at the end. It writes everything or nothing. Absent lists and
// maps are written as empty ones, so that readers need not distinguish them. It returns an error for a NaN or an
// infinity, which JSON cannot express.
func Write(w io.Writer, doc *Document) error {
	text, err := encode(WithoutNulls(doc))
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", "  "); err != nil {
		return err
	}
	_, err = w.Write(numbers.ReplaceAllFunc(append(out.Bytes(), '\n'), oneLine))
	return err
}

// numbers matches an indented list of numbers. It matches nothing within a text, where line ends are escaped.
var numbers = regexp.MustCompile(`\[\n[-+.eE0-9,\s]+\]`)

// oneLine puts such a list on one line, because a list of hundreds of numbers is not for reading.
func oneLine(list []byte) []byte {
	fields := bytes.Fields(list[1 : len(list)-1])
	return slices.Concat([]byte{'['}, bytes.Join(fields, []byte{' '}), []byte{']'})
}

// WithoutNulls returns a copy of a document in which absent lists, maps and histograms are empty ones. Optional fields
// (a pointer to a figure, a list with omitempty) stay absent. Histograms are shared, not copied.
func WithoutNulls(d *Document) *Document {
	out := new(Document)
	fill(reflect.ValueOf(out).Elem(), reflect.ValueOf(d).Elem())
	return out
}

func fill(to, from reflect.Value) {
	switch {
	case from.Type() == reflect.TypeFor[*Histogram]():
		to.Set(reflect.ValueOf(from.Interface().(*Histogram).orEmpty()))
	case from.Kind() == reflect.Pointer && !from.IsNil() && from.Type().Elem().Kind() == reflect.Struct:
		to.Set(reflect.New(from.Type().Elem()))
		fill(to.Elem(), from.Elem())
	case from.Kind() == reflect.Slice:
		to.Set(reflect.MakeSlice(from.Type(), from.Len(), from.Len()))
		for i := range from.Len() {
			fill(to.Index(i), from.Index(i))
		}
	case from.Kind() == reflect.Map && from.IsNil():
		to.Set(reflect.MakeMap(from.Type()))
	case from.Kind() == reflect.Struct:
		to.Set(from) // this also copies fields that are not exported, such as those of a time
		for i := range from.NumField() {
			if field := from.Type().Field(i); field.IsExported() && !mayBeAbsent(field, from.Field(i)) {
				fill(to.Field(i), from.Field(i))
			}
		}
	default:
		to.Set(from)
	}
}

// mayBeAbsent reports whether the value is absent and JSON omits the field in that case.
func mayBeAbsent(field reflect.StructField, v reflect.Value) bool {
	none := v.Kind() == reflect.Slice && v.Len() == 0 || v.Kind() == reflect.Pointer && v.IsNil()
	return none && strings.HasSuffix(field.Tag.Get("json"), ",omitempty")
}
