package redis

import (
	"fmt"
	"testing"
)

// onTheWire is a command's length as RESP writes it.
func onTheWire(words ...string) (n int64) {
	n = int64(len(fmt.Sprintf("*%d\r\n", len(words))))
	for _, w := range words {
		n += int64(len(fmt.Sprintf("$%d\r\n%s\r\n", len(w), w)))
	}
	return n
}

// What a replica gets of a script are its writes, with absolute deadlines, and MULTI and EXEC around several.
func TestReplicatedBytes(t *testing.T) {
	s := private(t)
	r, err := s.Replicate(t.Context(), s.Prefix+"first")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	const at = "1795364859063" // any time of 13 digits
	for _, c := range []struct {
		script string
		want   int64
	}{
		{"return redis.call('EXISTS', KEYS[1])", 0},
		{"return redis.call('SET', KEYS[1], '17')", onTheWire("SET", "k", "17")},
		{"redis.call('INCR', KEYS[1]) return redis.call('PEXPIRE', KEYS[1], 60000)",
			onTheWire("MULTI") + onTheWire("INCR", "k") + onTheWire("PEXPIREAT", "k", at) + onTheWire("EXEC")},
		{"return redis.call('SET', KEYS[1], '5', 'PX', 60000)", onTheWire("SET", "k", "5", "PXAT", at)},
	} {
		before, err := r.Bytes(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			if err := s.Client.Eval(t.Context(), c.script, []string{"k"}).Err(); err != nil {
				t.Fatal(err)
			}
		}
		after, err := r.Bytes(t.Context())
		if err != nil || after-before != 10*c.want {
			t.Errorf("%s: %d bytes in 10 calls, %v; want %d", c.script, after-before, err, 10*c.want)
		}
	}
}
