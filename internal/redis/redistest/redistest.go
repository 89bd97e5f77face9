// Package redistest gives tests the servers that the machine has, one of their own each, and ends them
// with the test. A server that cannot be had skips the test with the reason, unless the environment says that
// it must be there: REQUIRE_REDIS=1 for a process, REQUIRE_DOCKER=1 for containers.
package redistest

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"ratelab/internal/redis"
)

// Embedded starts a server inside the process. There always is one.
func Embedded(t testing.TB) *redis.Server {
	t.Helper()
	return start(t, redis.KindEmbedded, "")
}

// Private starts a redis-server or valkey-server of the test's own, with the options.
func Private(t testing.TB, opts ...redis.Option) *redis.Server {
	t.Helper()
	return start(t, redis.KindProcess, "REQUIRE_REDIS", opts...)
}

// ProcessID is the process of the private server.
func ProcessID(t testing.TB, s *redis.Server) (pid int) {
	t.Helper()
	_, after, _ := strings.Cut(s.Client.Info(t.Context(), "server").Val(), "process_id:")
	if _, err := fmt.Sscan(after, &pid); err != nil {
		t.Fatal(err)
	}
	return pid
}

// Container starts a container of the image, with the options; "" is REDIS_IMAGE or the default.
func Container(t testing.TB, image string, opts ...redis.Option) *redis.Server {
	t.Helper()
	if testing.Short() {
		t.Skip("containers take seconds; leave out -short")
	}
	spec := redis.KindContainer
	if image != "" {
		spec += "=" + image
	}
	return start(t, spec, "REQUIRE_DOCKER", opts...)
}

// Each runs a subtest on every kind of server: embedded, process, and a container of each image that
// RATELAB_TEST_IMAGES names, comma separated. Without that variable, and without REQUIRE_DOCKER=1, which then
// means the default image, the containers are skipped: tests pull nothing unasked.
func Each(t *testing.T, test func(t *testing.T, s *redis.Server)) {
	t.Run("embedded", func(t *testing.T) { test(t, Embedded(t)) })
	t.Run("process", func(t *testing.T) { test(t, Private(t)) })
	images := Images()
	if len(images) == 0 {
		t.Run("container", func(t *testing.T) {
			t.Skip("no images; set RATELAB_TEST_IMAGES=redis:8.0-alpine,valkey/valkey:8.1 or REQUIRE_DOCKER=1")
		})
	}
	for _, image := range images {
		t.Run("container="+image, func(t *testing.T) { test(t, Container(t, image)) })
	}
}

// Images are those that Each runs.
func Images() []string {
	var images []string
	for image := range strings.SplitSeq(os.Getenv("RATELAB_TEST_IMAGES"), ",") {
		if image = strings.TrimSpace(image); image != "" {
			images = append(images, image)
		}
	}
	if len(images) == 0 && os.Getenv("REQUIRE_DOCKER") == "1" {
		images = append(images, redis.DefaultImage)
	}
	return images
}

// start starts spec's server; where it cannot be had, the variable decides between a skip and a failure.
func start(t testing.TB, spec, variable string, opts ...redis.Option) *redis.Server {
	t.Helper()
	s, err := redis.Start(t.Context(), spec, opts...)
	var absent *redis.Unavailable
	if errors.As(err, &absent) && variable != "" && os.Getenv(variable) != "1" {
		t.Skipf("%v; set %s=1 to fail instead", err, variable)
	}
	if err != nil {
		t.Fatalf("start %s: %v", spec, err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close %s: %v", spec, err)
		}
	})
	return s
}
