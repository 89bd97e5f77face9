package algorithms

import (
	"maps"
	"testing"

	"ratelab/internal/limit"
)

// A label is read, put into its canonical form, and resolved with every default.
func TestLabelsResolve(t *testing.T) {
	p := limit.Policy{Requests: 1000, Window: 3_000_000_000, Burst: 50}
	for _, test := range []struct {
		label, canonical string
		parameters       map[string]string
		args             []string
	}{
		{"none", "none", map[string]string{}, nil},
		{"gcra", "gcra", map[string]string{"burst": "50", "time": "server", "granularity": "1us"},
			[]string{"50", "3000000", "1000"}},
		{"gcra:time=client:burst=0100", "gcra:burst=100:time=client",
			map[string]string{"burst": "100", "time": "client", "granularity": "1us"},
			[]string{"100", "3000000", "1000"}},
		{"fixed-window", "fixed-window", map[string]string{}, []string{"1000", "3000"}},
		{"token-bucket-interval:interval=60000ms", "token-bucket-interval:interval=1m",
			map[string]string{"capacity": "50", "refill": "20000", "interval": "1m", "time": "server",
				"granularity": "1us"},
			[]string{"50", "20000", "60000000"}},
		{"token-bucket-debt:capacity=9", "token-bucket-debt:capacity=9",
			map[string]string{"capacity": "9", "refill": "9", "interval": "27ms", "debt": "8", "time": "server",
				"granularity": "1us"},
			[]string{"9", "9", "27000", "8"}},
		{"token-bucket-interval:refill=7", "token-bucket-interval:refill=7",
			map[string]string{"capacity": "50", "refill": "7", "interval": "21ms", "time": "server",
				"granularity": "1us"},
			[]string{"50", "7", "21000"}},
		{"sliding-window-buckets:granularity=1s:time=client", "sliding-window-buckets:time=client:granularity=1s",
			map[string]string{"parts": "10", "time": "client", "granularity": "1s"}, []string{"1000", "3000000",
				"10"}},
	} {
		in := instanceOf(t, test.label, p)
		if in.Label != test.canonical || !maps.Equal(in.Parameters, test.parameters) {
			t.Errorf("%s: label %s, parameters %v; want %s, %v", test.label, in.Label, in.Parameters, test.canonical,
				test.parameters)
		}
		for i, want := range test.args {
			if len(in.Args) != len(test.args) || in.Args[i] != want {
				t.Errorf("%s: ARGV %v; want %v", test.label, in.Args, test.args)
				break
			}
		}
	}
}

// Every mistake in a label, or in a limit that an algorithm cannot do, has a line of its own.
func TestMistakesAreNamed(t *testing.T) {
	for _, test := range []struct{ label, limit, message string }{
		{"gcra:q=1", "1/1s", `gcra: no such parameter "q"; want one of burst, time, granularity, limit, per, nodes, balancer, ask, reserve, settle`},
		{"none:time=client", "1/1s", `none: no such parameter "time"; it has none`},
		{"gcra:burst=+1", "1/1s", `gcra: parameter burst: "+1" is not a whole number from 1 to 1000000000`},
		{"gcra:burst=99999999999999999999", "1/1s",
			`gcra: parameter burst: "99999999999999999999" is not a whole number from 1 to 1000000000`},
		{"gcra:time=mine", "1/1s", `gcra: parameter time: unknown value "mine"; want one of server, client`},
		{"gcra:granularity=1s", "1/1s",
			`gcra:granularity=1s: granularity is about the client's clock; set time=client as well`},
		{"none:limit=5", "1/1s", `none: no such parameter "limit"; it has none`},
		{"gcra:limit=0", "1/1s", `gcra: parameter limit: "0" is not a whole number from 1 to 1000000000`},
		{"gcra:per=1", "1/1s", `gcra: parameter per: duration "1": want a number with a unit: us, ms, s, m, h or d`},
		{"gcra:per=999us", "1/1s",
			`gcra: parameter per: duration "999us": want whole microseconds from 1ms to 8784h`},
		{"gcra:nodes=101", "1/1s", `gcra: parameter nodes: "101" is not a whole number from 1 to 100`},
		{"gcra:nodes=2:balancer=least", "1/1s",
			`gcra: parameter balancer: unknown value "least"; want one of round-robin, random`},
		{"gcra:balancer=random", "1/1s",
			`gcra:balancer=random: balancer chooses among several gateways; set nodes as well`},
		{"token-bucket-interval:interval=0s", "1/1s",
			`token-bucket-interval: parameter interval: duration "0s": want whole microseconds from 1µs to 8784h`},
		{"token-bucket:application=a b", "1/1s",
			`token-bucket: parameter application: "a b" is not a name; want 1 to 64 letters, digits or ._-`},
		{"token-bucket-debt:debt=5", "5/1s", `token-bucket-debt:debt=5: debt 5: want less than the capacity, 5`},
		{"gcra:burst=9", "1/366d", `gcra:burst=9: filling the bucket takes 9 years; want at most 8.9`},
		{"sliding-window-buckets:parts=1001", "1/1s",
			`sliding-window-buckets: parameter parts: "1001" is not a whole number from 1 to 1000`},
		{"sliding-window-buckets:parts=1000", "1/366d",
			`sliding-window-buckets:parts=1000: window_us * parts = 31622400000000 * 1000 reaches 2^53, the limit of exact numbers in Lua; choose fewer parts`},
		{"token-bucket", "999999937/24h",
			`token-bucket: burst * us per token (a reduced fraction's numerator) = 999999937 * 86400000000 reaches 2^53, the limit of exact numbers in Lua; choose a smaller burst, or requests that share more factors with the window`},
		{"token-bucket-interval:capacity=1000000000:refill=1", "1/366d",
			`token-bucket-interval:capacity=1000000000:refill=1: filling the bucket takes 1002739726 years; want at most 142.8`},
	} {
		choice, err := Parse(test.label)
		if err == nil {
			_, err = choice.Under(policy(t, test.limit))
		}
		if err == nil || err.Error() != test.message {
			t.Errorf("%s under %s:\n got %v\nwant %s", test.label, test.limit, err, test.message)
		}
	}
}

// A million a day, a billion a year, and the shortest window are within what every algorithm counts exactly.
func TestLargeLimitsAreAccepted(t *testing.T) {
	for _, text := range []string{"1000000/24h", "1000000000/365d", "1/366d", "1000000000/1ms", "1000/1ms"} {
		for _, name := range Names() {
			choice, err := Parse(name)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := choice.Under(policy(t, text)); err != nil {
				t.Errorf("%s under %s: %v", name, text, err)
			}
		}
	}
}

// A scenario's parameters fill in what the label leaves open; the label stays as it was asked for.
func TestDefaultsOfAScenarioYieldToTheLabel(t *testing.T) {
	choice, err := Parse("gcra:burst=100")
	if err != nil {
		t.Fatal(err)
	}
	choice, err = choice.WithDefaults(map[string]string{"burst": "7", "time": "client"})
	if err != nil {
		t.Fatal(err)
	}
	in, err := choice.Under(policy(t, "1/1s"))
	if err != nil {
		t.Fatal(err)
	}
	if in.Label != "gcra:burst=100" || in.Parameters["burst"] != "100" || !in.ClientTime {
		t.Errorf("%+v", in)
	}
	_, err = choice.WithDefaults(map[string]string{"per": "2s"})
	if want := "gcra: per belongs to a single row and has no default; name a row gcra:per=2s instead"; err == nil ||
		err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if _, err := choice.WithDefaults(map[string]string{"bust": "7"}); err == nil {
		t.Error("an unknown parameter is taken")
	}
}
