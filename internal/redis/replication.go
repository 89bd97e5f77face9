package redis

import (
	"context"
	"net"
	"strconv"
	"time"
)

// Replication makes a private server write down what it would send to a replica. The server counts these bytes itself,
// from the moment on that a replica asks for them; nothing is ever sent.
//
// Note: a real replica was the alternative. It takes a second server, a fork for each, and pings on the way; its figure
// is the same to the byte.
type Replication struct {
	server *Server
	asking net.Conn // the replica that waits
}

// replicationPatience is how long the server may take to begin; it looks once a second.
const replicationPatience = 15 * time.Second

// Replicate begins to count, until Close. The server must be a real one of ours: others' settings are not ours to
// change. Key is written and deleted, so that the choice of the database, which the first write brings along, is not
// counted.
func (s *Server) Replicate(ctx context.Context, key string) (*Replication, error) {
	// No copy of the data is made for the one that asks, no ping goes out meanwhile, and its silence is borne.
	for _, setting := range [][2]string{{"repl-diskless-sync", "yes"}, {"repl-diskless-sync-delay", "3600"},
		{"repl-ping-replica-period", "3600"}, {"repl-timeout", "86400"}} {
		if err := s.Client.ConfigSet(ctx, setting[0], setting[1]).Err(); err != nil {
			return nil, Explain(err, s)
		}
	}
	asking, err := s.Open(ctx)
	if err != nil {
		return nil, Explain(err, s)
	}
	r := &Replication{s, asking}
	if err := r.begin(ctx, key); err != nil {
		r.Close()
		return nil, Explain(err, s)
	}
	return r, nil
}

func (r *Replication) begin(ctx context.Context, key string) error {
	if _, err := r.asking.Write([]byte("PSYNC ? -1\r\n")); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, replicationPatience)
	defer cancel()
	for begun := false; !begun; time.Sleep(20 * time.Millisecond) {
		fields, err := info(limited, r.server.Client, "replication")
		if err != nil {
			return err
		}
		begun = fields["repl_backlog_active"] == "1"
	}
	if err := r.server.Client.Set(ctx, key, 1, 0).Err(); err != nil {
		return err
	}
	return r.server.Client.Del(ctx, key).Err()
}

// Bytes are those so far, from a beginning that means nothing: only a difference does.
func (r *Replication) Bytes(ctx context.Context) (int64, error) {
	fields, err := info(ctx, r.server.Client, "replication")
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(fields["master_repl_offset"], 10, 64)
}

// Close ends what waits for replication. The server goes on writing down for seconds: what is timed next needs a new
// one.
func (r *Replication) Close() { r.asking.Close() }
