//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"ratelab/internal/cli/clitest"
	"ratelab/internal/redis/redistest"
)

// proxied is a proxy of its own process: its URL, the process, and what it says.
func proxied(t *testing.T, args ...string) (url string, cmd *exec.Cmd, said *bytes.Buffer) {
	t.Helper()
	program, err := exec.LookPath("simulate") // this test's own binary, see TestMain
	if err != nil {
		t.Fatal(err)
	}
	cmd, said = exec.Command(program, append([]string{"proxy"}, args...)...), new(bytes.Buffer)
	cmd.Stderr = said
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	url, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%v: it says no URL, but %s", err, said)
	}
	return strings.TrimSpace(url), cmd, said
}

func clientOf(t *testing.T, url string) *goredis.Client {
	t.Helper()
	options, err := goredis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	options.MaxRetries = -1
	client := goredis.NewClient(options)
	t.Cleanup(func() { client.Close() })
	return client
}

// The Python of the page about the clock prints what the page says, and an interrupt ends the proxy.
func TestTheClockPagesPython(t *testing.T) {
	var blocks []clitest.Block
	for _, page := range clitest.Pages(t) {
		blocks = append(blocks, page.Blocks("python")...)
	}
	if len(blocks) != 1 {
		t.Fatalf("the pages have %d blocks of Python, want that of docs/clock.md", len(blocks))
	}
	python, file := pythonWith(t, "redis", "limits"), filepath.Join(t.TempDir(), "edge.py")
	if err := os.WriteFile(file, []byte(blocks[0].Text), 0o600); err != nil {
		t.Fatal(err)
	}
	url, cmd, said := proxied(t)
	got, err := exec.Command(python, file, url).CombinedOutput()
	const want = "FixedWindowRateLimiter [1, 9, 10]\nMovingWindowRateLimiter [1, 9, 1]\n"
	if err != nil || string(got) != want {
		t.Errorf("it prints %s, %v", got, err)
	}
	cmd.Process.Signal(os.Interrupt)
	if err := cmd.Wait(); err != nil {
		t.Errorf("an interrupt ends the proxy with %v: %s", err, said)
	}
}

// pythonWith is a Python that has the modules.
func pythonWith(t *testing.T, modules ...string) string {
	t.Helper()
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(python, "-c", "import "+strings.Join(modules, ", ")).Run() == nil {
			return python
		}
	}
	t.Skipf("no Python has the modules %s", strings.Join(modules, ", "))
	return ""
}

// A server that ends takes the proxy along, which says so.
func TestAProxyEndsWithItsServer(t *testing.T) {
	redistest.Private(t) // or there is none, and the test is skipped
	url, cmd, said := proxied(t, "--redis", "process")
	client := clientOf(t, url)
	_, rest, found := strings.Cut(client.Info(t.Context(), "server").Val(), "process_id:")
	pid, err := strconv.Atoi(strings.Split(rest, "\r")[0])
	if !found || err != nil {
		t.Fatal("INFO names no process")
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 3 ||
		!strings.Contains(said.String(), "simulate: the server has ended: signal: killed") {
		t.Errorf("%v: %s", err, said)
	}
}
