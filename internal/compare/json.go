package compare

import (
	_ "embed"
	"io"

	"ratelab/internal/result"
)

// WriteJSON writes the comparison as one indented JSON document and a newline.
func WriteJSON(w io.Writer, r *Report) error { return result.Write(w, r) }
