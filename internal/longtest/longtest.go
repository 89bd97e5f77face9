// Package longtest is for tests that take longer than somebody waits who has just cloned the project. They are part of
// the whole check. A test package that imports it draws a fifth of rapid's examples where not all tests are asked for,
// and collects garbage rarely, which saves a tenth of its processor time.
package longtest

import (
	"flag"
	"os"
	"runtime/debug"
	"testing"

	_ "pgregory.net/rapid" // has its flags by the time of init
)

// init lowers the default of -rapid.checks, which is 100; the flag, RAPID_CHECKS and GOGC have the last word.
func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	if _, given := os.LookupEnv("RAPID_CHECKS"); !given && os.Getenv(Variable) != "1" {
		_ = flag.Set("rapid.checks", "20")
	}
}

// Variable asks for all tests, set to 1.
const Variable = "RATELAB_ALL"

// All reports whether all tests were asked for.
func All() bool { return os.Getenv(Variable) == "1" && !testing.Short() }

// Of is how many a test takes: all where all tests were asked for.
func Of(all, few int) int {
	if All() {
		return all
	}
	return few
}

// Skip skips a test unless all were asked for; why says what it is that takes so long.
func Skip(t testing.TB, why string) {
	t.Helper()
	if !All() {
		t.Skipf("%s; %s=1 has it played", why, Variable)
	}
}
