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

// story is a script with several steps, which can run in real time and in virtual time. The request's cost is the
// number of the step. Each step is a list of commands, such as `'SET', K, 'v', 'PX', now + 5`. Its answer is a text
// with the replies of all commands.
type story struct{ steps [][]string }

// storyHead has the variables and functions that the steps may use. show returns a reply as text, which is the same on
// all servers. The variable now is the clock in ms.
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

// virtualClock and nativeClock set now. nativeClock reads a deadline that was just set, because in Redis 7.0 TIME and
// TTLs differ by the time that the script has run.
const (
	virtualClock = "local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000)\n"
	nativeClock  = "local function real() redis.call('SET', 'probe', '', 'PX', 100000) return " +
		"redis.call('PEXPIRETIME', 'probe') - 100000 end\n" +
		"local now = real()\n"
	oneStep = "steps[tonumber(ARGV[1])]() return table.concat(out, '\\n')"
)

// answer is a step with its time, in ms since 1970, and its replies.
type answer struct {
	nowMS int64
	step  int
	text  string
}

// native runs one step in real time. ok is false if a millisecond ended during the step, because then the time of the
// replies is unknown.
func (s story) native(t testing.TB, server *redis.Server, key string, step int) (one answer, ok bool) {
	t.Helper()
	source := s.source(nativeClock, "steps[tonumber(ARGV[1])]() return {now, table.concat(out, '\\n'), real()}")
	// The server decides whether a key is alive by the time at which the script began. This time is unknown. It lies
	// between the reply to TIME before the script and the time in the script.
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

// nativeAll runs all steps in one script, in real time, and returns their replies.
func (s story) nativeAll(t testing.TB, server *redis.Server, key string) ([]string, error) {
	t.Helper()
	source := s.source(nativeClock,
		"local all = {} for i = 1, #steps do steps[i]() all[i] = table.concat(out, '\\n') out = {} end return all")
	return server.Client.Eval(t.Context(), source, []string{key}).StringSlice()
}

// virtual runs the steps at the given virtual times, and returns their replies.
func (s story) virtual(t testing.TB, server *redis.Server, it setup, key string, steps []answer) []string {
	t.Helper()
	out, err := s.tell(t, server, it, key, steps)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// tell is like virtual, but returns the error if a step ends the run.
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
