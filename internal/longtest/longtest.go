// Package longtest is for tests that take too long for someone who has just cloned the project. They are part of the
// full check. Unless all tests are requested, a test package that imports longtest runs only a fifth of rapid's
// examples. It also collects garbage rarely, which saves a tenth of the processor time.
package longtest

import (
	"flag"
	"os"
	"runtime/debug"
	"testing"

	_ "pgregory.net/rapid" // defines its flags before init runs
)

// init lowers the default of -rapid.checks, which is 100. The flag, RAPID_CHECKS and GOGC take priority.
func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	if _, given := os.LookupEnv("RAPID_CHECKS"); !given && os.Getenv(Variable) != "1" {
		_ = flag.Set("rapid.checks", "20")
	}
}

// Variable requests all tests if it is set to 1. The flag -short takes priority, except for the number of rapid's
// examples.
const Variable = "RATELAB_ALL"

// Night requests the tests of make nightly if it is set to 1. They repeat what other tests show, with more random
// input.
const Night = "RATELAB_NIGHTLY"

// All reports whether all tests are requested.
func All() bool { return os.Getenv(Variable) == "1" && !testing.Short() }

// Of returns how many cases a test runs: all if all tests are requested, and few otherwise.
func Of(all, few int) int {
	if All() {
		return all
	}
	return few
}

// Nightly returns how many cases a test runs: all in make nightly. Otherwise it returns few, or fewest if not even all
// tests are requested.
func Nightly(all, few, fewest int) int {
	if os.Getenv(Night) == "1" {
		return all
	}
	return Of(few, fewest)
}

// Skip skips a test unless all tests are requested. why explains the long time.
func Skip(t testing.TB, why string) {
	t.Helper()
	if !All() {
		t.Skipf("%s; %s=1 runs it", why, Variable)
	}
}
