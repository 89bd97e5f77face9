package redisserver

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

// Docker's chains of errors are cut to their end, where the reason stands, and the remedy is kept.
func TestContainerErrorsAreOfOneLength(t *testing.T) {
	chain := strings.Repeat("create container: reaper: new reaper: run container: ", 20) +
		"No such image: testcontainers/ryuk:0.13.0"
	got := explainContainer(t.Context(), "redis:8.0", errors.New(chain)).Error()
	if !strings.Contains(got, "TESTCONTAINERS_RYUK_DISABLED=true") ||
		!strings.HasSuffix(got, "No such image: testcontainers/ryuk:0.13.0)") ||
		utf8.RuneCountInString(got) > 350 {
		t.Errorf("%d characters: %s", utf8.RuneCountInString(got), got)
	}
	if got := explainContainer(t.Context(), "redis:8.0",
		errors.New("exit\n 1 \x1b[31m")).Error(); got != `container: image "redis:8.0" does not start (exit 1 \x1b[31m)` {
		t.Error(got)
	}
}
