package virtualtime_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"ratelab/internal/limit"
	"ratelab/internal/redis"
	"ratelab/internal/resp"
)

// story is a script of several steps, which can be told natively and in virtual time: the request's cost is the
// number of the step. Each step is a list of commands, such as `'SET', K, 'v', 'PX', now + 5`, and answers all their
// replies as one text.
type story struct{ steps [][]string }

// storyHead is what the steps may use. show writes any reply the same way everywhere. now is the clock in ms.
const storyHead = `
local K = KEYS[1]
local function show(v)
  if type(v) == 'string' then return '"' .. v .. '"' end
  if type(v) == 'number' then return string.format('%.0f', v) end
  if type(v) ~= 'table' then return tostring(v) end
  if v.err then return 'error ' .. v.err end
  if v.ok then return v.ok end
  local items = {}
  for i = 1, #v do items[i] = show(v[i]) end
  return '[' .. table.concat(items, ' ') .. ']'
end
local out = {}
local function try(...) out[#out + 1] = show(redis.pcall(...)) end
`

func (s story) source(clock, tail string) string {
	var b strings.Builder
	b.WriteString(storyHead + clock + "local steps = {\n")
	for _, step := range s.steps {
		b.WriteString("function()")
		for _, command := range step {
			fmt.Fprintf(&b, " try(%s)", command)
		}
		b.WriteString(" end,\n")
	}
	b.WriteString("}\n" + tail)
	return b.String()
}

// The clocks: natively from a deadline that has just been set, because TIME and TTLs differ by what the script
// itself takes on 7.0.
const (
	virtualClock = "local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000)\n"
	nativeClock  = "local function real() redis.call('SET', 'probe', '', 'PX', 100000) return " +
		"redis.call('PEXPIRETIME', 'probe') - 100000 end\n" +
		"local now = real()\n"
	oneStep = "steps[tonumber(ARGV[1])]() return table.concat(out, '\\n')"
)

// answer is one step as it was answer: when, in ms since 1970, and the replies.
type answer struct {
	nowMS int64
	step  int
	text  string
}

// native tells one step in real time. It is not ok where a millisecond ended meanwhile: then one cannot say which
// one the replies belong to.
func (s story) native(t testing.TB, server *redis.Server, key string, step int) (one answer, ok bool) {
	t.Helper()
	source := s.source(nativeClock, "steps[tonumber(ARGV[1])]() return {now, table.concat(out, '\\n'), real()}")
	// Whether a key is alive is judged by the time at which the server began with the script, which it does not tell:
	// it lies between the answer to a TIME before and the script's own.
	pipe := server.Client.Pipeline()
	before, script := pipe.Time(t.Context()), pipe.Eval(t.Context(), source, []string{key}, step)
	if _, err := pipe.Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
	reply, err := script.Slice()
	if err != nil {
		t.Fatal(err)
	}
	return answer{reply[0].(int64), step, reply[1].(string)}, reply[0] == reply[2] &&
		before.Val().UnixMilli() == reply[0]
}

// nativeAll tells all steps in one script, which gives their replies.
func (s story) nativeAll(t testing.TB, server *redis.Server, key string) ([]string, error) {
	t.Helper()
	source := s.source(nativeClock,
		"local all = {} for i = 1, #steps do steps[i]() all[i] = table.concat(out, '\\n') out = {} end return all")
	return server.Client.Eval(t.Context(), source, []string{key}).StringSlice()
}

// virtual tells the steps at the given virtual times.
func (s story) virtual(t testing.TB, server *redis.Server, it setup, key string, steps []answer) []string {
	t.Helper()
	out, err := s.tell(t, server, it, key, steps)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// tell is virtual, for steps at which the run may end.
func (s story) tell(t testing.TB, server *redis.Server, it setup, key string, steps []answer) ([]string, error) {
	t.Helper()
	it.source = s.source(virtualClock, oneStep)
	it.args = []string{"{cost}"}
	requests := make([]limit.Request, len(steps))
	for i, one := range steps {
		requests[i] = limit.Request{AtUS: one.nowMS*1000 - midnight, Key: key, Cost: int64(one.step)}
	}
	var out []string
	r, err := newRunner(t, server, it, func(reply resp.Value) { out = append(out, strings.Clone(reply.Text)) })
	if err != nil {
		t.Fatal(err)
	}
	err = r.Decide(t.Context(), requests, make([]limit.Decision, len(requests)))
	if closing := r.Close(context.WithoutCancel(t.Context())); closing != nil && err == nil {
		t.Fatal(closing)
	}
	return out, err
}
