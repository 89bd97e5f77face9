package benchresult

import (
	"fmt"
	"io"

	"ratelab/internal/result"
)

// WriteJSON writes r as one indented JSON document and a newline, its checksum last. Absent lists, maps and histograms
// are written as empty ones. It fails where r's sums do not agree, and on a NaN or an infinity.
func WriteJSON(w io.Writer, r *Document) error {
	if err := r.Check(); err != nil {
		return fmt.Errorf("the result's sums do not agree: %w", err)
	}
	return result.WriteSealed(w, *r)
}

// WritePaired is WriteJSON for a Paired.
func WritePaired(w io.Writer, p *Paired) error {
	if err := p.Check(); err != nil {
		return fmt.Errorf("the comparison's sums do not agree: %w", err)
	}
	return result.WriteSealed(w, *p)
}
