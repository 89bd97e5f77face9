package costresult

import (
	"io"

	"ratelab/internal/result"
)

// WriteJSON writes the document and a newline.
func WriteJSON(w io.Writer, d *Document) error { return result.Write(w, d) }
