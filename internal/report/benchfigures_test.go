package report

import (
	"testing"

	"ratelab/internal/result"
)

func TestAbsentFigures(t *testing.T) {
	for _, got := range []string{optional(nil), countedFigure(nil), percentile(nil, 50),
		percentile(result.NewHistogram(), 50),
		figureOf(0)} {
		if got != Absent {
			t.Errorf("%q stands for no figure, want %q", got, Absent)
		}
	}
}
