package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"ratelab/internal/longtest"
	"ratelab/internal/redis/redistest"
)

// benchstat compares two scripts of one run, and two runs, as docs/bench.md says.
func TestBenchstatCompares(t *testing.T) {
	longtest.Skip(t, "measures for seconds, and compiles benchstat")
	redistest.Private(t) // or skip
	dir := t.TempDir()
	for _, name := range []string{"old", "new"} {
		write(t, filepath.Join(dir, name+".lua"), "return redis.call('INCR', KEYS[1])")
		write(t, filepath.Join(dir, name+".yaml"), `{keys: ["rl:{key}"], admitted: "<= 5"}`)
	}
	scenario := filepath.Join(dir, "short.yaml")
	write(t, scenario, "name: short\nquestion: Which is quicker?\nlimit: {requests: 5, per: 1s}\n"+
		"phases: [{name: all, duration: 100ms, constant: 120}]\n")
	measured := func(args ...string) []byte {
		return printed(t, append([]string{"run", scenario, "-a", "none", "--rounds", "2", "--warm-up", "0s",
			"--redis", "process", "--format", "bench", "--quiet", "--charts", "none",
			"--out", filepath.Join(dir, "out")}, args...)...)
	}
	both := measured("--script", filepath.Join(dir, "old.lua"), "--script", filepath.Join(dir, "new.lua"))
	table := benchstat(t, both, "-col", "/algorithm", "-")
	if !regexp.MustCompile(`│ +old +│ +new +│ +none +│\n +│ +p50-us +│ +p50-us +vs base`).MatchString(table) ||
		!regexp.MustCompile(`(?m)^Open/scenario=short +[0-9]`).MatchString(table) {
		t.Errorf("two scripts of one run:\n%s", table)
	}
	a, b := filepath.Join(dir, "a.txt"), filepath.Join(dir, "b.txt")
	write(t, a, string(measured()))
	// another server, and a run that is not to be trusted
	other := regexp.MustCompile(`(?m)^# bench .*$`).ReplaceAll(measured(), []byte("# bench of redis 99\n# INVALID: noise"))
	write(t, b, string(other))
	table = benchstat(t, nil, "old="+a, "new="+b)
	if !regexp.MustCompile(`│ +old +│ +new +│\n +│ +p50-us +│ +p50-us +vs base`).MatchString(table) ||
		!regexp.MustCompile(`(?m)^Open/scenario=short/algorithm=none +[0-9].* [0-9]`).MatchString(table) {
		t.Errorf("two runs:\n%s", table)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// printed is what the program prints: this test's own binary, see TestMain. A machine with much else to do makes the
// figures invalid, which is exit code 4.
func printed(t *testing.T, args ...string) []byte {
	t.Helper()
	path, err := exec.LookPath("bench")
	if err != nil {
		t.Fatal(err)
	}
	var complaints bytes.Buffer
	c := exec.Command(path, args...)
	c.Stderr = &complaints
	out, err := c.Output()
	var failed *exec.ExitError
	if err != nil && !(errors.As(err, &failed) && failed.ExitCode() == 4) {
		t.Fatalf("%v: %v\n%s", args, err, complaints.String())
	}
	return out
}

func benchstat(t *testing.T, input []byte, args ...string) string {
	t.Helper()
	c := exec.Command("go", append([]string{"tool", "benchstat"}, args...)...)
	c.Stdin = bytes.NewReader(input)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return string(out)
}
