package redisserver

import (
	"context"
	"fmt"
	"strconv"
)

// Vitals are figures of a server by which one notices, later, that it lost keys.
type Vitals struct {
	RunID       string // another one after a restart, or behind a failover
	EvictedKeys int64  // since its start
	Memory      MemoryLimit
}

// Vitals asks INFO, and reports false where it does not say: the embedded server, or a user who may not.
func (s *Server) Vitals(ctx context.Context) (Vitals, bool) {
	if s.Kind == KindEmbedded {
		return Vitals{}, false
	}
	info, err := s.Client.Info(ctx, "server", "stats", "memory").Result()
	if err != nil {
		return Vitals{}, false
	}
	fields := infoFields(info)
	evicted, err := strconv.ParseInt(fields["evicted_keys"], 10, 64)
	memory, known := memoryLimit(fields)
	return Vitals{fields["run_id"], evicted, memory}, err == nil && known && fields["run_id"] != ""
}

// Evicts reports whether the server deletes keys when its memory is full, whoever made them.
func (m MemoryLimit) Evicts() bool { return m.MaxBytes > 0 && m.Policy != "noeviction" }

func (m MemoryLimit) String() string {
	return fmt.Sprintf("maxmemory %d bytes, policy %s", m.MaxBytes, m.Policy)
}

// refuseEviction refuses a server of others that may evict keys, unless that is allowed. It notes where nobody knows.
func (s *Server) refuseEviction(ctx context.Context, allowed bool) error {
	vitals, known := s.Vitals(ctx)
	memory := vitals.Memory
	if !known {
		s.Warning = fmt.Sprintf("%s: does not say by INFO whether it evicts keys or was restarted, "+
			"and a run notices only keys that it misses; grant +info", s.target.label)
		return nil
	}
	if memory.Evicts() && !allowed {
		return unavailable("%s: evicts keys when its memory is full (%s): a run could push out other people's keys, "+
			"and lose its own; "+
			"take a server with the policy noeviction, or say --allow-eviction if it has room", s.target.label, memory)
	}
	return nil
}
