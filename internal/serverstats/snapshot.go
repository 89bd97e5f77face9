// Package serverstats reads what a Redis server says about its own work: calls and microseconds per command, bytes,
// CPU seconds and evictions over a span. It deletes the keys that a run has left. Its figures separate algorithms
// several times better than a client's latencies do, but they are the whole server's: only one that nobody else uses
// gives figures of a run. It never changes a server's counters. Delete is the only thing that writes, and Replicate, on
// a private server, changes settings.
package serverstats

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"

	"ratelab/internal/redisserver"
)

// Snapshot is one reading of INFO: counts since the server's start, and a few states of that moment. The zero
// Snapshot is of nothing; Known tells.
type Snapshot struct {
	Known bool   // false: the server was not asked, since others use it too or since it keeps no statistics
	RunID string // the server's random name for its run

	Commands map[string]CommandDelta // by lower-case name, subcommands as "script|load"

	NetInBytes, NetOutBytes  int64 // on all client connections
	EvictedKeys, ExpiredKeys int64
	ErrorReplies             int64
	ConnectionsReceived      int64
	ConnectionsRejected      int64   // for want of room: maxclients
	CPUUserSec, CPUSysSec    float64 // of the whole process, its background threads included

	ConnectedClients int64 // now, this one included
	UsedMemoryBytes  int64 // now, by the server's own count
	MaxMemoryBytes   int64 // 0: no limit
	MaxMemoryPolicy  string

	askedBytes, answeredBytes int64 // of this reading itself, on the wire
}

// CommandDelta is what commandstats counts of one command: since the start in a Snapshot, over a span in a Delta.
type CommandDelta struct {
	Calls         int64 // executed; those inside scripts count under their own names
	Usec          int64 // in µs; a script's includes what its commands took, see Delta
	RejectedCalls int64 // refused before execution, as for a wrong number of arguments or want of memory
	FailedCalls   int64 // executed, with an error for an answer
}

// sections are what is read, in one call: a Redis before 7.0 would not take several.
var sections = []string{"server", "clients", "memory", "stats", "cpu", "commandstats"}

// Of reads the statistics of s if they are those of a run alone. On a server that others use too, and on the
// embedded one, which keeps none, it asks nothing and answers a Snapshot that is not Known, so that its figures are
// marked as unavailable. Errors are worded by redisserver.Explain.
func Of(ctx context.Context, s *redisserver.Server) (Snapshot, error) {
	if !s.Own || s.Kind == redisserver.KindEmbedded {
		return Snapshot{}, nil
	}
	snapshot, err := Read(ctx, s.Client)
	return snapshot, redisserver.Explain(err, s)
}

// Read reads the statistics of a server of 7.0 or later, whoever uses it, over a client that speaks RESP2. Errors are
// the call's, or say which line of INFO cannot be read.
func Read(ctx context.Context, c redis.Cmdable) (Snapshot, error) {
	text, err := c.Info(ctx, sections...).Result()
	if err != nil {
		return Snapshot{}, err
	}
	s, err := parse(text)
	if err != nil {
		return Snapshot{}, fmt.Errorf("statistics of the server: %w", err)
	}
	s.askedBytes, s.answeredBytes = requestBytes(sections), bulkBytes(len(text))
	return s, nil
}

// requestBytes is how long INFO with its sections is on the wire.
func requestBytes(sections []string) int64 {
	n := len(fmt.Sprintf("*%d\r\n", 1+len(sections))) + int(bulkBytes(len("info")))
	for _, name := range sections {
		n += int(bulkBytes(len(name)))
	}
	return int64(n)
}

// bulkBytes is how long a string of n bytes is on the wire, its length before it.
func bulkBytes(n int) int64 { return int64(len(fmt.Sprintf("$%d\r\n\r\n", n)) + n) }
