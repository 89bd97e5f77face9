package algorithms

import (
	"slices"
	"testing"
	"time"

	"ratelab/internal/limit"
)

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
		if got := InRole(Capacity, c.label, map[string]string{c.parameter: "7"}); got != c.want {
			t.Errorf("%s with %s: %q; want %q", c.label, c.parameter, got, c.want)
		}
	}
}

// Settings that an algorithm names guarantee the window contract by its own bound, at any limit. An algorithm that
// guarantees the contract with the limit's own setting names this one, too: simulate recommend then considers it.
func TestKeepingGuaranteesTheWindow(t *testing.T) {
	for _, requests := range []int64{1, 2, 3, 4, 5, 9, 10, 11, 100, 333, 5000} {
		p := limit.Policy{Requests: requests, Window: time.Second}
		keeps := func(c Choice) bool {
			in, err := c.Under(p)
			if err != nil {
				t.Fatal(err)
			}
			return in.MostAdmitted != nil && in.MostAdmitted(p.WindowUS(), 1) <= requests
		}
		all := Guaranteeing(p, 1)
		for i, c := range all {
			if !keeps(c) {
				t.Errorf("%s admits more than %v", c.Label, p)
			}
			if slices.ContainsFunc(all[:i], func(o Choice) bool { return o.Label == c.Label }) {
				t.Errorf("%s is named twice at %v", c.Label, p)
			}
		}
		for _, c := range Defaults() {
			if named := func(o Choice) bool { return o.Label == c.Label }; requests > 1 && keeps(c) &&
				!slices.ContainsFunc(all, named) {
				t.Errorf("%s guarantees %v; give it a Keeping that names its own setting: []string{\"\"}", c.Label, p)
			}
		}
	}
}

// The rows that all runs have are settings that guarantee the contract. A bucket needs none.
func TestSecondRows(t *testing.T) {
	p := limit.Policy{Requests: 100, Window: time.Second}
	if all := SecondRows(p); len(all) != 2 || all[0].Label != "gcra:limit=90:burst=10" ||
		all[1].Label != "sliding-window-buckets:parts=60" {
		t.Errorf("%v", all)
	}
	p.Contract = limit.ByBucket
	one := limit.Policy{Requests: 1, Window: time.Second}
	all := append(SecondRows(p), SecondRows(one)...)
	if len(all) != 1 || all[0].Label != "sliding-window-buckets:parts=60" {
		t.Errorf("%v", all)
	}
}

// A label's algorithm is found behind its parameters and a flag of its clients; a user's script has no traits.
func TestWhatALabelSays(t *testing.T) {
	for label, floor := range map[string]bool{"none": true, "none+local-flag": true, "gcra:burst=7": false,
		"mine": false, "nonesuch": false, "": false} {
		if IsFloor(label) != floor {
			t.Errorf("%q: the floor is %v", label, !floor)
		}
	}
	if !Of("token-bucket:burst=7+local-flag").Traits.Managed || Of("token-bucket.lua").Traits.Managed {
		t.Error("only a bucket is managed")
	}
	for _, c := range []limit.Contract{limit.ByWindow, limit.ByBucket} {
		exact := Exact(c).Label
		if !IsExact(exact, c) || IsExact(exact, 1-c) || IsExact(exact+":per=1s", c) || IsExact("mine", c) {
			t.Errorf("%s is not what is exact for %v", exact, c)
		}
	}
}

// Texts for tables fit them, and names are those of algorithms.
func TestTraitsAreComplete(t *testing.T) {
	for _, a := range All() {
		if a.Traits.Twin != "" && registered[a.Traits.Twin] == nil {
			t.Errorf("%s: no algorithm %q is registered", a.Name, a.Traits.Twin)
		}
		if r := a.Second; r.Short != "" && (a.Keeping == nil || r.Words == "") {
			t.Errorf("%s: Second needs Keeping and Words", a.Name)
		}
	}
}
