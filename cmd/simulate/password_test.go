package main

import (
	"testing"

	"ratelab/internal/cli/clitest"
)

func TestMistypedServersKeepTheirPassword(t *testing.T) {
	clitest.PasswordsStayHidden(t, program, callsWith)
}

// callsWith are the commands that take a server, with this one.
func callsWith(server string) [][]string {
	return [][]string{
		{"poisson", "-a", "gcra", "--charts", "none", "--redis", server},
	}
}
