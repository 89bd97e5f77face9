// Package longtest is for tests that take longer than somebody waits who has just cloned the project. They are part of
// the whole check.
package longtest

import (
	"os"
	"testing"
)

// Variable asks for all tests, set to 1.
const Variable = "RATELAB_ALL"

// All reports whether all tests were asked for.
func All() bool { return os.Getenv(Variable) == "1" && !testing.Short() }

// Skip skips a test unless all were asked for; why says what it is that takes so long.
func Skip(t testing.TB, why string) {
	t.Helper()
	if !All() {
		t.Skipf("%s; %s=1 has it played", why, Variable)
	}
}
