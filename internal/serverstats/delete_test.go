package serverstats_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ratelab/internal/redisserver"
	"ratelab/internal/redisserver/redisservertest"
	"ratelab/internal/serverstats"
)

func TestKeysUnderAPrefixAreDeleted(t *testing.T) {
	onOwn(t, func(t *testing.T, s *redisserver.Server) {
		const mine = `run[1]*?\{`
		theirs := []string{`run1`, `run1xy\{`, `run[1]`, `run[1]xy\{`, `run[1]*y\{2`, `Run[1]*?\{`, `xrun[1]*?\{`}
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
		if n, err := serverstats.Delete(t.Context(), s.Client, mine); n != 1200 || err != nil {
			t.Errorf("deleted %d, %v; want 1200", n, err)
		}
		stay := s.Client.Keys(t.Context(), "*").Val()
		slices.Sort(stay)
		slices.Sort(theirs)
		if !slices.Equal(stay, theirs) {
			t.Errorf("%q are left; want %q", stay, theirs)
		}
	})
}

// A prefix of any bytes takes the keys that begin with it, as strings.HasPrefix says, and no others.
func TestPrefixesOfAnyBytes(t *testing.T) {
	s := redisservertest.Private(t)
	text := rapid.StringOfN(rapid.SampledFrom([]rune("ab*?[]^-\\\n\x00é")), 0, 6, -1)
	rapid.Check(t, func(rt *rapid.T) {
		if err := s.Client.FlushAll(t.Context()).Err(); err != nil {
			rt.Fatal(err)
		}
		prefix := "p" + text.Draw(rt, "prefix")
		var want int64
		for _, tail := range rapid.SliceOfNDistinct(text, 1, 10, rapid.ID[string]).Draw(rt, "keys") {
			key := tail
			if rapid.Bool().Draw(rt, "under the prefix") {
				key = prefix + tail
			}
			if s.Client.SetNX(t.Context(), key, 1, 0).Val() && strings.HasPrefix(key, prefix) {
				want++
			}
		}
		all := s.Client.DBSize(t.Context()).Val()
		n, err := serverstats.Delete(t.Context(), s.Client, prefix)
		if stay := s.Client.DBSize(t.Context()).Val(); err != nil || n != want || stay != all-want {
			rt.Fatalf("deleted %d, %v, %d of %d stay; want %d", n, err, stay, all, want)
		}
	})
}

func TestEverythingIsNotDeleted(t *testing.T) {
	s := redisservertest.Embedded(t)
	s.Client.Set(t.Context(), "k", 1, 0)
	n, err := serverstats.Delete(t.Context(), s.Client, "")
	if err == nil || n != 0 || s.Client.DBSize(t.Context()).Val() != 1 {
		t.Errorf("deleted %d, %v; want nothing, and an error", n, err)
	}
}

func TestUserWithTheDocumentedRightsMayDelete(t *testing.T) {
	host := redisservertest.Private(t)
	args := []any{"ACL", "SETUSER", "narrow", "reset", "on", ">pw"}
	for _, rule := range strings.Fields(redisserver.ACLRule) {
		args = append(args, rule)
	}
	if err := host.Client.Do(t.Context(), args...).Err(); err != nil {
		t.Fatal(err)
	}
	host.Client.Set(t.Context(), "theirs", 1, 0)
	socket := host.Client.ConfigGet(t.Context(), "unixsocket").Val()["unixsocket"]
	if socket == "" {
		t.Skip("needs the private server's address")
	}
	s, err := redisserver.Start(t.Context(), "unix://narrow:pw@"+socket, redisserver.WithoutEntry())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.Client.Set(t.Context(), s.Prefix+"k", 1, 0)
	if n, err := serverstats.Delete(t.Context(), s.Client, s.Prefix); err != nil || n != 1 {
		t.Errorf("deleted %d, %v; want 1", n, err)
	}
	if n := host.Client.DBSize(t.Context()).Val(); n != 1 {
		t.Errorf("%d keys stay; want the one that is not ours", n)
	}
}
