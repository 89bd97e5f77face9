package main

import (
	"testing"

	"ratelab/internal/commandline/commandlinetest"
)

func TestMistypedServersKeepTheirPassword(t *testing.T) {
	commandlinetest.PasswordsStayHidden(t, run, callsWith)
}

// callsWith are the commands that take a server, with this one.
func callsWith(server string) [][]string {
	return [][]string{
		{"poisson", "-a", "gcra", "--charts", "none", "--redis", server},
		{"poisson", "-a", "gcra", "--charts", "none", "--clock", "real", "--redis", server},
		{"recommend", "poisson", "-a", "gcra", "--redis", server},
		{"worst", "gcra", "--budget", "10", "--redis", server},
	}
}
