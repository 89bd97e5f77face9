package algorithms

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestSweep(t *testing.T) {
	for _, test := range []struct {
		text, of, parameter string
		rows                []string
		values              []float64
	}{
		{"gcra:reserve=none,0,512", "gcra", "reserve",
			[]string{"gcra:reserve=none", "gcra:reserve=0", "gcra:reserve=512"}, []float64{math.NaN(), 0, 512}},
		{"leases:ttl=1s..16s/5", "leases", "ttl",
			[]string{"leases:ttl=1s", "leases:ttl=2s", "leases:ttl=4s", "leases:ttl=8s", "leases:ttl=16s"},
			[]float64{1e6, 2e6, 4e6, 8e6, 16e6}},
		{"leases:renew=ttl/3:ttl=3s,6s", "leases:renew=ttl/3", "ttl",
			[]string{"leases:ttl=3s:renew=1s", "leases:ttl=6s:renew=2s"}, []float64{3e6, 6e6}},
		// Twelve values at equal ratios, of which some are equal when they are whole.
		{"gcra:burst=1..5", "gcra", "burst",
			[]string{"gcra:burst=1", "gcra:burst=2", "gcra:burst=3", "gcra:burst=4", "gcra:burst=5"},
			[]float64{1, 2, 3, 4, 5}},
	} {
		s, err := Sweep(test.text)
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		var rows []string
		for _, row := range s.Rows {
			rows = append(rows, row.Label)
		}
		same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
		if s.Of != test.of || s.Parameter != test.parameter || !slices.Equal(rows, test.rows) ||
			!slices.EqualFunc(s.Values, test.values, same) {
			t.Errorf("%s: %s by %s: %q, %v", test.text, s.Of, s.Parameter, rows, s.Values)
		}
	}
	for text, want := range map[string]string{
		"gcra":                          "want a parameter with several values",
		"gcra:burst=1,2:reserve=1,2":    "two parameters have several values",
		"gcar:burst=1,2":                `no such algorithm "gcar"`,
		"gcra:burst=5..1":               "want two values above 0, the smaller one first",
		"gcra:burst=1..5/99":            "want 2 to 50",
		"leases:ttl=1s,x":               "parameter ttl: duration",
		"leases:ttl=0s..5s":             "want two values above 0",
		"gcra:brust=1,2":                "want a parameter with several values",
		"leases:renew=ttl/2:ttl=1s,10s": "parameter renew",
	} {
		if _, err := Sweep(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
