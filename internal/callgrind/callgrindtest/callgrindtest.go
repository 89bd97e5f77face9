// Package callgrindtest starts servers under callgrind for tests.
package callgrindtest

import (
	"errors"
	"os"
	"testing"

	"ratelab/internal/callgrind"
	"ratelab/internal/redisserver"
)

// Start is a server under callgrind, which ends with the test. Where there is no valgrind, or no server, the test is
// skipped; with REQUIRE_REDIS=1 it fails.
func Start(t testing.TB, spec string) *callgrind.Server {
	t.Helper()
	s, err := callgrind.Start(t.Context(), spec)
	Check(t, err)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Check ends a test that cannot be done for want of valgrind or of a server, and one whose error is another.
func Check(t testing.TB, err error) {
	t.Helper()
	var missing *callgrind.Missing
	var absent *redisserver.Unavailable
	switch {
	case err == nil:
	case (errors.As(err, &missing) || errors.As(err, &absent)) && os.Getenv("REQUIRE_REDIS") != "1":
		t.Skip(err)
	default:
		t.Fatal(err)
	}
}
