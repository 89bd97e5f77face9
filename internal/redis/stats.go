package redis

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	goredis "github.com/redis/go-redis/v9"

	"ratelab/internal/message"
)

// info reads sections of INFO: its name:value lines.
func info(ctx context.Context, c goredis.Cmdable, sections ...string) (map[string]string, error) {
	text, err := c.Info(ctx, sections...).Result()
	return infoFields(text), err
}

func infoFields(text string) map[string]string {
	fields := make(map[string]string)
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		fields[name] = value
	}
	return fields
}

// MaxmemoryPolicy is what the server does when its memory is full, such as noeviction or allkeys-lru: a server that
// evicts keys forgets decisions. "" is one that does not say: the embedded server, or a user who may not ask.
func (s *Server) MaxmemoryPolicy(ctx context.Context) string {
	fields, _ := info(ctx, s.Client, "memory")
	return fields["maxmemory_policy"]
}

// Stats is what a server counts of its own work, since its start or over a span. Its figures separate algorithms
// several times better than a client's latencies do, but they are the whole server's: only one that nobody else uses
// gives figures of a run.
type Stats struct {
	Known bool // false: the server keeps no statistics, or restarted or lost its counts meanwhile; all else is zero

	// EvalCalls are the calls of scripts: EVALSHA, EVAL and their read-only forms, with or without success. EvalUsec
	// is the time that the server spent in them.
	//
	// A script's time includes that of the commands which it calls: 20 scripts with two cheap commands each and one
	// that calls LRANGE three times for 650,633 µs took 663,576 µs of EVALSHA together, on Redis 7.0.15; 8.0.2 and
	// Valkey 8.1.1 nest the same way. So nothing must be added to it. It includes neither reading the request nor
	// writing the reply.
	EvalCalls, EvalUsec int64
	EvictedKeys         int64
	Calls               map[string]int64 // of commands, by lower-case name; those inside scripts count too

	runID    string // the server's random name for its run
	received int64  // bytes on all connections
	lost     bool
}

// Stats reads the statistics of the server. On the embedded one, which keeps none, it asks nothing and answers Stats
// that are not Known. Errors are worded by Explain.
func (s *Server) Stats(ctx context.Context) (Stats, error) {
	if s.Kind == KindEmbedded {
		return Stats{}, nil
	}
	fields, err := info(ctx, s.Client, "server", "stats", "commandstats")
	if err != nil {
		return Stats{}, Explain(err, s)
	}
	read := Stats{Known: true, runID: fields["run_id"], Calls: map[string]int64{}}
	for name, field := range map[string]*int64{"evicted_keys": &read.EvictedKeys,
		"total_net_input_bytes": &read.received} {
		if *field, err = strconv.ParseInt(fields[name], 10, 64); err != nil {
			return Stats{}, s.target.unavailable("INFO lacks a number for %s; want Redis 7.0 or later, or Valkey", name)
		}
	}
	for name, text := range fields {
		command, isCommand := strings.CutPrefix(name, "cmdstat_")
		if !isCommand {
			continue
		}
		var calls, usec int64
		if _, err := fmt.Sscanf(text, "calls=%d,usec=%d,", &calls, &usec); err != nil {
			return Stats{}, s.target.unavailable("INFO has %s; want calls=NUMBER,usec=NUMBER,…",
				message.Quote(name+":"+text))
		}
		read.Calls[strings.ToLower(command)] = calls
		if slices.Contains(scriptCalls, command) {
			read.EvalCalls += calls
			read.EvalUsec += usec
		}
	}
	return read, nil
}

// scriptCalls are the commands that run a script.
var scriptCalls = []string{"evalsha", "eval", "evalsha_ro", "eval_ro"}

// Since is what happened between before and after.
func (after Stats) Since(before Stats) Stats {
	lost := after.runID != before.runID || after.received < before.received // as after CONFIG RESETSTAT
	if !after.Known || !before.Known || lost {
		return Stats{lost: lost}
	}
	calls := maps.Clone(after.Calls)
	for name, n := range before.Calls {
		calls[name] -= n
	}
	maps.DeleteFunc(calls, func(_ string, n int64) bool { return n == 0 })
	return Stats{Known: true, EvalCalls: after.EvalCalls - before.EvalCalls, EvalUsec: after.EvalUsec - before.EvalUsec,
		EvictedKeys: after.EvictedKeys - before.EvictedKeys, Calls: calls}
}

// Add joins what the server did in another span. It is not known where one of them was lost.
func (after *Stats) Add(o Stats) {
	if after.lost || o.lost {
		*after = Stats{lost: true}
		return
	}
	after.Known = after.Known || o.Known
	after.EvalCalls += o.EvalCalls
	after.EvalUsec += o.EvalUsec
	after.EvictedKeys += o.EvictedKeys
	after.Calls = maps.Clone(after.Calls)
	for name, n := range o.Calls {
		if after.Calls == nil {
			after.Calls = map[string]int64{}
		}
		after.Calls[name] += n
	}
}

// UsecPerDecision is the server's time in a script, in µs per call, parts of it included; 0 where none was called.
func (after Stats) UsecPerDecision() float64 {
	return float64(after.EvalUsec) / float64(max(1, after.EvalCalls))
}
