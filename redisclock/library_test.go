package virtualtime_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/go-redis/redis_rate/v10"
	goredis "github.com/redis/go-redis/v9"

	"ratelab/internal/longtest"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/virtualtime"
)

// hooked is a client under a clock that stands at midnight.
func hooked(t *testing.T, s *redis.Server) (redis.Client, *virtualtime.Clock) {
	t.Helper()
	return hookedProtocol(t, s, 2)
}

func hookedProtocol(t *testing.T, s *redis.Server, protocol int) (redis.Client, *virtualtime.Clock) {
	t.Helper()
	clock := &virtualtime.Clock{}
	clock.Set(midnight)
	return through(t, s, protocol, virtualtime.NewHook(clock, time.Now(), false)), clock
}

// through is a client whose connections go through the hook.
func through(t *testing.T, s *redis.Server, protocol int, hook *virtualtime.Hook) redis.Client {
	t.Helper()
	client := redistest.NewClient(protocol, func(ctx context.Context) (net.Conn, error) {
		conn, err := s.Open(ctx)
		if err != nil {
			return nil, err
		}
		return hook.Conn(conn), nil
	})
	t.Cleanup(func() { client.Close() })
	return client
}

// case1 is 10, 10, 980, 900, 100, 0 requests in seconds 1 to 6, each second's evenly from its start, in µs.
func case1() []int64 {
	var times []int64
	for second, n := range []int64{10, 10, 980, 900, 100, 0} {
		for i := range n {
			times = append(times, int64(second)*1_000_000+i*1_000_000/n)
		}
	}
	return times
}

// gcra is the rule itself in whole µs: burst 1000, one permit every 3000 µs.
func gcra(tat *int64, nowUS int64) bool {
	full := max(*tat, nowUS)
	if full+3000-nowUS > 3_000_000 {
		return false
	}
	*tat = full + 3000
	return true
}

// An unmodified library, redis_rate v10, decides case 1 in virtual time: 1785 admitted, each as exact arithmetic has
// it.
func TestAnUnmodifiedLibraryDecidesCaseOne(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		client, clock := hooked(t, s)
		limiter := redis_rate.NewLimiter(client)
		limit := redis_rate.Limit{Rate: 1000, Burst: 1000, Period: 3 * time.Second}
		admitted, tat := 0, int64(0)
		arrivals := case1()
		if strings.HasSuffix(t.Name(), "embedded") { // a tenth of the processor's time does: the script is the same
			arrivals = arrivals[:longtest.Of(len(arrivals), 200)]
		}
		for i, atUS := range arrivals {
			clock.Set(midnight + atUS)
			result, err := limiter.Allow(t.Context(), "client", limit)
			if err != nil {
				t.Fatal(err)
			}
			admitted += result.Allowed
			if allowed := result.Allowed == 1; allowed != gcra(&tat, midnight+atUS) {
				t.Fatalf("request %d at %d µs: redis_rate says %t, the rule says %t", i, atUS, allowed, !allowed)
			}
		}
		if len(arrivals) > 200 && admitted != 1785 {
			t.Errorf("%d admitted, want 1785", admitted)
		}
	})
}

func TestPlainCommandsLiveInVirtualTime(t *testing.T) {
	for _, protocol := range []int{2, 3} {
		t.Run(fmt.Sprintf("RESP%d", protocol), func(t *testing.T) { plainCommands(t, protocol) })
	}
}

func plainCommands(t *testing.T, protocol int) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		client, clock := hookedProtocol(t, s, protocol)
		ctx := t.Context()
		if err := client.Set(ctx, "k", "v", 10*time.Second).Err(); err != nil {
			t.Fatal(err)
		}
		if now := client.Time(ctx).Val(); now.UnixMicro() != midnight {
			t.Errorf("TIME is %v, want midnight", now.UTC())
		}
		clock.Set(midnight + 10_000_000)
		if ttl := client.PTTL(ctx, "k").Val(); ttl != 0 || client.Get(ctx, "k").Val() != "v" {
			t.Errorf("at its last millisecond PTTL is %v and the key %q, want 0 and v", ttl, client.Get(ctx, "k"))
		}
		clock.Set(midnight + 10_001_000)
		if err := client.Get(ctx, "k").Err(); err != goredis.Nil {
			t.Errorf("a millisecond later GET gives %v, want redis.Nil", err)
		}
		client.HSet(ctx, "h", "a", "1", "b", "2")
		if got := client.HGetAll(ctx, "h").Val(); fmt.Sprint(got) != "map[a:1 b:2]" {
			t.Errorf("HGETALL gives %v", got)
		}
		client.ZAdd(ctx, "z", goredis.Z{Score: 1.5, Member: "m"})
		if got := client.ZRangeWithScores(ctx, "z", 0, -1).Val(); len(got) != 1 || got[0].Score != 1.5 {
			t.Errorf("ZRANGE WITHSCORES gives %v", got)
		}
		if got := client.ZScore(ctx, "z", "m").Val(); got != 1.5 {
			t.Errorf("ZSCORE gives %v", got)
		}
		big := strings.Repeat("0123456789", 30_000) // which a client writes in pieces
		if err := client.Set(ctx, "big", big, 0).Err(); err != nil || client.Get(ctx, "big").Val() != big {
			t.Errorf("a value of %d bytes does not come back (%v)", len(big), err)
		}
		if err := client.Incr(ctx, "h").Err(); err == nil || !strings.HasPrefix(err.Error(), "WRONGTYPE ") {
			t.Errorf("INCR of a hash gives %v, want WRONGTYPE", err)
		}
		client.Set(ctx, "n", "9007199254740993", 0)
		if err := client.Incr(ctx, "n").Err(); err == nil || !strings.HasPrefix(err.Error(), "VTINT ") {
			t.Errorf("an integer beyond 2^53 gives %v, want VTINT", err)
		}
	})
}

func TestPipelinesAndTransactionsKeepTheirReplies(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		client, clock := hooked(t, s)
		for name, pipelined := range map[string]func(context.Context, func(goredis.Pipeliner) error) ([]goredis.Cmder,
			error){
			"pipeline": client.Pipelined, "transaction": client.TxPipelined,
		} {
			cmds, err := pipelined(t.Context(), func(p goredis.Pipeliner) error {
				p.Del(t.Context(), "n")
				for range 50 {
					p.Incr(t.Context(), "n")
				}
				p.Expire(t.Context(), "n", 2*time.Second)
				p.PTTL(t.Context(), "n")
				p.Eval(t.Context(), "return {KEYS[1], ARGV[1], #ARGV}", []string{"n"}, "x")
				return nil
			})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			n, ttl := cmds[50].(*goredis.IntCmd).Val(), cmds[52].(*goredis.DurationCmd).Val()
			if got := fmt.Sprint(n, ttl, cmds[53].(*goredis.Cmd).Val()); got != "50 2s [n x 1]" {
				t.Errorf("%s: the replies are %s", name, got)
			}
		}
		clock.Set(midnight + 2_001_000)
		if n := client.Exists(t.Context(), "n").Val(); n != 0 {
			t.Error("the key outlives its deadline")
		}
	})
}

func TestScriptsAreFoundByTheirDigest(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		client, clock := hooked(t, s)
		ctx := t.Context()
		clock.Set(midnight + 42)
		source := goredis.NewScript("local t = redis.call('TIME') return t[1] .. ' ' .. t[2]")
		s.Client.ScriptLoad(ctx, "local t = redis.call('TIME') return t[1] .. ' ' .. t[2]") // by someone else
		if err := source.EvalSha(ctx, client, nil).Err(); !goredis.HasErrorPrefix(err, "NOSCRIPT") {
			t.Errorf("a script that only the server knows gives %v, want NOSCRIPT: it would run on the real clock", err)
		}
		for range 2 {
			if got, err := source.Run(ctx, client, nil).Text(); err != nil || got != "1704067200 42" {
				t.Errorf("Script.Run gives %q, %v", got, err)
			}
		}
		if err := client.ScriptFlush(ctx).Err(); err != nil {
			t.Fatal(err)
		}
		if err := source.EvalSha(ctx, client, nil).Err(); !goredis.HasErrorPrefix(err, "NOSCRIPT") {
			t.Errorf("after SCRIPT FLUSH the digest gives %v, want NOSCRIPT", err)
		}
		if sha1 := client.ScriptLoad(ctx, "return 1").Val(); client.EvalSha(ctx, sha1, nil).Val() != int64(1) {
			t.Error("a loaded script is not found")
		}
		err := client.EvalRO(ctx, "return redis.call('SET', KEYS[1], 1)", []string{"k"}).Err()
		if err == nil || !strings.Contains(err.Error(), "Write commands are not allowed") {
			t.Errorf("EVAL_RO that writes gives %v", err)
		}
		err = client.Eval(ctx, "local x\nreturn x.y", nil).Err()
		if err == nil || !strings.HasPrefix(err.Error(), "ERR user_script:2: ") {
			t.Errorf("a script's error is %v, want its line", err)
		}
	})
}

// What cannot be put under the clock fails with its name, and the connection goes on.
func TestWhatCannotBeSteeredIsNamed(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		client, _ := hooked(t, s)
		ctx := t.Context()
		for _, args := range [][]any{{"WATCH", "k"}, {"SUBSCRIBE", "c"}, {"BLPOP", "k", "0"},
			{"XADD", "k", "*", "f", "v"},
			{"FCALL", "f", "0"}, {"FLUSHALL"}, {"WAIT", "0", "0"}, {"SCRIPT", "KILL"}} {
			err := client.Do(ctx, args...).Err()
			if err == nil || !strings.HasPrefix(err.Error(), "VTCMD ") ||
				!strings.Contains(err.Error(), fmt.Sprint(args[0])) {
				t.Errorf("%v gives %v, want an error that names it", args, err)
			}
		}
		if err := client.Eval(ctx, "return _G", nil).Err(); err == nil || !strings.HasPrefix(err.Error(), "VTSCRIPT ") {
			t.Errorf("a script that steps around the clock gives %v", err)
		}
		if got := client.Ping(ctx).Val(); got != "PONG" {
			t.Errorf("PING then answers %q", got)
		}
	})
}

// A connection that fails says so on the next write, and one that sends nonsense is told.
func TestABrokenConnectionIsAnError(t *testing.T) {
	hook := virtualtime.NewHook(&virtualtime.Clock{}, time.Now(), false)
	ours, theirs := net.Pipe()
	conn := hook.Conn(ours)
	if _, err := conn.Write([]byte("GET k\r\n")); err == nil || !strings.Contains(err.Error(), `"GET k"`) {
		t.Errorf("nonsense gives %v", err)
	}
	theirs.Close()
	conn.Close()
}

// On a given server every key has a real deadline, a day after the start at the latest where it has none of its own,
// and nothing in virtual time shows it.
func TestAGuestLeavesNoKeyForGood(t *testing.T) {
	s := redistest.Private(t)
	clock := &virtualtime.Clock{}
	clock.Set(midnight)
	client := through(t, s, 2, virtualtime.NewHook(clock, time.Now(), true))
	ctx := t.Context()
	client.Incr(ctx, "n")
	client.Set(ctx, "s", "v", time.Hour)
	client.Persist(ctx, "s")
	client.Set(ctx, "e", "v", time.Hour)
	client.Eval(ctx, "redis.call('RPUSH', KEYS[1], 1) return 1", []string{"l"})
	for key, ttl := range map[string]time.Duration{"n": -1, "s": -1, "e": time.Hour, "l": -1} {
		if got := client.PTTL(ctx, key).Val(); got != ttl {
			t.Errorf("%s has the virtual TTL %v, want %v", key, got, ttl)
		}
		real := s.Client.PTTL(ctx, key).Val()
		if latest := max(ttl, 0) + 24*time.Hour; real <= 23*time.Hour || real > latest {
			t.Errorf("%s has the real TTL %v, want one of at most %v", key, real, latest)
		}
	}
	if got := client.Persist(ctx, "n").Val(); got {
		t.Error("PERSIST takes the real deadline for a virtual one")
	}
}
