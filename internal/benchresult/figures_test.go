package benchresult

import (
	"testing"

	"ratelab/internal/sheet"
)

func TestAbsentFigures(t *testing.T) {
	for _, got := range []string{optional(nil), counted(nil), percentile(nil, 50), percentile(NewHistogram(), 50),
		figureOf(0)} {
		if got != sheet.Absent {
			t.Errorf("%q stands for no figure, want %q", got, sheet.Absent)
		}
	}
}
