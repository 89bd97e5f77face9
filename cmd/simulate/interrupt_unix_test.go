//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"ratelab/internal/longtest"
	"ratelab/internal/redis/redistest"
)

// An interrupt ends a run within a second on every kind of server, though the script of one of its rows writes hundreds
// of keys for each request.
func TestAnInterruptEndsARunInASecond(t *testing.T) {
	program, err := exec.LookPath("simulate") // this test's own binary, see TestMain
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"hoarder.lua":  "for i = 1, 800 do redis.call('SET', KEYS[1] .. i .. math.random(1e9), 'x') end return 1",
		"hoarder.yaml": `{keys: ["rl:{key}"], admitted: [1]}`,
		"long.yaml": "question: When does it end?\nlimit: {requests: 5, per: 1s}\n" +
			"phases:\n  - {name: all, duration: 24h, constant: 100/s}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	servers := []string{"embedded"}
	if longtest.All() {
		servers = append(servers, "process", "unix://"+redistest.Socket(t, redistest.Private(t)))
	}
	for _, server := range servers {
		t.Run(server[:min(len(server), 8)], func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(program, "./long.yaml", "-a", "gcra", "--script", "hoarder.lua", "--redis", server,
				"--charts", "none", "--out", t.TempDir())
			var said bytes.Buffer
			cmd.Dir, cmd.Stderr = dir, &said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(longtest.Of(3, 1)) * time.Second)
			began := time.Now()
			cmd.Process.Signal(os.Interrupt)
			kill := time.AfterFunc(20*time.Second, func() { cmd.Process.Signal(syscall.SIGKILL) })
			defer kill.Stop()
			var exit *exec.ExitError
			if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 130 {
				t.Errorf("%v; want exit code 130\n%s", err, &said)
			}
			if took := time.Since(began); took > 2*time.Second { // a second, where the machine has one to give
				t.Errorf("it ended %v after the interrupt\n%s", took, &said)
			}
			t.Log(time.Since(began), said.String())
		})
	}
}
