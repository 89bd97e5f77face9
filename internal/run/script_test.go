package run_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/replay"
)

// A fixed window as people write it, with its own idea of keys, arguments and replies.
const (
	classic = `
local n = redis.call('INCRBY', KEYS[1], ARGV[2])
if n == tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
if n > tonumber(ARGV[1]) then return {'no', redis.call('PTTL', KEYS[1])} end
return {'yes', 0}`
	classicBinding = `
keys: ["count:{key}"]
args: ["{limit}", "{cost}", "{window_ms}"]
element: 1
admitted: ["yes"]
rejected: ["no"]
retry_after: {element: 2, unit: ms}
`
)

// A user's own script is a row after the others, with the decisions of the algorithm that it is, on every server;
// the scenario may expect something of it.
func TestAUsersScriptIsARowBesideTheOthers(t *testing.T) {
	file := scriptFile(t, "classic", classic, classicBinding)
	s := written(t, `name: three-windows
question: Does a script of one's own decide as the one that it copies?
limit: {requests: 10, per: 1s}
keys: {count: 3}
phases:
  - {name: rush, duration: 3s, constant: 300}
expect:
  - {algorithm: classic, admitted: {min: 1}, offered: 300}
`)
	redistest.Each(t, func(t *testing.T, server *redis.Server) {
		j := job(s)
		j.Algorithms, j.Scripts = choices(t, "fixed-window"), files(file)
		r := runOn(t, j, server).Document.Runs[0]
		if got := strings.Join(labelsOf(r), " "); got != "fixed-window classic" {
			t.Errorf("rows %s", got)
		}
		// The built-in one does not count what it rejects; with a cost of 1 that makes no difference.
		theirs, ours := rowOf(t, r, "classic"), rowOf(t, r, "fixed-window")
		if theirs.Result != ours.Result || theirs.Rejected == 0 {
			t.Errorf("the script decides %+v; fixed-window %+v", theirs.Result, ours.Result)
		}
		if got := verdicts(r); got != "met met" {
			t.Errorf("expectations: %s", got)
		}
		if n := server.Client.DBSize(t.Context()).Val(); n != 0 {
			t.Errorf("%d keys are left", n)
		}
	})
}

// An init script is called for each key, on trial and in the run.
func TestAUsersInitScriptIsCalledFirst(t *testing.T) {
	file := scriptFile(t, "prepaid", `
local left = redis.call('DECRBY', KEYS[1], ARGV[1])
if left < 0 then return 0 end
return 1`, `
keys: ["{key}:credit"]
args: ["{cost}"]
admitted: [1]
init: {script: charge.lua, keys: ["{key}:credit"], args: ["{burst}"]}
`)
	addFile(t, file, "charge.lua", `return redis.call('SET', KEYS[1], ARGV[1])`)
	j := job(evenly(t, "steady", 30, "keys: {count: 2}\n"))
	j.Server, j.Algorithms, j.Scripts = redis.KindEmbedded, choices(t, "none"), files(file)
	r := rowOf(t, run(t, j).Document.Runs[0], "prepaid")
	if r.Admitted != 20 || *r.KeysWithoutTTL != 2 {
		t.Errorf("admitted %d, %d keys without a TTL; want 10 for each of 2 keys, which have none", r.Admitted,
			*r.KeysWithoutTTL)
	}
}

// A script is tried before anything is decided; what is wrong with it is bad input, told in one line that names its
// file, and there is no result.
func TestScriptsAreTriedFirst(t *testing.T) {
	const plain = "keys: [\"k:{key}\"]\nadmitted: [1]\n"
	for _, test := range []struct{ name, source, want string }{
		{"syntax", "return (", "broken.lua: the script does not compile: "},
		{"unclosed", "if true then return 1", "broken.lua: the script does not compile: "},
		{"run-time", "return redis.call('INCR', KEYS[1]) + nil",
			`broken.lua: request at 0µs, key "k0", cost 1: `},
		{"nonsense", "return {'perhaps'}", `broken.lua: request at 0µs, key "k0", cost 1: `},
		{"nonsense later", "local n = redis.call('INCR', KEYS[1]) if n == 3 then return 'three' end return 1",
			`broken.lua: request at 200000µs, key "k0", cost 1: `},
		{"unknown command", "return redis.call('FLUSHALL')", "FLUSHALL"},
		{"another key", "return redis.call('SET', 'theirs', 1) and 1", "theirs"},
		{"the server's own call", "return _G.redis.call('TIME')", "_G reaches the server's own redis.call"},
	} {
		for _, server := range kinds(t) {
			t.Run(test.name+"/"+server, func(t *testing.T) {
				t.Parallel() // it waits for servers
				j := job(evenly(t, "steady", 10, ""))
				j.Server, j.Scripts = server, files(scriptFile(t, "broken", test.source, plain))
				result, err := j.Run(t.Context())
				var bad *replay.InputError
				if !errors.As(err, &bad) || result != nil || strings.Contains(err.Error(), "\n") {
					t.Fatalf("result %v, error %v; want an *replay.InputError of one line", result, err)
				}
				if !strings.Contains(err.Error(), test.want) {
					t.Errorf("error %q; want %q in it", err, test.want)
				}
			})
		}
	}
}

// A trace that breaks off within the trial is the trace's fault, not the script's.
func TestAGarbledTraceIsNotTheScriptsFault(t *testing.T) {
	file := scriptFile(t, "fine", "return redis.call('INCR', KEYS[1])", "keys: [\"k:{key}\"]\nadmitted: \"> 0\"\n")
	addFile(t, file, "garbled.csv", "at,who\n1700000000000,k1\nyesterday,k1\n")
	s := evenly(t, "traced", 1, "")
	s.Phases = traceOf(filepath.Join(filepath.Dir(file), "garbled.csv"))
	j := job(s)
	j.Server, j.Scripts = redis.KindEmbedded, files(file)
	_, err := j.Run(t.Context())
	var bad *replay.InputError
	if !errors.As(err, &bad) || !strings.Contains(err.Error(), "garbled.csv:3: ") ||
		strings.Contains(err.Error(), "trial") {
		t.Errorf("error %v", err)
	}
}

// kinds are the servers of our own that there are on every machine, and a process where there is one.
func kinds(t *testing.T) []string {
	all := []string{redis.KindEmbedded}
	if s, err := redis.Start(t.Context(), redis.KindProcess); err == nil {
		s.Close()
		all = append(all, redis.KindProcess)
	}
	return all
}

// A script that loops after a write ends its trial, and the private server with it: at once, without waiting for the
// script. The clock of this job says that the time is up as soon as anybody sleeps.
func TestAScriptThatLoopsIsGivenUp(t *testing.T) {
	redistest.Private(t) // or skip
	j := job(evenly(t, "steady", 10, ""))
	j.Server, j.Clock.Sleep = redis.KindProcess, func(context.Context, time.Duration) error { return nil }
	j.Scripts = files(scriptFile(t, "endless", "redis.call('SET', KEYS[1], 1) while true do end",
		"keys: [\"k:{key}\"]\nadmitted: [1]\n"))
	result, err := j.Run(t.Context())
	var bad *replay.InputError
	if !errors.As(err, &bad) || result != nil ||
		!strings.HasSuffix(err.Error(),
			"endless.lua: no answer to 10 requests within 5s: the script loops, or is far too slow") {
		t.Errorf("result %v, error %v", result, err)
	}
}

// A script that failed its request in the middle of a run, long after the trial, is named with the request.
func TestAScriptThatFailsLaterEndsTheRun(t *testing.T) {
	file := scriptFile(t, "late", "if redis.call('INCR', KEYS[1]) == 150 then error('too many') end return 1",
		"keys: [\"k:{key}\"]\nadmitted: [1]\n")
	j := job(evenly(t, "steady", 200, ""))
	j.Server, j.Scripts = redis.KindEmbedded, files(file)
	_, err := j.Run(t.Context())
	var bad *replay.InputError
	if !errors.As(err, &bad) ||
		!strings.Contains(err.Error(), `late.lua: request at 745000µs, key "k0", cost 1: `) {
		t.Errorf("error %v", err)
	}
}
