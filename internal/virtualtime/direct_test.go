package virtualtime_test

import (
	"strconv"
	"strings"
	"testing"

	"ratelab/internal/limit"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/resp"
)

// Answers are the same if their elements are added one by one to the list of all answers, and if each answer is a
// table. If a script may return anything but a list, its answers are always tables.
func TestAnswersAreTheSameOneByOne(t *testing.T) {
	values := []string{"0", "1", "-7", "2.9", "'text'", "''", "'3'", "nil", "true", "false", "{}",
		"{{1}, 'a'}", "{nil}", "{ok = 'fine'}", "{err = 'ERR bad'}", "redis.status_reply('FINE')",
		"redis.call('SET', KEYS[1], 1)", "(redis.call('GET', KEYS[1]))", "1/0"}
	var lists []string
	for i, v := range values {
		next := values[(i+1)%len(values)]
		lists = append(lists, v+", 1, 2", "1, "+v+", 2", "0, 5, "+v+"", v+", "+next+", 1", "{"+v+"}, 1, 1")
	}
	var one, other strings.Builder
	for _, head := range []*strings.Builder{&one, &other} {
		head.WriteString("local n = tonumber(ARGV[1])\n")
	}
	for i, list := range lists {
		if strings.HasSuffix(list, ")") {
			list += ", 0"
		}
		condition := "if n == " + strconv.Itoa(i) + " then return {" + list + "} end\n"
		one.WriteString(condition)
		other.WriteString(condition)
	}
	one.WriteString("return {1, 1, 1}")
	other.WriteString("return 1")
	redistest.Each(t, func(t *testing.T, s *redis.Server) {
		for _, foreign := range []bool{false, true} {
			for _, batch := range []int{1, 7, 4096} {
				ask := func(source string) []string {
					it := setup{source: source, args: []string{"{cost}"}, batch: batch, foreign: foreign}
					var requests []limit.Request
					for i := range lists {
						requests = append(requests, limit.Request{AtUS: int64(i), Key: "k", Cost: int64(i)})
					}
					out, err := replies(t, s, it, requests...)
					if err != nil {
						t.Fatal(err)
					}
					return out
				}
				got, want := ask(one.String()), ask(other.String())
				for i := range want {
					if got[i] != want[i] {
						t.Errorf("foreign %t, batch %d: {%s} is %s, want %s", foreign, batch, lists[i], got[i], want[i])
					}
				}
			}
		}
	})
}

// The answers before an error are kept. The error has the right line.
func TestAnErrorEndsAnswersOneByOne(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		seen := 0
		r, err := newRunner(t, s, setup{args: []string{"{cost}"},
			source: "local n = tonumber(ARGV[1])\nif n == 3 then n = nil + 1 end\nreturn {1, n}"},
			func(reply resp.Value) { seen++ })
		if err != nil {
			t.Fatal(err)
		}
		var requests []limit.Request
		for i := range 5 {
			requests = append(requests, limit.Request{Key: "k", Cost: int64(i)})
		}
		err = r.Decide(t.Context(), requests, make([]limit.Decision, 5))
		if err == nil || !strings.Contains(err.Error(), "user_script:2:") || seen != 3 {
			t.Errorf("after %d answers: %v; want 3, and an error on line 2", seen, err)
		}
		if err := r.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
