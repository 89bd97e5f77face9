package result

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
)

// Write writes a document as indented JSON and a newline, whole or not at all. Absent lists and maps are written as
// empty ones, so that a reader need not tell the two apart. It fails on a NaN or an infinity, which
// JSON cannot express.
func Write(w io.Writer, doc any) error {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(WithoutNulls(doc)); err != nil {
		return err
	}
	_, err := w.Write(out.Bytes())
	return err
}

// Seal is the last field of a document that has a checksum.
type Seal struct {
	// sha256 of the document without blanks and without this field
	Checksum string `json:"checksum" jsonschema:"pattern=^sha256:[0-9a-f]{64}$"`
}

// WriteSealed is Write with a last field, the checksum, which is of the document without blanks and without itself: a
// tool that lays the same tokens out otherwise does not break it.
func WriteSealed(w io.Writer, doc any) error {
	var compact bytes.Buffer
	encoder := json.NewEncoder(&compact)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(WithoutNulls(doc)); err != nil {
		return err
	}
	body := bytes.TrimSuffix(compact.Bytes(), []byte("}\n"))
	sealed := fmt.Appendf(nil, `%s,"checksum":"%s"}`, body, checksum(body))
	var out bytes.Buffer
	if err := json.Indent(&out, sealed, "", "  "); err != nil {
		return err
	}
	out.WriteByte('\n')
	_, err := w.Write(numbers.ReplaceAllFunc(out.Bytes(), oneLine))
	return err
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
