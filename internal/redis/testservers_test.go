package redis_test

import (
	"os/exec"
	"slices"
	"testing"

	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
)

func TestEachGivesEveryServerThereIs(t *testing.T) {
	t.Setenv("RATELAB_TEST_IMAGES", "")
	t.Setenv("REQUIRE_DOCKER", "")
	var kinds []string
	redistest.Each(t, func(t *testing.T, s *redis.Server) {
		kinds = append(kinds, s.Kind)
		if err := s.Client.Set(t.Context(), s.Prefix+"k", 1, 0).Err(); err != nil {
			t.Error(err)
		}
	})
	want := []string{redis.KindEmbedded}
	if _, err := exec.LookPath("redis-server"); err == nil {
		want = append(want, redis.KindProcess)
	}
	if !slices.Equal(kinds, want) {
		t.Errorf("servers of kinds %v; want %v", kinds, want)
	}
}

func TestMissingServerSkipsUnlessRequired(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("REDIS_SERVER", "")
	t.Setenv("REQUIRE_REDIS", "")
	var sub *testing.T
	t.Run("absent", func(t *testing.T) { sub = t; redistest.Private(t) })
	if !sub.Skipped() {
		t.Error("a server that is not there neither skipped nor failed")
	}
}

func TestImagesAreNamedOrRequired(t *testing.T) {
	for _, c := range []struct {
		named, required string
		want            []string
	}{
		{"", "", nil},
		{"", "1", []string{redis.DefaultImage}},
		{"a:1, b:2,", "1", []string{"a:1", "b:2"}},
	} {
		t.Setenv("RATELAB_TEST_IMAGES", c.named)
		t.Setenv("REQUIRE_DOCKER", c.required)
		if got := redistest.Images(); !slices.Equal(got, c.want) {
			t.Errorf("RATELAB_TEST_IMAGES=%q REQUIRE_DOCKER=%q: %q; want %q", c.named, c.required, got, c.want)
		}
	}
}
