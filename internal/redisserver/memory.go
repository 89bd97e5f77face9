package redisserver

import (
	"context"
	"strconv"
)

// MemoryLimit is what a server does when its memory is full: figures that a result should name, since a server
// that evicts keys forgets decisions, and one that does not refuses writes.
type MemoryLimit struct {
	MaxBytes int64  // maxmemory; 0 means none
	Policy   string // maxmemory-policy, such as noeviction or allkeys-lru
}

// MemoryLimit asks INFO for the server's limit, and reports false where it does not say: the embedded server, or a
// user who may not.
func (s *Server) MemoryLimit(ctx context.Context) (MemoryLimit, bool) {
	info, err := s.Client.Info(ctx, "memory").Result()
	if err != nil {
		return MemoryLimit{}, false
	}
	return memoryLimit(infoFields(info))
}

// memoryLimit reads it from the fields of INFO.
func memoryLimit(fields map[string]string) (MemoryLimit, bool) {
	most, err := strconv.ParseInt(fields["maxmemory"], 10, 64)
	policy := fields["maxmemory_policy"]
	return MemoryLimit{MaxBytes: most, Policy: policy}, err == nil && policy != ""
}
