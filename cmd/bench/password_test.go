package main

import (
	"bytes"
	"testing"

	"ratelab/internal/commandline"
	"ratelab/internal/commandline/commandlinetest"
)

// No slip in writing a server's address makes a password visible: on no stream, and in no file.
func TestMistypedServersKeepTheirPassword(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, form := range commandlinetest.MistypedServers {
		for _, call := range callsWith(form) {
			var stdout, stderr bytes.Buffer
			code := run(call, commandline.Streams{Stdout: &stdout, Stderr: &stderr})
			if code != commandline.ExitUsage && code != commandline.ExitHarness {
				t.Errorf("%q: exit code %d", call, code)
			}
			commandlinetest.KeepsThePassword(t, call, stdout.String(), stderr.String(), dir)
		}
	}
	for _, name := range []string{"REDIS_SERVER", "REDIS_IMAGE"} {
		for _, form := range commandlinetest.MistypedServers {
			t.Setenv(name, form)
			kind := map[string]string{"REDIS_SERVER": "process", "REDIS_IMAGE": "container"}[name]
			call := callsWith(kind)[0]
			var stdout, stderr bytes.Buffer
			if code := run(call, commandline.Streams{Stdout: &stdout, Stderr: &stderr}); code == commandline.ExitOK {
				t.Errorf("%s=%s is taken", name, form)
			}
			commandlinetest.KeepsThePassword(t, call, stdout.String(), stderr.String(), dir)
		}
		t.Setenv(name, "")
	}
}

// callsWith are the commands that take a server, with this one.
func callsWith(server string) [][]string {
	return [][]string{
		{"run", "ten-times-over", "-a", "gcra", "--redis", server},
		{"compare", "--base", "gcra", "--head", "gcra", "--redis", server},
		{"compare", "--base", server, "--head", server},
		{"compare", "--base", server, "--head", "gcra"},
		{"compare", "--base", "gcra", "--head", server},
	}
}
