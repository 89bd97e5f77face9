package main

import (
	"strings"
	"testing"
)

// Who has no server is advised none that bench refuses.
func TestNoAdviceOfTheEmbeddedServer(t *testing.T) {
	for _, advice := range []string{
		"start one, or let --redis process, --redis container (Docker) or --redis embedded do it",
		"set DOCKER_HOST, or take --redis process, --redis redis://HOST:PORT or --redis embedded (gone)",
		"or take --redis container, --redis redis://HOST:PORT or --redis embedded",
	} {
		got := withoutEmbedded.Replace(advice)
		if strings.Contains(got, "embedded") || !strings.Contains(got, " or --redis ") {
			t.Errorf("%s", got)
		}
	}
}
