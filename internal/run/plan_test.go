package run_test

import (
	"errors"
	"strings"
	"testing"

	"ratelab/internal/replay"
	"ratelab/internal/scenario"
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
