package virtualtime_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"ratelab/internal/longtest"
	"ratelab/internal/redis/redistest"
)

// lives has commands with which a key K gets, keeps, changes or loses a deadline, in all possible ways. Each entry has
// its own key.
var lives = []string{
	`'SET', K, 'v', 'PX', 7`,
	`'SET', K, 'v', 'px', '7', 'GET'`,
	`'SET', K, 'v', 'NX', 'PX', 7`,
	`'SET', K, 'v', 'PXAT', now + 7`,
	`'SET', K, 'v', 'EX', 1`,
	`'SET', K, 'v', 'EXAT', math.floor(now / 1000) + 1`,
	`'SET', K, 'v', 'PXAT', now`,
	`'SET', K, 'v', 'PXAT', now - 1`,
	`'SET', K, 'v', 'PX', 7 ; 'SET', K, 'w'`,
	`'SET', K, 'v', 'PX', 7 ; 'SET', K, 'w', 'KEEPTTL'`,
	`'SET', K, 'v', 'PX', 7 ; 'SET', K, 'w', 'XX', 'PX', 11`,
	`'SET', K, 'v', 'PX', 7 ; 'SET', K, 'w', 'NX', 'PX', 11`,
	`'SET', K, 'v', 'PX', 7 ; 'APPEND', K, 'w'`,
	`'SET', K, 'v', 'PX', 7 ; 'GETSET', K, 'w'`,
	`'SET', K, 'v', 'PX', 7 ; 'PERSIST', K ; 'PERSIST', K`,
	`'SET', K, 'v', 'PX', 7 ; 'GETEX', K, 'PERSIST'`,
	`'SET', K, 'v', 'PX', 7 ; 'GETEX', K`,
	`'SET', K, 'v' ; 'GETEX', K, 'PX', 9`,
	`'SET', K, 'v' ; 'GETEX', K, 'PXAT', now + 9`,
	`'SET', K, 'v' ; 'GETEX', K, 'PXAT', now ; 'EXISTS', K`,
	`'SET', K, 'v' ; 'GETEX', K, 'EXAT', math.floor(now / 1000) - 1`,
	`'SET', K, 'v' ; 'GETEX', K, 'EX', 1`,
	`'GETEX', K, 'PX', 9`,
	`'SETEX', K, 1, 'v'`,
	`'PSETEX', K, '7', 'v'`,
	`'INCR', K ; 'PEXPIRE', K, 7 ; 'INCR', K`,
	`'INCR', K ; 'EXPIRE', K, '1'`,
	`'INCR', K ; 'PEXPIREAT', K, now + 7`,
	`'INCR', K ; 'EXPIREAT', K, math.floor(now / 1000) + 1`,
	`'INCR', K ; 'PEXPIRE', K, 0 ; 'PEXPIRE', K, 7`,
	`'INCR', K ; 'EXPIRE', K, -1`,
	`'INCR', K ; 'PEXPIREAT', K, now`,
	`'INCR', K ; 'PEXPIREAT', K, now + 1`,
	`'INCR', K ; 'EXPIREAT', K, math.floor(now / 1000)`,
	`'EXPIRE', K, 1`,
	`'INCR', K ; 'PEXPIRE', K, 7, 'XX' ; 'PEXPIRE', K, 7, 'NX' ; 'PEXPIRE', K, 9, 'NX'`,
	`'INCR', K ; 'PEXPIRE', K, 7 ; 'PEXPIRE', K, 7, 'GT' ; 'PEXPIRE', K, 9, 'gt' ; 'PEXPIRE', K, 5, 'GT'`,
	`'INCR', K ; 'PEXPIRE', K, 7 ; 'PEXPIRE', K, 7, 'LT' ; 'PEXPIRE', K, 5, 'lt' ; 'PEXPIRE', K, 9, 'LT'`,
	`'INCR', K ; 'PEXPIRE', K, 7, 'GT' ; 'PEXPIRE', K, 7, 'LT'`,
	`'INCR', K ; 'PEXPIRE', K, 7 ; 'PEXPIRE', K, 9, 'XX', 'GT' ; 'PEXPIRE', K, 11, 'XX', 'LT'`,
	`'INCR', K ; 'PEXPIRE', K, 7 ; 'PEXPIRE', K, -1, 'LT'`,
	`'RPUSH', K, 'a' ; 'PEXPIRE', K, 7 ; 'LPOP', K ; 'RPUSH', K, 'b'`,
	`'RPUSH', K, 'a', 'b' ; 'PEXPIRE', K, 7 ; 'LPOP', K ; 'RPUSH', K, 'b'`,
	`'SET', K .. 'x', 'v', 'PX', 7 ; 'RENAME', K .. 'x', K`,
	`'SET', K, 'v', 'PX', 5 ; 'SET', K .. 'x', 'v', 'PX', 9 ; 'RENAME', K .. 'x', K`,
	`'SET', K, 'v', 'PX', 5 ; 'SET', K .. 'x', 'v' ; 'RENAME', K .. 'x', K`,
	`'SET', K .. 'x', 'v', 'PX', 7 ; 'COPY', K .. 'x', K`,
	`'SADD', K .. 'x', 'v' ; 'SADD', K, 'w' ; 'PEXPIRE', K, 7 ; 'SUNIONSTORE', K, K .. 'x'`,
	`'ZADD', K, 1, 'm' ; 'PEXPIRE', K, 7 ; 'ZUNIONSTORE', K, 1, K`,
}

// lifeStory returns a story with two steps. The first step runs the commands of all lives. The second step reads all
// keys.
func lifeStory() story {
	s := story{steps: make([][]string, 2)}
	for i, life := range lives {
		key := fmt.Sprintf("K .. ':%d:'", i)
		for command := range strings.SplitSeq(life, " ; ") {
			s.steps[0] = append(s.steps[0], regexp.MustCompile(`\bK\b`).ReplaceAllString(command, key))
		}
		for _, look := range []string{"EXISTS", "PTTL", "TTL", "PEXPIRETIME", "EXPIRETIME"} {
			s.steps[1] = append(s.steps[1], fmt.Sprintf("'%s', %s", look, key))
		}
	}
	return s
}

// The oracle is real time: the test reads keys on a real server for 1.6 s. In virtual time, the replies must be the
// same at the same milliseconds, up to the last one at which a key is alive. The test waits for no exact time, because
// the server returns the millisecond of each reply.
func TestKeysLiveAndDieAsInRealTime(t *testing.T) {
	server := redistest.Private(t)
	s := lifeStory()
	var watched []answer
	key := ""
	for try, ok := 0, false; !ok; try++ { // until the first step fits into one millisecond
		if try == 1000 {
			t.Skip("the machine is too busy: the first step always took more than a millisecond")
		}
		var first answer
		key = fmt.Sprintf("native%d", try)
		first, ok = s.native(t, server, key, 1)
		watched = []answer{first}
	}
	for end := watched[0].nowMS + 1600; ; {
		one, ok := s.native(t, server, key, 2)
		if ok {
			watched = append(watched, one)
		}
		if one.nowMS > end {
			break
		}
		time.Sleep(time.Duration(longtest.Of(0, 400)) * time.Microsecond) // two reads per millisecond are enough
	}
	got := s.virtual(t, server, setup{}, "virtual", watched)
	compareLives(t, watched, got)
	if !strings.Contains(join(watched), "\n1\n0\n") {
		t.Log("no key was read in its last millisecond")
	}
}

func join(all []answer) string {
	var b strings.Builder
	for _, one := range all {
		b.WriteString(one.text + "\n")
	}
	return b.String()
}

// compareLives reports the first step at which real and virtual time differ, with each life that differs.
func compareLives(t *testing.T, watched []answer, got []string) {
	t.Helper()
	for i, one := range watched {
		if got[i] == one.text {
			continue
		}
		real, virtual := strings.Split(one.text, "\n"), strings.Split(got[i], "\n")
		for j := range real {
			if real[j] == virtual[j] {
				continue
			}
			what := "in the first step, command " + fmt.Sprint(j)
			if one.step == 2 {
				what = fmt.Sprintf("%s: %s", lives[j/5],
					[]string{"EXISTS", "PTTL", "TTL", "PEXPIRETIME", "EXPIRETIME"}[j%5])
			}
			t.Errorf("after %d ms, %s: %s in real time, %s in virtual time", one.nowMS-watched[0].nowMS, what, real[j],
				virtual[j])
		}
		return
	}
}

// numbers has valid and invalid TTL arguments, of each Lua type.
var numbers = []string{
	`'10'`, `10`, `10.5`, `'10.5'`, `1e3`, `'1e3'`, `'0x10'`, `' 5'`, `'5 '`, `'+5'`, `'05'`, `'-0'`, `-0.4 + 0.4 - 0`,
	`math.ceil(-0.5)`,
	`0`, `'0'`, `-1`, `'-1'`, `''`, `'abc'`, `'9223372036854775808'`, `'-9223372036854775809'`, `1e17`, `math.huge`,
	`-math.huge`, `0 / 0`,
	`true`, `{}`, `nil`,
}

// Each TTL argument is accepted or refused as in real time, with the server's error.
func TestExpiryArgumentsAreReadAsStrictlyAsByRedis(t *testing.T) {
	server := redistest.Private(t)
	for _, form := range []string{
		`'SET', K, 'v', 'EX', %s`, `'SET', K, 'v', 'PX', %s`, `'SET', K, 'v', 'EX', %s, 'NX'`,
		`'SET', K, 'v', 'EX', %s, 'BAD'`,
		`'SETEX', K, %s, 'v'`, `'PSETEX', K, %s, 'v'`, `'GETEX', K, 'EX', %s`, `'GETEX', K .. 'none', 'EX', %s`,
		`'EXPIRE', K, %s`, `'PEXPIRE', K, %s`, `'EXPIRE', K, %s, 'XX'`, `'EXPIRE', K, %s, 'BAD'`,
		`'EXPIRE', K, %s, 'GT', 'LT'`,
		`'EXPIRE', K, %s, 'NX', 'XX'`, `'EXPIREAT', K, %s`, `'EXPIRE', K .. 'none', %s`,
	} {
		s := story{}
		for _, number := range numbers {
			s.steps = append(s.steps, []string{`'SET', K, 'old', 'PX', 70000`, fmt.Sprintf(form, number), `'TTL', K`,
				`'GET', K`})
		}
		native, err := s.nativeAll(t, server, "native")
		if err != nil {
			t.Fatal(err)
		}
		var steps []answer
		for i := range s.steps {
			steps = append(steps, answer{midnight / 1000, i + 1, ""})
		}
		for i, got := range s.virtual(t, server, setup{}, "virtual", steps) {
			if got != native[i] {
				t.Errorf("%s with %s:\n%s\nin virtual time, in real time\n%s", form, numbers[i], got, native[i])
			}
		}
	}
}
