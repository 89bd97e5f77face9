package recommend

import (
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"ratelab/internal/limit"
	_ "ratelab/internal/longtest" // fewer examples
)

// allowing is a tolerance with what the flags allow.
func allowing(t *rapid.T, tolerance Tolerance, flags string) Tolerance {
	words := strings.Fields(flags)
	for i := 0; i+1 < len(words); i += 2 {
		if words[i] == "--max-delay" {
			d, err := limit.ParseDuration(words[i+1])
			if err != nil {
				t.Fatal(err)
			}
			tolerance.MaxDelayUS = d.Microseconds()
			continue
		}
		text := strings.TrimSuffix(words[i+1], "us")
		if share, found := strings.CutSuffix(text, "%"); found {
			text = share + "e-2"
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		switch words[i] {
		case "--max-overshoot":
			tolerance.MaxOvershoot = v
		case "--max-shortfall":
			tolerance.MaxShortfall = v
		case "--max-excess":
			tolerance.MaxExcess = v
		case "--max-amplification":
			tolerance.MaxAmplification = &v
		case "--max-bytes":
			tolerance.MaxBytes = &v
		case "--max-calls":
			tolerance.MaxCalls = &v
		case "--max-cost":
			tolerance.MaxServerUS = &v
		default:
			t.Fatalf("%q is no flag", words[i])
		}
	}
	return tolerance
}
