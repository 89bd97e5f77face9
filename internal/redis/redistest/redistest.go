// Package redistest gives each test servers of its own and ends them with the test. If the machine lacks a server, the
// test is skipped with the reason. It fails instead if the environment requires the server: REQUIRE_REDIS=1 for a
// process, REQUIRE_DOCKER=1 for containers.
package redistest

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"ratelab/internal/redis"
)

// Embedded starts a server inside the process. It works on every machine.
func Embedded(t testing.TB) *redis.Server {
	t.Helper()
	return start(t, redis.KindEmbedded, "")
}

// Private starts a redis-server or valkey-server for this test alone, with the options.
func Private(t testing.TB, opts ...redis.Option) *redis.Server {
	t.Helper()
	return start(t, redis.KindProcess, "REQUIRE_REDIS", opts...)
}

// ProcessID returns the process ID of the private server.
func ProcessID(t testing.TB, s *redis.Server) (pid int) {
	t.Helper()
	_, after, _ := strings.Cut(s.Client.Info(t.Context(), "server").Val(), "process_id:")
	if _, err := fmt.Sscan(after, &pid); err != nil {
		t.Fatal(err)
	}
	return pid
}

// Container starts a container of the image with the options. "" means REDIS_IMAGE or the default image.
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

// Each runs a subtest on every kind of server: embedded, process, and a container of each image in RATELAB_TEST_IMAGES
// (comma separated). If the variable is not set, REQUIRE_DOCKER=1 selects the default image. Without either, the
// containers are skipped, so that tests pull no images unasked.
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

// Images returns the images that Each runs.
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

// start starts the server of spec. If the server is not available, variable decides between a skip and a failure.
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
