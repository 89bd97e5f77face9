package main

import (
	"testing"

	"ratelab/internal/cli/clitest"
)

func TestMistypedServersKeepTheirPassword(t *testing.T) {
	clitest.PasswordsStayHidden(t, run, callsWith)
}

// callsWith are the commands that take a server, with this one.
func callsWith(server string) [][]string {
	return [][]string{
		{"run", "ten-times-over", "-a", "gcra", "--redis", server},
		{"cost", "-a", "gcra", "--redis", server},
		{"compare", "--base", "gcra", "--head", "gcra", "--redis", server},
		{"compare", "--base", server, "--head", server},
		{"compare", "--base", server, "--head", "gcra"},
		{"compare", "--base", "gcra", "--head", server},
	}
}
