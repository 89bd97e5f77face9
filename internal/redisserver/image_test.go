package redisserver

import (
	"errors"
	"strings"
	"testing"
)

// A name that no image can have is refused before Docker is asked, which is asked again and again otherwise.
func TestWhatNoImageCanBeCalled(t *testing.T) {
	for _, name := range []string{"/dev/null", "a//b", "./redis", "Redis:7", "redis:", "a b", "redis@sha256:12"} {
		_, err := Start(t.Context(), "container="+name, withEnv(noEnv))
		var bad *BadSpec
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), "no image can have that name") ||
			strings.ContainsAny(err.Error(), "\n\r") {
			t.Errorf("%q: %v; want a *BadSpec", name, err)
		}
	}
	for _, name := range []string{"redis", "redis:8.0-alpine", "valkey/valkey:8.1", "localhost:5000/redis",
		"local/redis:7.0"} {
		if !IsImage(name) {
			t.Errorf("%q is refused", name)
		}
	}
}

// A URL in the place of an image is not repeated.
func TestWhatIsNoImageMayHoldAPassword(t *testing.T) {
	for _, name := range []string{"redis://x:hunter2@h", "redis//x:hunter2@h", "x:hunter2@h:1", "redis:/x:hunter2@h",
		"redis:/x:hunter2"} {
		_, err := Start(t.Context(), "container="+name, withEnv(noEnv))
		var bad *BadSpec
		if !errors.As(err, &bad) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", name, err)
		}
	}
	env := func(name string) string { return map[string]string{"REDIS_IMAGE": "redis://x:hunter2@h"}[name] }
	if _, err := Start(t.Context(), "container", withEnv(env)); err == nil ||
		strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "REDIS_IMAGE") {
		t.Errorf("REDIS_IMAGE: %v", err)
	}
}
