package recording

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
)

// The names of the files.
const (
	FileName       = "bench.json"  // of a Recording
	PairedFileName = "paired.json" // of a Paired
)

// WriteJSON writes r as one indented JSON document and a newline, its checksum last. Absent lists, maps and histograms
// are written as empty ones. It fails where r's sums do not agree, and on a NaN or an infinity.
func WriteJSON(w io.Writer, r *Recording) error {
	if err := r.Check(); err != nil {
		return fmt.Errorf("the recording's sums do not agree: %w", err)
	}
	return writeSealed(w, withoutNulls(*r))
}

// WritePaired is WriteJSON for a Paired.
func WritePaired(w io.Writer, p *Paired) error {
	if err := p.Check(); err != nil {
		return fmt.Errorf("the comparison's sums do not agree: %w", err)
	}
	return writeSealed(w, withoutNulls(*p))
}

// writeSealed adds the checksum, which is of the document without blanks and without itself: a tool that lays the same
// tokens out otherwise does not break it.
func writeSealed(w io.Writer, doc any) error {
	var compact bytes.Buffer
	encoder := json.NewEncoder(&compact)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(doc); err != nil {
		return err
	}
	body := bytes.TrimSuffix(compact.Bytes(), []byte("}\n"))
	sealed := fmt.Appendf(nil, `%s,"checksum":"%s"}`, body, checksum(body))
	var out bytes.Buffer
	if err := json.Indent(&out, sealed, "", "  "); err != nil {
		return err
	}
	out.WriteByte('\n')
	_, err := w.Write(out.Bytes())
	return err
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
