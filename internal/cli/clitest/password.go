package clitest

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ratelab/internal/cli"
	"ratelab/internal/longtest"
)

// canary is the password in mistypedServers.
const canary = "C4n4ryPw"

// mistypedServers are addresses with a password and a typing mistake. No server listens at any of them.
var mistypedServers = []string{
	"redis//u:C4n4ryPw@127.0.0.1:1", "redis:/u:C4n4ryPw@127.0.0.1:1", "redis:u:C4n4ryPw@127.0.0.1:1",
	"u:C4n4ryPw@127.0.0.1:1",
	"container=redis://x:C4n4ryPw@127.0.0.1:1", "process=redis://x:C4n4ryPw@127.0.0.1:1",
	"container=u:C4n4ryPw@127.0.0.1:1", "process=u:C4n4ryPw@127.0.0.1:1", "container=x:C4n4ryPw@sha256:12",
	"redis;//u:C4n4ryPw@127.0.0.1:1", "REDIS://u:C4n4ryPw@127.0.0.1:1", " redis://u:C4n4ryPw@127.0.0.1:1",
	"=redis://u:C4n4ryPw@127.0.0.1:1",
	"redis=redis://u:C4n4ryPw@127.0.0.1:1", "http://u:C4n4ryPw@127.0.0.1:1", "redis://u:C4n4ryPw",
	"redis://C4n4ryPw@127.0.0.1:99999",
	"redis://u:C4n4ryPw?x@127.0.0.1:1", "redis://u:x?C4n4ryPw@127.0.0.1:1", "redis://u:C4n4ryPw#x@127.0.0.1:1",
	"redis://u:C4n4ryPw/x@127.0.0.1:1",
	"redis://127.0.0.1:1?password=C4n4ryPw", "unix://u:C4n4ryPw@nowhere", "redis://u:C4n4ryPw@127.0.0.1:1",
	"default:C4n4ryPw@127.0.0.1",
	"redis:\\\\u:C4n4ryPw@127.0.0.1:1", "redis://u:C4n4ryPw\x1b@127.0.0.1:1",
}

// PasswordsStayHidden checks that no typing mistake in a server's address reveals its password, neither on a stream nor
// in a file. calls returns the commands that take a server, with the given one.
func PasswordsStayHidden(t *testing.T, run func(context.Context, []string, cli.Streams) int,
	calls func(server string) [][]string) {
	dir := t.TempDir()
	t.Chdir(dir)
	try := func(call []string) (code int) {
		var stdout, stderr bytes.Buffer
		code = run(t.Context(), call, cli.Streams{Stdout: &stdout, Stderr: &stderr})
		keepsThePassword(t, call, stdout.String(), stderr.String(), dir)
		return code
	}
	for i, form := range mistypedServers {
		for k, call := range calls(form) {
			if i > 0 && k > 0 && !longtest.All() {
				continue // by default, each form once and each command once
			}
			if code := try(call); code != cli.ExitUsage && code != cli.ExitHarness {
				t.Errorf("%q: exit code %d", call, code)
			}
		}
		for name, kind := range map[string]string{"REDIS_SERVER": "process", "REDIS_IMAGE": "container"} {
			t.Setenv(name, form)
			if code := try(calls(kind)[0]); code == cli.ExitOK {
				t.Errorf("%s=%s is taken", name, form)
			}
			t.Setenv(name, "")
		}
	}
}

// keepsThePassword fails the test if a call reveals the password in its output or in a file below dir.
func keepsThePassword(t *testing.T, call []string, stdout, stderr, dir string) {
	t.Helper()
	for name, text := range map[string]string{"standard output": stdout, "standard error": stderr} {
		if strings.Contains(text, canary) {
			t.Errorf("%q: the password is on %s: %s", call, name, text)
		}
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(path+string(data), canary) {
			t.Errorf("%q: the password is in %s", call, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
