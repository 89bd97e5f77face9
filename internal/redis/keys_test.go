package redis_test

import (
	"fmt"
	"slices"
	"strings"
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

func TestUserWithTheDocumentedRightsMayDelete(t *testing.T) {
	host := redistest.Private(t)
	args := []any{"ACL", "SETUSER", "narrow", "reset", "on", ">pw"}
	for _, rule := range strings.Fields(redis.ACLRule) {
		args = append(args, rule)
	}
	if err := host.Client.Do(t.Context(), args...).Err(); err != nil {
		t.Fatal(err)
	}
	socket := host.Client.ConfigGet(t.Context(), "unixsocket").Val()["unixsocket"]
	if socket == "" {
		t.Skip("needs the private server's address")
	}
	s, err := redis.Start(t.Context(), "unix://narrow:pw@"+socket)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	host.Client.Set(t.Context(), "theirs", 1, 0)
	s.Client.Set(t.Context(), s.Prefix+"k", 1, 0)
	if err := redis.Delete(t.Context(), s.Client, s.Prefix); err != nil {
		t.Error(err)
	}
	if n := host.Client.DBSize(t.Context()).Val(); n != 1 {
		t.Errorf("%d keys stay; want the one that is not ours", n)
	}
}
