package redis

import (
	"context"
	"net"

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

// EachConn is a hook of go-redis that puts every new connection of a client inside what wrap makes of it.
func EachConn(wrap func(net.Conn) net.Conn) goredis.Hook { return eachConn(wrap) }

type eachConn func(net.Conn) net.Conn

// DialHook wraps what next dials.
func (wrap eachConn) DialHook(next goredis.DialHook) goredis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := next(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return wrap(c), nil
	}
}

// ProcessHook changes nothing.
func (eachConn) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook { return next }

// ProcessPipelineHook changes nothing.
func (eachConn) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return next
}
