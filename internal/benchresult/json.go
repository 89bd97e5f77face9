package benchresult

import (
	"io"

	"ratelab/internal/result"
)

// WriteJSON writes r as one indented JSON document and a newline, its checksum last. Absent lists, maps and histograms
// are written as empty ones. It fails on a NaN or an infinity.
func WriteJSON(w io.Writer, r *Document) error { return result.WriteSealed(w, *r) }

// WritePaired is WriteJSON for a Paired.
func WritePaired(w io.Writer, p *Paired) error { return result.WriteSealed(w, *p) }
