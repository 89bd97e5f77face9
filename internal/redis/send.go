package redis

import (
	"context"

	goredis "github.com/redis/go-redis/v9"
)

// Send sends commands together. It returns their replies as they came, in RESP2: what the server objects to is one of
// them. The error is the connection's.
func (s *Server) Send(ctx context.Context, commands ...[]any) ([][]byte, error) {
	pipe := s.Client.Pipeline()
	sent := make([]*goredis.RawCmd, len(commands))
	for i, args := range commands {
		sent[i] = goredis.NewRawCmd(ctx, args...)
		_ = pipe.Process(ctx, sent[i]) // queued, never sent here
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, err
	}
	replies := make([][]byte, len(sent))
	for i, cmd := range sent {
		replies[i] = cmd.Val()
	}
	return replies, nil
}
