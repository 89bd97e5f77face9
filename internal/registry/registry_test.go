package registry_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"ratelab/internal/alive"
	"ratelab/internal/redisserver"
	"ratelab/internal/redisserver/redisservertest"
	"ratelab/internal/registry"
)

// elsewhere is a process of which nothing is known here.
var elsewhere = alive.Process{Place: "0badc0de", PID: 4711, Start: "1"}

// enter writes the entry of a run of elsewhere, whose end is moved by that much, and n keys of it.
func enter(t *testing.T, s *redisserver.Server, id string, past time.Duration, n int) registry.Run {
	t.Helper()
	run := registry.New(id)
	run.Host, run.Process = "other", elsewhere
	if err := registry.Enter(t.Context(), s.Client, run); err != nil {
		t.Fatal(err)
	}
	s.Client.ZIncrBy(t.Context(), registry.Index, -float64(past.Milliseconds()), id)
	fill(t, s, run.KeyPrefix(), n)
	return run
}

func fill(t *testing.T, s *redisserver.Server, prefix string, n int) {
	t.Helper()
	pipe := s.Client.Pipeline()
	for i := range n {
		pipe.Set(t.Context(), fmt.Sprintf("%s%d", prefix, i), 1, 0)
	}
	if _, err := pipe.Exec(t.Context()); err != nil && n > 0 {
		t.Fatal(err)
	}
}

func ids(runs []registry.Run) []string {
	var all []string
	for _, r := range runs {
		all = append(all, r.ID)
	}
	slices.Sort(all)
	return all
}

func keys(t *testing.T, s *redisserver.Server) []string {
	t.Helper()
	all := s.Client.Keys(t.Context(), "*").Val()
	slices.Sort(all)
	return all
}

// A run of another machine is dead when its end has passed by the server's time, and not before.
func TestARunOfElsewhereIsDeadWhenItsEndHasPassed(t *testing.T) {
	s := redisservertest.Private(t)
	enter(t, s, "00000000000a", 0, 1)
	enter(t, s, "00000000000b", registry.Lease-10*time.Second, 1)
	dead := enter(t, s, "00000000000c", registry.Lease+time.Second, 2)
	found, err := registry.Dead(t.Context(), s.Client)
	if err != nil || !slices.Equal(ids(found), []string{dead.ID}) || found[0].Host != "other" ||
		found[0].Process != elsewhere {
		t.Fatalf("%+v, %v; want %s", found, err, dead.ID)
	}
	if own, err := registry.Dead(t.Context(), s.Client, dead.ID); err != nil || len(own) > 0 {
		t.Errorf("%+v, %v: a run takes itself for dead", own, err)
	}
	deleted, err := registry.Clean(t.Context(), s.Client, found)
	if err != nil || deleted[dead.ID] != 2 {
		t.Errorf("deleted %v, %v", deleted, err)
	}
	want := []string{"ratelab:00000000000a:0", "ratelab:00000000000b:0", "ratelab:run:00000000000a",
		"ratelab:run:00000000000b", "ratelab:runs"}
	if left := keys(t, s); !slices.Equal(left, want) {
		t.Errorf("left %q; want %q", left, want)
	}
}

// A run that was thought dead, and moved its end on while its keys were deleted, keeps its entry.
func TestARunThatComesBackKeepsItsEntry(t *testing.T) {
	s := redisservertest.Private(t)
	run := enter(t, s, "00000000000a", registry.Lease+time.Second, 1)
	found, err := registry.Dead(t.Context(), s.Client)
	if err != nil {
		t.Fatal(err)
	}
	if err := registry.Enter(t.Context(), s.Client, run); err != nil {
		t.Fatal(err)
	}
	if _, err := registry.Clean(t.Context(), s.Client, found); err != nil {
		t.Fatal(err)
	}
	if runs, now, err := registry.Runs(t.Context(), s.Client); err != nil || len(runs) != 1 || runs[0].Dead(now) {
		t.Errorf("%+v, %v", runs, err)
	}
}

// What anybody may have written into the registry leads to no key that is not a run's.
func TestAnEntryWithAStrangeIDIsNotTrusted(t *testing.T) {
	s := redisservertest.Private(t)
	strange := []string{"", "*", "victim", "00000000000?", "000000000000", "00000000000A", "00000000000a:",
		"../../00000a", "[0-9]00000000"}
	for _, id := range strange {
		s.Client.ZAdd(t.Context(), registry.Index, redis.Z{Score: 1, Member: id})
		s.Client.Set(t.Context(), "ratelab:"+id+":k", 1, 0)
	}
	s.Client.Set(t.Context(), "victim", 1, 0)
	before := keys(t, s)
	found, err := registry.Dead(t.Context(), s.Client)
	if err != nil || len(found) > 0 {
		t.Errorf("%+v, %v", found, err)
	}
	var runs []registry.Run
	for _, id := range strange {
		runs = append(runs, registry.Run{ID: id, End: time.UnixMilli(2)})
	}
	for i := range runs {
		if deleted, err := registry.Clean(t.Context(), s.Client, runs[i:i+1]); err != nil || len(deleted) > 0 {
			t.Errorf("%q: deleted %v, %v", runs[i].ID, deleted, err)
		}
	}
	if deleted, err := registry.Clean(t.Context(), s.Client, runs); err != nil || len(deleted) > 0 {
		t.Errorf("deleted %v, %v", deleted, err)
	}
	if after := keys(t, s); !slices.Equal(after, before) {
		t.Errorf("left %q; want %q", after, before)
	}
}

// An entry of which only the index is left counts by its end.
func TestAnEntryThatWasEvictedCountsByItsEnd(t *testing.T) {
	s := redisservertest.Private(t)
	for i, past := range []time.Duration{0, registry.Lease + time.Second} {
		run := enter(t, s, fmt.Sprintf("00000000000%d", i), past, 1)
		s.Client.Del(t.Context(), "ratelab:run:"+run.ID)
		s.Client.Set(t.Context(), "ratelab:run:"+run.ID, "something else", 0)
	}
	if found, err := registry.Dead(t.Context(), s.Client); err != nil ||
		!slices.Equal(ids(found), []string{"000000000001"}) {
		t.Errorf("%+v, %v", found, err)
	}
}

// Two that clean at the same time share the work, and neither fails.
func TestTwoMayCleanAtOnce(t *testing.T) {
	s := redisservertest.Private(t)
	const n = 20_000
	enter(t, s, "00000000000a", registry.Lease+time.Second, n)
	fill(t, s, "theirs:", n)
	found, err := registry.Dead(t.Context(), s.Client)
	if err != nil {
		t.Fatal(err)
	}
	if counted, err := registry.Count(t.Context(), s.Client, found); err != nil || counted["00000000000a"] != n {
		t.Errorf("counted %v, %v", counted, err)
	}
	var sum int64
	var mu sync.Mutex
	var both sync.WaitGroup
	for range 2 {
		c := s.NewClient(1)
		both.Go(func() {
			deleted, err := registry.Clean(t.Context(), c, found)
			mu.Lock()
			defer mu.Unlock()
			if sum += deleted["00000000000a"]; err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	if left := s.Client.DBSize(t.Context()).Val(); sum != n || left != n {
		t.Errorf("deleted %d, and %d are left; want %d and %d", sum, left, n, n)
	}
}

// Keys of a run that has no entry are found on demand, and those of runs that have one are not among them.
func TestStraysHaveKeysAndNoEntry(t *testing.T) {
	s := redisservertest.Private(t)
	enter(t, s, "00000000000a", 0, 1)
	fill(t, s, "ratelab:00000000000b:gcra:", 2)
	fill(t, s, "ratelab:000000000000:gcra:", 2) // of a run on a server of its own
	fill(t, s, "ratelab:", 2)
	fill(t, s, "ratelab:00000000000:", 1)
	found, err := registry.Strays(t.Context(), s.Client)
	if err != nil || !slices.Equal(ids(found), []string{"00000000000b"}) {
		t.Errorf("%+v, %v", found, err)
	}
	if deleted, err := registry.Clean(t.Context(), s.Client, found); err != nil || deleted["00000000000b"] != 2 {
		t.Errorf("deleted %v, %v", deleted, err)
	}
}

// Every key of the registry has a TTL that outlives the keys of runs, and a later entry does not shorten the index's.
func TestEveryEntryExpires(t *testing.T) {
	s := redisservertest.Private(t)
	run := enter(t, s, "00000000000a", 0, 0)
	for range 2 {
		for _, key := range keys(t, s) {
			if ttl := s.Client.TTL(t.Context(), key).Val(); ttl < registry.Kept-time.Minute || ttl > registry.Kept {
				t.Errorf("%s has a TTL of %v; want %v", key, ttl, registry.Kept)
			}
			s.Client.Expire(t.Context(), key, time.Hour)
		}
		if err := registry.Enter(t.Context(), s.Client, run); err != nil {
			t.Fatal(err)
		}
	}
	if err := registry.Leave(t.Context(), s.Client, run); err != nil || len(keys(t, s)) > 0 {
		t.Errorf("left %q, %v", keys(t, s), err)
	}
}
