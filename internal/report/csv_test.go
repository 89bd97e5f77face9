package report

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"ratelab/internal/result"
)

// CSV has every field of a row, and every measure besides.
func TestCSVHasEveryField(t *testing.T) {
	columns := append(CSVColumns(), "excess", "exact_cost") // only in JSON
	for _, field := range reflect.VisibleFields(reflect.TypeFor[result.Row]()) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name != "" && !slices.Contains(columns, name) {
			t.Errorf("%s has no column", name)
		}
	}
}

func TestDefuse(t *testing.T) {
	for cell, want := range map[string]string{"=1": "'=1", "+1": "'+1", "-1": "'-1", "@a": "'@a", "\ta": "'\ta",
		"\ra": "'\ra", "\na": "'\na", "＝1": "'＝1", "'=1": "''=1",
		"a=1": "a=1", "": "", "\xff": "\xff"} {
		if got := Defuse(cell); got != want {
			t.Errorf("Defuse(%q) = %q, want %q", cell, got, want)
		}
	}
}
