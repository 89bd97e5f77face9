package algorithms

import "testing"

// A row's capacity is found by what its parameter means, whatever that is called and whatever the label adds.
func TestInRole(t *testing.T) {
	for _, c := range []struct {
		label, parameter, want string
	}{
		{"gcra", "burst", "7"}, {"gcra:burst=7", "burst", "7"}, {"gcra+local-flag", "burst",
			"7"}, {"gcra:burst=7+local-flag", "burst", "7"},
		{"token-bucket-interval", "capacity", "7"}, {"token-bucket-interval", "burst", ""}, {"fixed-window", "burst",
			""}, {"my-script", "burst", ""},
	} {
		got, ok := InRole(Capacity, c.label, map[string]string{c.parameter: "7"})
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%s with %s: %q, %t; want %q", c.label, c.parameter, got, ok, c.want)
		}
	}
}
