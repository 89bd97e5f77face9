package redis

import (
	"context"
	"fmt"
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

	runID    string // the server's random name for its run
	received int64  // bytes on all connections
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
	const bytes = "total_net_input_bytes"
	bad := func(name string) (Stats, error) {
		return Stats{}, s.target.replied(message.Quote(name+":"+fields[name]), "INFO")
	}
	read := Stats{Known: true, runID: fields["run_id"]}
	if read.received, err = strconv.ParseInt(fields[bytes], 10, 64); err != nil {
		return bad(bytes)
	}
	for _, command := range []string{"evalsha", "eval", "evalsha_ro", "eval_ro"} {
		name := "cmdstat_" + command
		text, called := fields[name]
		if !called {
			continue
		}
		var calls, usec int64
		if _, err := fmt.Sscanf(text, "calls=%d,usec=%d,", &calls, &usec); err != nil {
			return bad(name)
		}
		read.EvalCalls += calls
		read.EvalUsec += usec
	}
	return read, nil
}

// Since is what happened between before and after.
func (after Stats) Since(before Stats) Stats {
	lost := after.runID != before.runID || after.received < before.received // as after CONFIG RESETSTAT
	if !after.Known || !before.Known || lost {
		return Stats{}
	}
	return Stats{Known: true, EvalCalls: after.EvalCalls - before.EvalCalls, EvalUsec: after.EvalUsec - before.EvalUsec}
}
