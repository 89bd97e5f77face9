package result

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// Write writes a document as indented JSON and a newline, whole or not at all. Absent lists and maps are written as
// empty ones, so that a reader need not tell the two apart. It fails on a NaN or an infinity, which JSON cannot
// express.
//
// The last field of a Benchmark is a checksum. It is of the document without blanks and without itself: a tool that
// lays the same tokens out otherwise does not break it.
func Write(w io.Writer, doc any) error {
	var compact, out bytes.Buffer
	encoder := json.NewEncoder(&compact)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(WithoutNulls(doc)); err != nil {
		return err
	}
	text := bytes.TrimSuffix(compact.Bytes(), []byte("\n"))
	_, sealed := doc.(*Benchmark)
	if sealed {
		body := text[:len(text)-1]
		text = fmt.Appendf(nil, `%s,"checksum":"%s"}`, body, checksum(body))
	}
	if err := json.Indent(&out, text, "", "  "); err != nil {
		return err
	}
	text = append(out.Bytes(), '\n')
	if sealed {
		text = numbers.ReplaceAllFunc(text, oneLine)
	}
	_, err := w.Write(text)
	return err
}

// Seal is the last field of a document that has a checksum.
type Seal struct {
	// sha256 of the document without blanks and without this field
	Checksum string `json:"checksum" jsonschema:"pattern=^sha256:[0-9a-f]{64}$"`
}

// numbers is a list of numbers as it is indented. Within a text a line end is escaped, so that it is none of those.
var numbers = regexp.MustCompile(`\[\n[-+.eE0-9,\s]+\]`)

// oneLine is such a list without its line ends: a course of hundreds of numbers is no reading matter.
func oneLine(list []byte) []byte {
	fields := bytes.Fields(list[1 : len(list)-1])
	return slices.Concat([]byte{'['}, bytes.Join(fields, []byte{' '}), []byte{']'})
}

// checksum is that of a document without blanks, of which body lacks the last brace.
func checksum(body []byte) string {
	h := sha256.New()
	h.Write(body)
	h.Write([]byte{'}'})
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

var checksumLast = regexp.MustCompile(`^,"checksum":"(sha256:[0-9a-f]{64})"\}$`)

// checksumLength is how much of a document without blanks its checksum takes.
const checksumLength = len(`,"checksum":"sha256:"}`) + 2*sha256.Size

// sealBroken says what is wrong with the checksum of a document without blanks; "" where nothing is.
func sealBroken(compact []byte) string {
	at := len(compact) - checksumLength
	if at < 0 {
		return "it has no checksum"
	}
	stated := checksumLast.FindSubmatch(compact[at:])
	if stated == nil {
		return "it has no checksum"
	}
	if checksum(compact[:at]) != string(stated[1]) {
		return "it is not what its checksum is of"
	}
	return ""
}

// WithoutNulls is a copy of a document in which absent lists, maps and histograms are empty ones. What may be absent (a
// pointer to a figure, a list that JSON leaves out) stays so. What pointers lead to is shared, not copied.
func WithoutNulls(doc any) any {
	from := reflect.Indirect(reflect.ValueOf(doc))
	out := reflect.New(from.Type()).Elem()
	fill(out, from)
	return out.Interface()
}

func fill(to, from reflect.Value) {
	switch {
	case from.Type() == reflect.TypeFor[*Histogram]():
		to.Set(reflect.ValueOf(from.Interface().(*Histogram).orEmpty()))
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
