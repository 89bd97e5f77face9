package embedded_test

import (
	"strings"
	"testing"
)

// Redis draws the order of a large hash. It stays drawn when the hash is small again, and virtual time sorts it.
func TestLargeHashesAnswerInTheOrderOfTheTexts(t *testing.T) {
	conn := dial(t, server(t))
	for name, source := range map[string]string{
		"many fields": `for i = 600, 1, -1 do redis.call('HSET', 'h', i, i) end
for i = 600, 3, -1 do redis.call('HDEL', 'h', i) end redis.call('HSET', 'h', 'b', 1, 'a', 1)`,
		"a long value": `redis.call('HSET', 'h', '2', string.rep('x', 65), '1', 1)
redis.call('HSET', 'h', 'b', 1, 'a', 1, '2', 1)`,
	} {
		t.Run(name, func(t *testing.T) {
			got := conn.ask(t, "EVAL", source+" return table.concat(redis.call('HKEYS', 'h'), ' ')", "0")
			if !strings.Contains(got, "\n1 2 a b\r") {
				t.Errorf("the fields are %q; want 1 2 a b", got)
			}
			got = conn.ask(t, "EVAL", "return redis.call('HSCAN', 'h', 0)", "0")
			if !strings.HasPrefix(got, "-VTCMD") {
				t.Errorf("HSCAN answers %q; want it refused", got)
			}
			got = conn.ask(t, "EVAL", `redis.call('DEL', 'h') redis.call('HSET', 'h', 'b', 1, 'a', 1)
return table.concat(redis.call('HKEYS', 'h'), ' ')`, "0")
			if !strings.Contains(got, "\nb a\r") {
				t.Errorf("the fields of a new hash are %q; want b a", got)
			}
			conn.ask(t, "FLUSHALL")
		})
	}
}

// The order of a hash that nothing has noted is refused.
func TestUnknownOrdersAreRefused(t *testing.T) {
	conn := dial(t, server(t))
	conn.ask(t, "HSET", "made", "b", "1", "a", "2")
	for _, source := range []string{
		"return redis.call('HKEYS', 'made')",
		"redis.call('HSET', 'h', 'b', 1, 'a', 1) redis.call('RENAME', 'h', 'g') return redis.call('HGETALL', 'g')",
		"redis.call('HSET', 'h', 'b', 1, 'a', 1) redis.call('COPY', 'h', 'f') return redis.call('HVALS', 'f')",
	} {
		if got := conn.ask(t, "EVAL", source, "0"); !strings.Contains(got, "because of the order in which H") {
			t.Errorf("%s: answered %q; want it refused", source, got)
		}
	}
}
