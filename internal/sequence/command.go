package sequence

import (
	"slices"
	"strconv"
	"time"

	"ratelab/internal/resp"
)

// Command is one command of a client: its words, and its effect on a store.
type Command struct {
	Name, Key string
	script    string   // of an EVAL
	rest      []string // the words after the key

	// run changes the key's value and returns the reply, at nowMS since 1970.
	run func(held *value, nowMS int64) resp.Value
}

// Words returns the words of the command as it is sent. prefix is put before its key.
func (c Command) Words(prefix string) []string {
	words := []string{c.Name, prefix + c.Key}
	if c.script != "" {
		words = []string{c.Name, c.script, "1", prefix + c.Key}
	}
	return append(words, c.rest...)
}

func get(key string) Command {
	return Command{Name: "GET", Key: key, run: func(held *value, _ int64) resp.Value { return text(held.text) }}
}

// setIfAbsent takes a lock with a TTL of ms.
func setIfAbsent(key, content string, ms int64) Command {
	run := func(held *value, nowMS int64) resp.Value {
		if held.there() {
			return resp.Value{}
		}
		*held = value{text: content, deadline: nowMS + ms}
		return text("OK")
	}
	return Command{Name: "SET", Key: key, rest: []string{content, "NX", "PX", decimal(ms)}, run: run}
}

func incrementBy(key string, tokens int64) Command {
	run := func(held *value, _ int64) resp.Value {
		sum := number(held.text) + tokens
		held.text = decimal(sum)
		return integer(sum)
	}
	return Command{Name: "INCRBY", Key: key, rest: []string{decimal(tokens)}, run: run}
}

func expire(key string, ms int64) Command {
	run := func(held *value, nowMS int64) resp.Value {
		held.deadline = nowMS + ms
		return truth(held.there())
	}
	return Command{Name: "PEXPIRE", Key: key, rest: []string{decimal(ms)}, run: run}
}

// compareAndDelete is the script that releases a lock only if the client still holds it. No plain command can do this.
// Source: https://redis.io/docs/latest/develop/use/patterns/distributed-locks/
func compareAndDelete(key, content string) Command {
	const script = "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end return redis.call('DEL', KEYS[1])"
	run := func(held *value, _ int64) resp.Value {
		same := held.text == content
		if same {
			*held = value{}
		}
		return truth(same)
	}
	return Command{Name: "EVAL", script: script, Key: key, rest: []string{content}, run: run}
}

func pushLeft(key, element string, times int64) Command {
	elements := slices.Repeat([]string{element}, int(times))
	return Command{Name: "LPUSH", Key: key, rest: elements, run: func(held *value, _ int64) resp.Value {
		held.list = append(held.list, elements...)
		return integer(held.length())
	}}
}

func length(key string) Command {
	return Command{Name: "LLEN", Key: key, run: func(held *value, _ int64) resp.Value { return integer(held.length()) }}
}

// trim drops the newest elements. A positive from is their number. A negative from keeps the oldest -from elements.
// dropped gets the dropped elements, and the list's length before the command.
func trim(key string, from int64, dropped func(elements []string, length int64)) Command {
	run := func(held *value, _ int64) resp.Value {
		before := held.length()
		stay := max(0, before-from)
		if from < 0 {
			stay = min(before, -from)
		}
		dropped(held.list[stay:], before)
		held.list = held.list[:stay]
		return text("OK")
	}
	return Command{Name: "LTRIM", Key: key, rest: []string{decimal(from), "-1"}, run: run}
}

func popRight(key string) Command {
	return Command{Name: "RPOP", Key: key, run: func(held *value, _ int64) resp.Value {
		oldest := held.list[0] // the worker skips empty lists
		held.list = held.list[1:]
		return text(oldest)
	}}
}

// pushAndTrim is a script that pushes elements, and drops those beyond the limit before other clients see them. It
// replies with the queue's length before the trim.
func pushAndTrim(key, element string, times, most int64, dropped func(elements []string, length int64)) Command {
	const script = "local length = redis.call('LPUSH', KEYS[1], unpack(ARGV, 2)) " +
		"if length > tonumber(ARGV[1]) then redis.call('LTRIM', KEYS[1], '-' .. ARGV[1], '-1') end return length"
	push, cut := pushLeft(key, element, times), trim(key, -most, dropped)
	run := func(held *value, nowMS int64) resp.Value {
		length := push.run(held, nowMS)
		cut.run(held, nowMS)
		return length
	}
	rest := append([]string{decimal(most)}, push.rest...)
	return Command{Name: "EVAL", script: script, Key: key, rest: rest, run: run}
}

// text returns a reply with a text. An empty text becomes nil.
func text(s string) resp.Value {
	if s == "" {
		return resp.Value{}
	}
	return resp.Value{Kind: resp.String, Text: s}
}

func integer(n int64) resp.Value { return resp.Value{Kind: resp.Int, Int: n} }

func truth(is bool) resp.Value {
	if is {
		return integer(1)
	}
	return integer(0)
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// number returns a counter's value, or 0 if the counter is absent. Only INCRBY writes it.
func number(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}

// store is a model of Redis with these commands. Its clock is an argument. A key's deadline is in whole milliseconds:
// the key is alive while the clock, rounded down, is at most the deadline. A later command deletes it. After the clock
// steps back, a key that no command has touched lives longer.
type store map[string]value

type value struct {
	text     string
	list     []string // the oldest first
	deadline int64    // ms since 1970; 0: none
}

// there reports whether the key exists. Redis deletes empty lists.
func (v *value) there() bool { return v.text != "" || len(v.list) > 0 }

func (v *value) length() int64 { return int64(len(v.list)) }

// length returns the number of elements in a list. Lists have no deadlines.
func (s store) length(key string) int64 { return int64(len(s[key].list)) }

// do runs one command at nowUS, in microseconds since 1970, and returns its reply.
func (s store) do(nowUS int64, c Command) resp.Value {
	nowMS := milliseconds(nowUS)
	held := s[c.Key]
	if held.deadline != 0 && held.deadline < nowMS {
		held = value{}
	}
	reply := c.run(&held, nowMS)
	if s[c.Key] = held; !held.there() {
		delete(s, c.Key)
	}
	return reply
}

// fork returns a store with a copy of one key of s.
func (s store) fork(key string) store {
	held := s[key]
	held.list = slices.Clone(held.list) // a push must not change the list of s
	return store{key: held}
}

// left counts the keys that are alive at nowUS, and how many of these have no deadline.
func (s store) left(nowUS int64) (keys, withoutTTL int64) {
	for _, held := range s {
		switch {
		case held.deadline == 0:
			keys, withoutTTL = keys+1, withoutTTL+1
		case held.deadline >= milliseconds(nowUS):
			keys++
		}
	}
	return keys, withoutTTL
}

// milliseconds returns the clock for comparisons with deadlines: us rounded down.
func milliseconds(us int64) int64 { return time.UnixMicro(us).UnixMilli() }
