package redisclock_test

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/resp"
	"ratelab/redisclock"
)

// inRESP gives lines of words as commands in RESP. An empty line is none.
func inRESP(lines string) (commands []byte) {
	for line := range strings.SplitSeq(lines, "\r\n") {
		if words := strings.Fields(line); len(words) > 0 {
			commands = resp.AppendCommand(commands, words...)
		}
	}
	return commands
}

// talk sends lines, in order, and gives the replies of a line each.
func talk(t *testing.T, conn io.ReadWriter, commands ...string) (replies []string) {
	t.Helper()
	for _, command := range commands {
		if _, err := conn.Write(inRESP(command)); err != nil {
			t.Fatalf("%s: %v", command, err)
		}
		replies = append(replies, line(conn))
	}
	return replies
}

// wantReplies sends commands, each before the reply that it must get.
func wantReplies(t *testing.T, conn io.ReadWriter, pairs ...string) {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if got := talk(t, conn, pairs[i])[0]; got != pairs[i+1] {
			t.Errorf("%s: %q, want %q", pairs[i], got, pairs[i+1])
		}
	}
}

// dialled is a connection of the dialer's.
func dialled(t *testing.T, d redisclock.Dialer) io.ReadWriter {
	t.Helper()
	conn, err := d.Dial("", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// A key that had expired before the clock stepped back is gone, although nobody looked at it; what is made since lives.
func TestWhatHasExpiredDoesNotComeBack(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		d := under(s)
		one, other := dialled(t, d), dialled(t, d)
		wantReplies(t, one, "SET k v EX 10", "+OK", "SET long v EX 60", "+OK", "SET ever v", "+OK", "SELECT 1", "+OK",
			"SET k v EX 10", "+OK", "SELECT 0", "+OK")
		d.Clock.Advance(20 * time.Second)
		d.Clock.Advance(-15 * time.Second)
		wantReplies(t, other, "EVALSHA 0000000000000000000000000000000000000000 0",
			"-NOSCRIPT No matching script. Please use EVAL.", "EXISTS k", ":0", "TTL long", ":55", "TTL ever", ":-1",
			"SET k w EX 5", "+OK")
		wantReplies(t, one, "TTL k", ":5", "SELECT 1", "+OK", "DBSIZE", ":0")
		d.Clock.Advance(time.Hour)
		d.Clock.Advance(-time.Hour)
		wantReplies(t, one, "SELECT 0", "+OK", "MULTI", "+OK", "DBSIZE", "+QUEUED", "EXEC", "*1")
		if got := line(one); got != ":1" {
			t.Errorf("DBSIZE in a transaction after a step back: %s, want :1", got)
		}
	})
}

// Deadlines are the same for two clocks, as for two processes one after the other; and a TTL of real time is named.
func TestDeadlinesAreTheSameForEveryClock(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		d, later := under(s), under(s)
		later.Clock.Advance(30 * time.Second)
		wantReplies(t, dialled(t, d), "SET k v EX 40", "+OK")
		wantReplies(t, dialled(t, later), "TTL k", ":10")
		later.Clock.Advance(11 * time.Second)
		wantReplies(t, dialled(t, later), "EXISTS k", ":0")
		if err := s.Client.Set(t.Context(), "real", "v", time.Hour).Err(); err != nil {
			t.Fatal(err)
		}
		const named = `-VTCLOCK the key "real" has a TTL that was not set under the clock; ` +
			"delete it without the clock, or FLUSHDB"
		wantReplies(t, dialled(t, d), "GET real", named, "KEYS *", named, "DEL real", named, "FLUSHDB", "+OK",
			"GET real",
			"$-1")
	})
}

func TestATransactionTakesPlaceAtItsEXEC(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		d := under(s)
		one, other := dialled(t, d), dialled(t, d)
		wantReplies(t, one, "SET k v EX 10", "+OK", "MULTI", "+OK", "MULTI", "-ERR MULTI calls can not be nested",
			"EXISTS k", "+QUEUED", "SET k w EX 10", "+QUEUED")
		wantReplies(t, other, "RATELAB.CLOCK ADVANCE 11000000", ":1704067211000000")
		wantReplies(t, one, "EXEC", "*2")
		if got := line(one) + line(one); got != ":0+OK" {
			t.Errorf("the transaction replies %s, want that the key has expired", got)
		}
		wantReplies(t, one, "TTL k", ":10", "EXEC", "-ERR EXEC without MULTI", "MULTI", "+OK", "INCR n", "+QUEUED",
			"DISCARD", "+OK", "MULTI", "+OK", "INCR n", "+QUEUED", "RATELAB.CLOCK SET 1",
			"-ERR RATELAB.CLOCK inside a transaction, which takes place at one time on one database",
			"EXEC", "-EXECABORT Transaction discarded because of previous errors.", "EXISTS n", ":0",
			"RATELAB.CLOCK GET", ":1704067211000000")
		if s.Kind != redis.KindEmbedded { // which does not know RESET
			wantReplies(t, one, "MULTI", "+OK", "RESET", "+RESET", "EXEC", "-ERR EXEC without MULTI")
		}
	})
}

func TestTheClockIsSteeredFromAClient(t *testing.T) {
	const want = "-ERR want RATELAB.CLOCK GET, SET <µs since 1970> or ADVANCE <µs>"
	d := under(redistest.Embedded(t))
	d.Clock.Advance(1500 * time.Nanosecond)
	conn := dialled(t, d)
	wantReplies(t, conn, "ratelab.clock get", ":1704067200000001", "RATELAB.CLOCK ADVANCE 1", ":1704067200000002",
		"RATELAB.CLOCK ADVANCE -2", ":1704067200000000", "RATELAB.CLOCK SET 5", "+OK", "RATELAB.CLOCK", want,
		"RATELAB.CLOCK SET", want, "RATELAB.CLOCK SET 1.5", want, "RATELAB.CLOCK SET 1 2", want,
		"RATELAB.CLOCK SET -1", "-ERR redisclock: the time -1 µs since 1970; want 0 to 9007199254740991",
		"RATELAB.CLOCK ADVANCE 9223372036854775807",
		"-ERR redisclock: the time -9223372036854775804 µs since 1970; want 0 to 9007199254740991",
		"RATELAB.CLOCK GET", ":5", "TIME\r\nRATELAB.CLOCK GET\r\nMGET a b\r\nRATELAB.CLOCK GET\r\nPING", "*2",
		"", "$1", "", "0", "", "$1", "", "5", "", ":5", "", "*2", "", "$-1", "", "$-1", "", ":5", "", "+PONG")
	defer func() {
		if recover() == nil {
			t.Error("a time before 1970 is taken")
		}
	}()
	d.Clock.Advance(-time.Hour)
}

// What clients say of themselves passes; what changes which replies come, or when, does not.
func TestConnectionsAreOfRESP2(t *testing.T) {
	conn := dialled(t, under(redistest.Private(t)))
	wantReplies(t, conn, "HELLO 3 SETNAME me", "-NOPROTO redisclock speaks RESP2",
		"CLIENT SETNAME me", "+OK", "CLIENT GETNAME", "$2", "", "me", // "" sends nothing
		"CLIENT REPLY OFF", `-VTCMD virtual time does not know the command "CLIENT REPLY"`,
		"CLIENT TRACKING ON", `-VTCMD virtual time does not know the command "CLIENT TRACKING"`,
		"CONFIG SET save 1", `-VTCMD virtual time does not know the command "CONFIG SET"`,
		"MONITOR", `-VTCMD virtual time does not know the command "MONITOR"`, "HELLO 2", "*14")
}

// EXISTS knows what EVALSHA knows.
func TestScriptsExistWhereTheyAreFound(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		client, _ := steered(t, s)
		ctx := t.Context()
		loaded, sent := goredis.NewScript("return 1"), goredis.NewScript("return 2")
		foreign := goredis.NewScript("return 3")
		loaded.Load(ctx, client)
		sent.Eval(ctx, client, nil)
		foreign.Load(ctx, s.Client)
		got := client.ScriptExists(ctx, loaded.Hash(), strings.ToUpper(sent.Hash()), foreign.Hash()).Val()
		if fmt.Sprint(got) != "[true true false]" {
			t.Errorf("SCRIPT EXISTS gives %v", got)
		}
	})
}

// The page shows the example, which is run.
func TestThePageShowsTheExample(t *testing.T) {
	page, err := os.ReadFile("../docs/clock.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```go\n")
	shown, _, found := strings.Cut(rest, "```")
	shown = "\t" + strings.ReplaceAll(strings.TrimSpace(shown), "\n", "\n\t")
	if !found || !strings.Contains(string(example), shown) {
		t.Errorf("docs/clock.md shows Go that is not in example_test.go:\n%s", shown)
	}
}
