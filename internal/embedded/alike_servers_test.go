//go:build !js

package embedded_test

import (
	"bufio"
	"fmt"
	"regexp"
	"strings"
	"testing"

	_ "ratelab/internal/engine" // knows containers
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
)

// bare is what only Redis says in errors, or only Valkey, and the lengths of texts.
var bare = regexp.MustCompile(`\$\d+\r\n|Redis |redis lib |(Lua redis lib c|C)ommand `)

// The raw replies of the embedded server are those of every real one there is.
func TestRepliesAreThoseOfRedis(t *testing.T) {
	lines, sources, since := alike(t)
	got := answers(t, false)
	compare := func(t *testing.T, real *redis.Server) {
		conn, err := real.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		its := &connection{conn, bufio.NewReader(conn)}
		var version int
		fmt.Sscan(real.Version, &version)
		for i, source := range sources {
			if since[i] > version || since[i] == onlyRedis && real.Name == "valkey" {
				continue
			}
			its.ask(t, "FLUSHALL")
			got, want := got[i], its.ask(t, "EVAL", source, "2", "k1", "k2", "a1", "7", "0.5")
			if real.Name == "valkey" && strings.Contains(got, "ERR ") { // it does not name Redis in errors
				got, want = bare.ReplaceAllString(got, ""), bare.ReplaceAllString(want, "")
			}
			if got != want {
				t.Errorf("%s\nanswered %q\nby Redis %q", lines[i], got, want)
			}
		}
	}
	t.Run("process", func(t *testing.T) { compare(t, redistest.Private(t)) })
	for _, image := range redistest.Images() {
		t.Run("container="+image, func(t *testing.T) { compare(t, redistest.Container(t, image)) })
	}
}
