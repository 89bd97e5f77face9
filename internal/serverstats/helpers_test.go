package serverstats_test

import (
	"testing"

	"github.com/redis/go-redis/v9"

	_ "ratelab/internal/container/docker"
	"ratelab/internal/redisserver"
	"ratelab/internal/redisserver/redisservertest"
	"ratelab/internal/serverstats"
)

// onOwn runs a subtest on every real server of our own: a process, and a container of each image there is, reached
// either way.
func onOwn(t *testing.T, test func(t *testing.T, s *redisserver.Server)) {
	t.Run("process", func(t *testing.T) { test(t, redisservertest.Private(t)) })
	for _, image := range redisservertest.Images() {
		t.Run("container="+image, func(t *testing.T) { test(t, redisservertest.Container(t, image)) })
		t.Run("direct container="+image, func(t *testing.T) {
			test(t, redisservertest.Container(t, image, redisserver.WithDirectTransport()))
		})
	}
}

// during reads before and after what happens.
func during(t *testing.T, s *redisserver.Server, happens func()) serverstats.Delta {
	t.Helper()
	before := reading(t, s)
	happens()
	return reading(t, s).Since(before)
}

func reading(t *testing.T, s *redisserver.Server) serverstats.Snapshot {
	t.Helper()
	snapshot, err := serverstats.Of(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return snapshot
}

// load makes the server know a script, and returns its digest.
func load(t *testing.T, s *redisserver.Server, body string) string {
	t.Helper()
	sha, err := s.Client.ScriptLoad(t.Context(), body).Result()
	if err != nil {
		t.Fatal(err)
	}
	return sha
}

// call calls a script n times over one connection.
func call(t *testing.T, c redis.Cmdable, sha, key string, n int) {
	t.Helper()
	for range n {
		if err := c.EvalSha(t.Context(), sha, []string{key}).Err(); err != nil && err != redis.Nil {
			t.Fatal(err)
		}
	}
}
