package benchresult

import (
	"testing"

	"ratelab/internal/sheet"
)

func TestFigureHasThreeDigits(t *testing.T) {
	for value, want := range map[float64]string{
		0: "0", 4.302: "4.30", 12.345: "12.3", 999.4: "999", 999.6: "1000", 9.996: "10.0", 0.01234: "0.0123", 1: "1.00",
		48273: "48300", 66_374.96: "66400", 1e6: "1000000", 0.99999: "1.00", 99.95: "100",
	} {
		if got := figure(value); got != want && !(value == 99.95 && got == "100") {
			t.Errorf("%v shows as %s, want %s", value, got, want)
		}
	}
}

func TestAbsentFigures(t *testing.T) {
	for _, got := range []string{optional(nil), counted(nil), percentile(nil, 50), percentile(NewHistogram(), 50), figureOf(0)} {
		if got != absent {
			t.Errorf("%q stands for no figure, want %q", got, absent)
		}
	}
	if got := sheet.Times(1.0004); got != ">1.00" {
		t.Errorf("1.0004 is rounded away: %s", got)
	}
}
