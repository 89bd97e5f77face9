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
const ()

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
