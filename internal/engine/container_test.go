package engine

import (
	"os"
	"strings"
	"testing"

	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
)

// All containers run at the same time, because bench compares two images in alternating rounds.
func TestContainersAreReachedDirectly(t *testing.T) {
	images := redistest.Images()
	if len(images) == 0 {
		t.Skip("no images; set RATELAB_TEST_IMAGES=redis:8.0-alpine,valkey/valkey:8.1")
	}
	t.Setenv("TMPDIR", t.TempDir())
	var servers []*redis.Server
	for _, image := range append(images, images[0]) {
		s, err := redis.Start(t.Context(), "container="+image, redis.WithDirectTransport())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		servers = append(servers, s)
		transport, route := redis.TransportTCP, redis.RoutePortMapping
		if isLocal() {
			transport, route = redis.TransportUnix, redis.RouteSharedFolder
		}
		if s.Transport != transport || s.Route != route || s.Version == "" ||
			strings.Contains(image, "valkey") != (s.Name == "valkey") {
			t.Errorf("%s: %s, %s and %s; want %s and %s", image, s, s.Transport, s.Route, transport, route)
		}
	}
	for _, s := range servers {
		if err := s.Client.Set(t.Context(), s.Prefix+"k", 1, 0).Err(); err != nil {
			t.Error(err)
		}
		if err := redistest.NewClient(2, s.Open).Get(t.Context(), s.Prefix+"k").Err(); err != nil {
			t.Errorf("%v: another client: %v", s, err)
		}
		if got := s.Client.ConfigGet(t.Context(), "save").Val()["save"]; got != "" {
			t.Errorf("%s saves: %s", s, got)
		}
		for range 2 {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		if s.Ended() != "" {
			t.Errorf("%s: a removed container has the output %s", s, s.Ended())
		}
	}
	if left, _ := os.ReadDir(os.TempDir()); len(left) > 0 {
		t.Errorf("%s is still there", left[0].Name())
	}
}
