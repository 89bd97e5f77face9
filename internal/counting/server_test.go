package counting

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "ratelab/internal/engine"
	"ratelab/internal/longtest"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
)

// calls is the number of calls per count. Then two counts of the same script differ by at most tolerance.
const (
	calls     = 100
	tolerance = 0.003
)

// callOf returns the instructions per call of a script. The same number of calls before is not counted.
func callOf(t *testing.T, s *server, source string) float64 {
	t.Helper()
	sha, err := s.Client.ScriptLoad(t.Context(), source).Result()
	if err != nil {
		t.Fatal(err)
	}
	var c counts
	for range 2 {
		c, err = s.count(t.Context(), func() error {
			for range calls {
				if err := s.Client.EvalSha(t.Context(), sha, []string{"k"}).Err(); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return float64(c.Instructions) / calls
}

func looping(n int) string {
	return fmt.Sprintf("local x = 0 for i = 1, %d do x = x + i %% 7 end return x", n)
}

// The instructions are a linear function of the number of turns of a loop. Two counts of the same script are equal.
func TestCountsAreLinear(t *testing.T) {
	longtest.Skip(t, "counts under valgrind")
	each(t, func(t *testing.T, s *server) {
		one, two, five := callOf(t, s, looping(1000)), callOf(t, s, looping(2000)), callOf(t, s, looping(5000))
		if ratio := (five - one) / (two - one); math.Abs(ratio-4) > 4*tolerance {
			t.Errorf("%.0f, %.0f and %.0f instructions: 4000 turns cost %.4f times as much as 1000", one, two, five,
				ratio)
		}
		if again := callOf(t, s, looping(1000)); math.Abs(again-one) > tolerance*one {
			t.Errorf("the same script: %.0f and %.0f instructions", one, again)
		}
	})
}

// started starts a server under callgrind. The server ends with the test.
func started(t testing.TB, spec string) *server {
	t.Helper()
	s, err := start(t.Context(), spec)
	check(t, err)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// check skips the test if valgrind or the server is missing. It fails the test for any other error.
func check(t testing.TB, err error) {
	t.Helper()
	var missing *Missing
	var absent *redis.Unavailable
	switch {
	case err == nil:
	case (errors.As(err, &missing) || errors.As(err, &absent)) && os.Getenv("REQUIRE_REDIS") != "1":
		t.Skip(err)
	default:
		t.Fatal(err)
	}
}

// each runs a test on a process, and on a container of each test image.
func each(t *testing.T, test func(*testing.T, *server)) {
	t.Run("process", func(t *testing.T) { test(t, started(t, "process")) })
	for _, image := range redistest.Images() {
		t.Run(image, func(t *testing.T) { test(t, started(t, "container="+image)) })
	}
}

// Close leaves no files of a server.
func TestClosingLeavesNothing(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := started(t, "process")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "ratelab-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("%q, %v", left, err)
	}
}

func TestWithoutValgrind(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := start(t.Context(), "process")
	wantMissing(t, err, "apt-get install valgrind")
}

// standIn is the head of a shell script that replaces valgrind. It prints a version. Otherwise it runs the text that
// follows it. log is the file for valgrind's messages.
const standIn = `#!/bin/sh
case "$*" in --version) echo valgrind-9.9.9; exit;; esac
for a in "$@"; do case "$a" in --log-file=*) log="${a#*=}";; esac; done
`

// The error describes the ways in which a valgrind can be broken.
func TestAValgrindThatCannotRunTheServer(t *testing.T) {
	redistest.Private(t) // or skip
	for name, test := range map[string]struct{ script, want string }{
		"prints no version": {"#!/bin/sh\nexit 1", "prints no version"},
		"complains": {standIn + `echo "valgrind: Fatal error at startup: no such tool" >"$log"; exit 1`,
			"valgrind 9.9.9 cannot run the server: valgrind: Fatal error at startup"},
		"does not count": {standIn + `while [ "${1#--}" != "$1" ]; do shift; done; exec "$@"`,
			"cannot find the function lastsaveCommand"},
		"breaks in silence": {standIn + `echo x >"$log"; exit 1`, "the server does not start under it"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "valgrind"), []byte(test.script), 0o700); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
			s, err := start(t.Context(), "process")
			if err == nil {
				s.Close()
			}
			wantMissing(t, err, test.want)
		})
	}
}

func wantMissing(t *testing.T, err error, text string) {
	t.Helper()
	var missing *Missing
	if !errors.As(err, &missing) || !strings.Contains(err.Error(), text) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v; want a *Missing of one line with %q", err, text)
	}
}
