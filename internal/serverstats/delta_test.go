package serverstats_test

import (
	"maps"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"ratelab/internal/redisserver"
	"ratelab/internal/redisserver/redisservertest"
	"ratelab/internal/serverstats"
)

// counter is a script of two commands.
const counter = "local n = redis.call('INCR', KEYS[1]); redis.call('PEXPIRE', KEYS[1], 100000); return n"

func TestCallsAreCountedExactly(t *testing.T) {
	onOwn(t, func(t *testing.T, s *redisserver.Server) {
		sha := load(t, s, counter)
		call(t, s.Client, sha, s.Prefix+"k", 1) // not counted
		d := during(t, s, func() {
			call(t, s.Client, sha, s.Prefix+"k", 7)
			load(t, s, "return 1")
			s.Client.Ping(t.Context())
		})
		calls := map[string]int64{}
		for name, c := range d.Commands {
			calls[name] = c.Calls
		}
		want := map[string]int64{"evalsha": 7, "incr": 7, "pexpire": 7, "script|load": 1, "ping": 1, "info": 1}
		if !d.Known || !maps.Equal(calls, want) || d.EvalCalls != 7 {
			t.Errorf("known %v, calls %v, %d of scripts; want %v, 7", d.Known, calls, d.EvalCalls, want)
		}
		if d.EvalUsec != d.Commands["evalsha"].Usec || d.UsecPerDecision() != float64(d.EvalUsec)/7 {
			t.Errorf("%d µs in scripts, %v a decision; EVALSHA took %d", d.EvalUsec, d.UsecPerDecision(),
				d.Commands["evalsha"].Usec)
		}
		if d.ErrorReplies+d.EvictedKeys+d.ExpiredKeys+d.ConnectionsReceived+d.ConnectionsRejected != 0 {
			t.Errorf("something else happened: %+v", d)
		}
	})
}

func TestEveryWayToCallAScriptCounts(t *testing.T) {
	s := redisservertest.Private(t)
	sha := load(t, s, "return 1")
	d := during(t, s, func() {
		c, ctx := s.Client, t.Context()
		c.EvalSha(ctx, sha, nil)
		c.EvalShaRO(ctx, sha, nil)
		c.Eval(ctx, "return 1", nil)
		c.EvalRO(ctx, "return 1", nil)
		c.EvalSha(ctx, "0000000000000000000000000000000000000000", nil)
	})
	if d.EvalCalls != 5 || d.Commands["evalsha"].FailedCalls != 1 || d.ErrorReplies != 1 {
		t.Errorf("%d calls, %+v, %d errors; want 5, one failed, 1", d.EvalCalls, d.Commands["evalsha"], d.ErrorReplies)
	}
}

// The time of a script includes that of its commands: one that does next to nothing but call a slow command takes no
// less than this command does.
func TestTimeOfAScriptIncludesItsCommands(t *testing.T) {
	onOwn(t, func(t *testing.T, s *redisserver.Server) {
		if err := s.Client.Eval(t.Context(), "for i = 1, 20000 do redis.call('RPUSH', KEYS[1], i) end",
			[]string{s.Prefix + "big"}).Err(); err != nil && err != redis.Nil {
			t.Fatal(err)
		}
		sha := load(t, s, "for i = 1, 3 do redis.call('LRANGE', KEYS[1], 0, -1) end")
		d := during(t, s, func() { call(t, s.Client, sha, s.Prefix+"big", 1) })
		if inner := d.Commands["lrange"]; inner.Calls != 3 || inner.Usec == 0 || d.EvalUsec < inner.Usec {
			t.Errorf("EVALSHA took %d µs, LRANGE in it %+v; want no less", d.EvalUsec, inner)
		}
	})
}

// PING is 14 bytes there and 7 back; a reading is some kilobytes, none of which may show.
func TestBytesAreThoseOfTheSpanAlone(t *testing.T) {
	onOwn(t, func(t *testing.T, s *redisserver.Server) {
		s.Client.Ping(t.Context()) // connects
		for _, n := range []int64{0, 1, 100} {
			d := during(t, s, func() {
				for range n {
					s.Client.Ping(t.Context())
				}
			})
			if d.NetInBytes != 14*n || d.NetOutBytes != 7*n {
				t.Errorf("%d PINGs: %d bytes in, %d out; want %d, %d", n, d.NetInBytes, d.NetOutBytes, 14*n, 7*n)
			}
		}
	})
}

func TestAnotherReaderChangesNoCallCounts(t *testing.T) {
	s := redisservertest.Private(t)
	sha := load(t, s, counter)
	d := during(t, s, func() {
		other := s.NewClient(1)
		stop := make(chan struct{})
		var reader sync.WaitGroup
		reader.Go(func() {
			for reading := 0; ; reading++ {
				if _, err := serverstats.Read(t.Context(), other); err != nil {
					t.Error(err)
				}
				select {
				case <-stop:
					if reading > 0 {
						return
					}
				default:
				}
			}
		})
		call(t, s.Client, sha, s.Prefix+"k", 300)
		close(stop)
		reader.Wait()
	})
	if d.EvalCalls != 300 || d.Commands["incr"].Calls != 300 || d.Commands["info"].Calls < 3 {
		t.Errorf("%d calls, %+v of INCR, %+v of INFO; want 300, 300, and some", d.EvalCalls, d.Commands["incr"],
			d.Commands["info"])
	}
}

func TestEvictedAndExpiredKeysAreCounted(t *testing.T) {
	s := redisservertest.Private(t)
	d := during(t, s, func() {
		s.Client.ConfigSet(t.Context(), "maxmemory-policy", "allkeys-random")
		s.Client.Set(t.Context(), s.Prefix+"short", 1, time.Millisecond)
		for s.Client.Exists(t.Context(), s.Prefix+"short").Val() == 1 {
			runtime.Gosched()
		}
		s.Client.Set(t.Context(), s.Prefix+"k", 1, 0)
		s.Client.ConfigSet(t.Context(), "maxmemory", "1")
		s.Client.Set(t.Context(), s.Prefix+"l", 1, 0) // refused, after all that could go has gone
	})
	if d.EvictedKeys != 1 || d.ExpiredKeys != 1 {
		t.Errorf("%d keys evicted, %d expired; want 1 of each", d.EvictedKeys, d.ExpiredKeys)
	}
	if now := reading(t, s); now.MaxMemoryBytes != 1 || now.MaxMemoryPolicy != "allkeys-random" {
		t.Errorf("limit %d, policy %s", now.MaxMemoryBytes, now.MaxMemoryPolicy)
	}
}

// What is not a run's own is not known, and costs the server no question.
func TestOtherServersFiguresAreUnavailable(t *testing.T) {
	embedded := redisservertest.Embedded(t)
	if d := during(t, embedded, func() {}); d.Known {
		t.Errorf("the embedded server keeps statistics: %+v", d)
	}
	host := redisservertest.Private(t)
	if host.Transport != redisserver.TransportUnix {
		t.Skip("needs the private server's address")
	}
	dir := host.Client.ConfigGet(t.Context(), "unixsocket").Val()["unixsocket"]
	d := during(t, host, func() {
		guest, err := redisserver.Start(t.Context(), "unix://"+dir)
		if err != nil {
			t.Fatal(err)
		}
		defer guest.Close()
		calls := during(t, host, func() {
			if d := during(t, guest, func() {}); d.Known || d.EvalCalls != 0 {
				t.Errorf("a user's server gives %+v", d)
			}
		})
		if len(calls.Commands) != 1 { // the reading itself
			t.Errorf("a user's server was asked %v", slices.Collect(maps.Keys(calls.Commands)))
		}
	})
	if !d.Known || d.ConnectionsReceived == 0 {
		t.Errorf("%+v; want the guest's connections", d)
	}
}

func TestLostCountsAreNoFigures(t *testing.T) {
	s := redisservertest.Private(t)
	sha := load(t, s, counter)
	call(t, s.Client, sha, s.Prefix+"k", 5)
	d := during(t, s, func() {
		s.Client.ConfigResetStat(t.Context())
		call(t, s.Client, sha, s.Prefix+"k", 9)
	})
	if d.Known {
		t.Errorf("after CONFIG RESETSTAT: %+v", d)
	}
	fresh := reading(t, redisservertest.Private(t))
	call(t, s.Client, sha, s.Prefix+"k", 100) // so that no count is less here
	if d := reading(t, s).Since(fresh); d.Known {
		t.Errorf("between two runs of a server: %+v", d)
	}
}
