package report

import "testing"

func TestDefuse(t *testing.T) {
	for cell, want := range map[string]string{"=1": "'=1", "+1": "'+1", "-1": "'-1", "@a": "'@a", "\ta": "'\ta",
		"\ra": "'\ra", "\na": "'\na", "＝1": "'＝1", "'=1": "''=1",
		"a=1": "a=1", "": "", "\xff": "\xff"} {
		if got := Defuse(cell); got != want {
			t.Errorf("Defuse(%q) = %q, want %q", cell, got, want)
		}
	}
}
