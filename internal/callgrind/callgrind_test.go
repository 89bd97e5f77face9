package callgrind_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ratelab/internal/callgrind"
	"ratelab/internal/callgrind/callgrindtest"
	_ "ratelab/internal/container/docker"
	"ratelab/internal/longtest"
	"ratelab/internal/redisserver/redisservertest"
)

// calls are enough for a count to repeat within tolerance.
const (
	calls     = 100
	tolerance = 0.003
)

// count is what a call of a script takes, after as many that are not counted.
func count(t *testing.T, s *callgrind.Server, source string) float64 {
	t.Helper()
	sha, err := s.Client.ScriptLoad(t.Context(), source).Result()
	if err != nil {
		t.Fatal(err)
	}
	var c callgrind.Counts
	for range 2 {
		c, err = s.Count(t.Context(), func() error {
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
	if c.Allocations < calls {
		t.Errorf("%d calls asked for memory %d times", calls, c.Allocations)
	}
	return float64(c.Instructions) / calls
}

func turns(n int) string {
	return fmt.Sprintf("local x = 0 for i = 1, %d do x = x + i %% 7 end return x", n)
}

// A script of N times as many turns costs N times as much more, and the same script twice the same.
func TestCountsAreLinear(t *testing.T) {
	longtest.Skip(t, "counts under valgrind")
	each(t, func(t *testing.T, s *callgrind.Server) {
		one, two, five := count(t, s, turns(1000)), count(t, s, turns(2000)), count(t, s, turns(5000))
		if ratio := (five - one) / (two - one); math.Abs(ratio-4) > 4*tolerance {
			t.Errorf("%.0f, %.0f and %.0f instructions: 4000 more turns cost %.4f times what 1000 do", one, two, five,
				ratio)
		}
		if again := count(t, s, turns(1000)); math.Abs(again-one) > tolerance*one {
			t.Errorf("the same script: %.0f and %.0f instructions", one, again)
		}
	})
}

// each runs a test on a process, and on a container of each image there is.
func each(t *testing.T, test func(*testing.T, *callgrind.Server)) {
	t.Run("process", func(t *testing.T) { test(t, callgrindtest.Start(t, "process")) })
	for _, image := range redisservertest.Images() {
		t.Run(image, func(t *testing.T) { test(t, callgrindtest.Start(t, "container="+image)) })
	}
}

// Nothing of a server is left behind.
func TestClosingLeavesNothing(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := callgrindtest.Start(t, "process")
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
	_, err := callgrind.Start(t.Context(), "process")
	wantMissing(t, err, "apt-get install valgrind")
}

// standIn is a shell script in the place of valgrind: it tells a version, and otherwise does what text says. log is the
// file that it is to write to.
const standIn = `#!/bin/sh
case "$*" in --version) echo valgrind-9.9.9; exit;; esac
for a in "$@"; do case "$a" in --log-file=*) log="${a#*=}";; esac; done
`

// Valgrinds that are broken in one way or another.
func TestAValgrindThatCannotRunTheServer(t *testing.T) {
	redisservertest.Private(t) // or skip
	for name, test := range map[string]struct{ script, want string }{
		"says no version": {"#!/bin/sh\nexit 1", "says no version"},
		"complains": {standIn + `echo "valgrind: Fatal error at startup: no such tool" >"$log"; exit 1`,
			"valgrind 9.9.9 cannot run the server: valgrind: Fatal error at startup"},
		"does not count": {standIn + `while [ "${1#--}" != "$1" ]; do shift; done; exec "$@"`,
			"does not see the function lastsaveCommand"},
		"breaks in silence": {standIn + `echo x >"$log"; exit 1`, "the server does not start under it"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "valgrind"), []byte(test.script), 0o700); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
			s, err := callgrind.Start(t.Context(), "process")
			if err == nil {
				s.Close()
			}
			wantMissing(t, err, test.want)
		})
	}
}

func wantMissing(t *testing.T, err error, text string) {
	t.Helper()
	var missing *callgrind.Missing
	if !errors.As(err, &missing) || !strings.Contains(err.Error(), text) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v; want a *Missing of one line with %q", err, text)
	}
}
