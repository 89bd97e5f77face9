package run_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"ratelab/algorithms"
	"ratelab/internal/replay"
	"ratelab/internal/scenario"
	"ratelab/lua"
)

// Everything that is wrong with a job is told before anything is started, each thing once however many scenarios
// there are.
func TestAPlanTellsEverythingThatIsWrongOnce(t *testing.T) {
	list := []*scenario.Scenario{
		evenly(t, "first", 10, "parameters: {gcra: {burts: 5}}\nexpect: [{algorithm: gcar, admitted: 1}]\n"),
		evenly(t, "second", 10, "parameters: {fixed-window: {burst: 5}}\n"),
	}
	j := job(list...)
	j.Scripts = files("absent.lua")
	result, err := j.Run(t.Context())
	var bad *replay.InputError
	if !errors.As(err, &bad) || result != nil {
		t.Fatalf("result %v, error %v", result, err)
	}
	for _, want := range []string{
		"absent.lua: no such file",
		"absent.yaml: no such file",
		`first.yaml:7:10: expect: no such algorithm "gcar"`,
		`first: parameters: gcra: no such parameter "burts"`,
		`second: parameters: fixed-window: no such parameter "burst"`,
	} {
		if strings.Count(err.Error(), want) != 1 {
			t.Errorf("%q is told %d times; want once, in:\n%v", want, strings.Count(err.Error(), want), err)
		}
	}
	if n := strings.Count(err.Error(), "\n"); n != 4 {
		t.Errorf("%d lines; want 5:\n%v", n+1, err)
	}
}

// A script that tells no retry_after has no row among clients that obey it, if nobody named the scenario.
func TestAScriptHasNoRowWhereClientsObeyWhatItDoesNotTell(t *testing.T) {
	j := job(builtinScenarios(t, "obedient-crowd", "extreme-case-1")...)
	j.Scripts = files("testdata/changing.lua")
	if _, err := j.Plans(); err == nil {
		t.Error("named scenarios: no error")
	}
	j.Default = true
	plans, err := j.Plans()
	if err != nil {
		t.Fatal(err)
	}
	if first, second := len(plans[0].Foreign()), len(plans[1].Foreign()); first != 0 || second != 1 {
		t.Errorf("%d and %d users' rows, want 0 and 1", first, second)
	}
}

// A limiter that does not fit the scenario is refused in one line that names the place.
func TestLimitersThatDoNotFitAreRefused(t *testing.T) {
	const (
		phases  = "\nphases: [{name: a, duration: 1s, constant: 1}]\n"
		one     = "limit: 10/1s" + phases
		several = "limits: [10/1s, 20/1m]" + phases
		ends    = "takes: 1s\nactual: 5\n"
	)
	for _, test := range []struct{ scenario, label, want string }{
		{one + ends, "sliding-window-log", "sliding-window-log: its charges cannot be settled; want one of " +
			strings.Join(algorithms.Settling(), ", ") + ", or settle=no"},
		{one + ends, "gcra:reserve=some", `gcra:reserve=some: parameter reserve: "some": want none, or a whole number ` +
			"from 0 to 1000000000"},
		{one + ends, "gcra:burst=3", "gcra:burst=3: burst= does not go with costs that are known at the end"},
		{one, "gcra:reserve=5", "reserve and settle are about costs that are known at the end; this traffic has none"},
		{one, "leases", "leases: needs a limit on requests in flight, such as 24/in_flight"},
		{one, "log-tokens", "log-tokens: needs requests whose cost is known at their end (actual: or --trace-actual)"},
		{one, "gcra:ask=all", "gcra:ask=all: "},
		{one + "sequences: [incr-then-compar]\n", "gcra",
			`sequences: no such sequence "incr-then-compar"; did you mean "incr-then-compare"?`},
		{one + `sequences: ["distributed-lock:tries=1", "distributed-lock:tries=01"]`, "gcra",
			`sequences: there would be two rows named "distributed-lock:tries=1"`},
		{one + "clients: {count: 2}\nexpect: [{algorithm: gcra+local-flag, admitted: 1}]\n", "gcra",
			`expect: "gcra+local-flag": the scenario has no clients with local_flag: true`},
		{several + "clients: {name: c, count: 2, on_reject: give_up}\n", "gcra",
			"several limits do not work with clients that react; want one limit"},
		{several + "sequences: [read-then-increment]\n", "gcra",
			"several limits do not work with sequences of commands"},
		{several + "managed: [{at: 0s, do: delete}]\n", "gcra", "several limits do not work with managed limits"},
		{several, "token-bucket:ask=atomic", "no script lua/token-bucket-atomic.lua; ask=atomic is for " +
			fmt.Sprint(lua.Atomic()[0], ", ", lua.Atomic()[1])},
		{several, "gcra:burst=5", "gcra:burst=5: burst= is of one limit; write burst in the field limits"},
		{several, "gcra:limit=5", "gcra:limit=5: limit= is of one limit; write it in the field limits"},
		{several, "leaky-bucket", "delays requests, and several limits are asked at one instant; leave it out"},
	} {
		j := job(written(t, "name: a\nquestion: q?\n"+test.scenario))
		j.Algorithms = choices(t, test.label)
		if _, err := j.Plans(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s%s: %v, want %s", test.scenario, test.label, err, test.want)
		}
	}
}
