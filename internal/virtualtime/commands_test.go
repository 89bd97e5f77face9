package virtualtime_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ratelab/internal/redis"
)

// century is 2100-01-01 in s: a deadline that neither clock reaches.
const century = 4_102_444_800

// forms has commands on three keys of all types. They make, change, empty, move, copy and overwrite keys, and set, read
// and drop deadlines.
var forms = []string{
	`'SET', %k, %v`, `'SET', %k, %v, 'KEEPTTL'`, `'SET', %k, %v, 'EX', 1000`, `'SET', %k, %v, 'NX', 'GET'`,
	`'SET', %k, %v, 'EXAT', %d`, `'SET', %k, %v, 'XX', 'PXAT', %d .. '123'`, `'SETNX', %k, %v`, `'SETEX', %k, 1000, %v`,
	`'GET', %k`, `'GETSET', %k, %v`, `'GETDEL', %k`, `'GETEX', %k, 'EXAT', %d`, `'GETEX', %k, 'PERSIST'`, `'INCR', %k`,
	`'INCRBY', %k, %v`, `'APPEND', %k, %v`, `'STRLEN', %k`, `'SETRANGE', %k, 1, %v`, `'MSET', %k, %v, %k, %v`,
	`'MSETNX', %k, %v, %k, %v`,
	`'MGET', %k, %k`, `'TYPE', %k`, `'EXISTS', %k, %k`, `'DEL', %k`, `'UNLINK', %k, %k`, `'RENAME', %k, %k`,
	`'RENAMENX', %k, %k`,
	`'COPY', %k, %k`, `'COPY', %k, %k, 'REPLACE'`,
	`'HSET', %k, 'f', %v`, `'HDEL', %k, 'f'`, `'HINCRBY', %k, 'f', 1`, `'HGETALL', %k`, `'HMGET', %k, 'f', 'g'`,
	`'RPUSH', %k, %v`, `'LPUSHX', %k, %v`, `'LPOP', %k`, `'RPOP', %k, 2`, `'LTRIM', %k, 1, 0`, `'LTRIM', %k, 0, 0`,
	`'LREM', %k, 0, %v`,
	`'LRANGE', %k, 0, -1`, `'RPOPLPUSH', %k, %k`, `'LMOVE', %k, %k, 'LEFT', 'RIGHT'`, `'LMPOP', 2, %k, %k, 'LEFT'`,
	`'SADD', %k, 'm'`, `'SREM', %k, 'm'`, `'SMOVE', %k, %k, 'm'`, `'SUNIONSTORE', %k, %k, %k`,
	`'SINTERSTORE', %k, %k, %k`,
	`'SDIFFSTORE', %k, %k, %k`, `'SCARD', %k`,
	`'ZADD', %k, %v, 'm'`, `'ZREM', %k, 'm'`, `'ZPOPMIN', %k`, `'ZREMRANGEBYSCORE', %k, 1, 2`,
	`'ZREMRANGEBYRANK', %k, 0, 0`,
	`'ZUNIONSTORE', %k, 2, %k, %k`, `'ZINTERSTORE', %k, 1, %k`, `'ZRANGE', %k, 0, -1, 'WITHSCORES'`,
	`'ZMPOP', 1, %k, 'MIN'`,
	`'EXPIREAT', %k, %d`, `'PEXPIREAT', %k, %d .. '007', 'NX'`, `'EXPIREAT', %k, %d, 'XX'`, `'EXPIREAT', %k, %d, 'GT'`,
	`'EXPIREAT', %k, %d, 'LT'`, `'EXPIRE', %k, 0`, `'EXPIRE', %k, -5, 'XX'`, `'EXPIRE', %k, 1000`, `'EXPIREAT', %k, 1`,
	`'PERSIST', %k`,
	`'EXPIRE', %k`, `'SET', %k`, `'SETEX', %k, 10`, `'ZUNIONSTORE', %k, 9, %k`, `'COPY', %k`,
	`'RENAME', %k`, `'MSET', %k`, `'TTL', %k, 1`, `'PERSIST', %k, 1`, `'DEL'`,
}

// looks has the commands that read each key after each command.
var looks = []string{`'TTL', %s`, `'PEXPIRETIME', %s`, `'EXPIRETIME', %s`, `'TYPE', %s`}

var hole = regexp.MustCompile(`%[kvd]`)

// refusedByEmbedded matches commands that the embedded server does not have.
var refusedByEmbedded = regexp.MustCompile(`'(LMOVE|LMPOP|RPOPLPUSH|SETRANGE|SMOVE|ZMPOP|[SZ][A-Z]+STORE)'`)

// drawCommand draws one form, and replaces its placeholders.
func drawCommand(t *rapid.T, keys []string, embedded bool) string {
	form := rapid.SampledFrom(forms).Draw(t, "form")
	if embedded && (strings.Contains(form, "'LT'") || refusedByEmbedded.MatchString(form)) {
		form = forms[0] // the embedded LT also takes an equal deadline
	}
	return hole.ReplaceAllStringFunc(form, func(h string) string {
		switch h {
		case "%k":
			return rapid.SampledFrom(keys).Draw(t, "key")
		case "%v":
			return rapid.SampledFrom([]string{"1", "'2'", "'3'"}).Draw(t, "value")
		}
		return fmt.Sprintf("'%d'", century+rapid.IntRange(0, 3).Draw(t, "deadline"))
	})
}

// errorText matches an error. On the embedded server, only the fact of an error is compared, because its texts differ.
var errorText = regexp.MustCompile(`error [^\n]*`)

// soon matches numbers that differ because the two clocks differ: deadlines in this decade, in s and in ms, and the
// seconds until the deadline century.
var soon = regexp.MustCompile(`\b(1\d{9}(\d{3})?|2[2-4]\d{8})\b`)

// Each command has the same reply as without the virtual clock, and leaves each key with the same deadline. This is
// tested after random other commands, with random sizes of batches, and with and without real deadlines for keys.
func TestCommandsAnswerAsWithoutTheVirtualClock(t *testing.T) {
	onBoth(t, func(t *testing.T, server *redis.Server) {
		keys := []string{"K", "K .. 'a'", "K .. 'b'"}
		rapid.Check(t, func(rt *rapid.T) {
			s := story{}
			for range rapid.IntRange(1, 30).Draw(rt, "commands") {
				step := []string{drawCommand(rt, keys, server.Kind == redis.KindEmbedded)}
				for _, key := range keys {
					for _, look := range looks {
						step = append(step, fmt.Sprintf(look, key))
					}
				}
				s.steps = append(s.steps, step)
			}
			it := setup{batch: rapid.IntRange(1, 8).Draw(rt, "batch")}
			it.given = rapid.Bool().Draw(rt, "given")
			flush := func() { // without this, the embedded server keeps values of deleted keys
				if err := server.Client.FlushAll(t.Context()).Err(); err != nil {
					t.Fatal(err)
				}
			}
			flush()
			native, err := s.nativeAll(t, server, "k") // replies may name the key
			if err != nil {
				t.Fatal(err)
			}
			flush()
			var steps []answer
			for i := range s.steps {
				steps = append(steps, answer{midnight / 1000, i + 1, ""})
			}
			for i, got := range s.virtual(t, server, it, "k", steps) {
				got, want := soon.ReplaceAllString(got, "soon"), soon.ReplaceAllString(native[i], "soon")
				if server.Kind == redis.KindEmbedded {
					got, want = errorText.ReplaceAllString(got, "error"), errorText.ReplaceAllString(want, "error")
				}
				if got != want {
					rt.Fatalf("command %d, %s:\n%s\nin virtual time, without it\n%s\nafter %s", i+1, s.steps[i][0], got,
						want, commands(s, i))
				}
			}
		})
	})
}

// commands returns a list of the commands up to i.
func commands(s story, i int) string {
	var b strings.Builder
	for _, step := range s.steps[:i+1] {
		b.WriteString("\n  " + step[0])
	}
	return b.String()
}
