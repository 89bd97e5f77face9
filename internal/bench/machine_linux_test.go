package bench

import "testing"

func TestProcessorIn(t *testing.T) {
	for text, want := range map[string]string{
		"processor\t: 0\nmodel name\t: Example 3000 @ 2.00GHz\nmodel name\t: another\n": "Example 3000 @ 2.00GHz",
		"processor\t: 0\nBogoMIPS\t: 50.00\n":                                           "", // as on ARM
		"":                                                                              "",
	} {
		if got := processorIn(text); got != want {
			t.Errorf("%q has %q, want %q", text, got, want)
		}
	}
}
