package redis_test

import (
	"fmt"
	"slices"
	"testing"

	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
)

func TestKeysUnderAPrefixAreDeleted(t *testing.T) {
	s := redistest.Private(t)
	const mine = "ratelab:0123456789ab:"
	theirs := []string{"ratelab:0123456789ab", "ratelab:0123456789ac:1", "Ratelab:0123456789ab:1", "x" + mine + "1"}
	pipe := s.Client.Pipeline()
	for i := range 1200 { // more than a SCAN looks at
		pipe.Set(t.Context(), fmt.Sprint(mine, i), "x", 0)
	}
	for _, key := range theirs {
		pipe.Set(t.Context(), key, "x", 0)
	}
	if _, err := pipe.Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := redis.Delete(t.Context(), s.Client, mine); err != nil {
		t.Error(err)
	}
	stay := s.Client.Keys(t.Context(), "*").Val()
	slices.Sort(stay)
	slices.Sort(theirs)
	if !slices.Equal(stay, theirs) {
		t.Errorf("%q are left; want %q", stay, theirs)
	}
}

func TestEverythingIsNotDeleted(t *testing.T) {
	s := redistest.Embedded(t)
	s.Client.Set(t.Context(), "k", 1, 0)
	err := redis.Delete(t.Context(), s.Client, "")
	if n := s.Client.DBSize(t.Context()).Val(); err == nil || n != 1 {
		t.Errorf("%v, and %d keys are left; want one, and an error", err, n)
	}
}
