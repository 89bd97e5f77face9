package redis

import (
	"context"
	"net"
	"strconv"
	"time"
)

// Replication makes a private server record the bytes that it would send to a replica. The server counts these bytes
// itself from the moment a replica asks for them. Nothing is ever sent.
//
// Note: the alternative was a real replica. It needs a second server, a fork for each replica, and pings in between.
// Its count is the same to the byte.
type Replication struct {
	server *Server
	asking net.Conn // the connection of the replica that waits
}

// replicationPatience is how long the server may take to begin. It checks once a second.
const replicationPatience = 15 * time.Second

// Replicate makes the server count until Close. The server must be a Redis or Valkey that we started, because Replicate
// changes its settings. Replicate writes and deletes key, since the first write also replicates the choice of the
// database, which is not to be counted.
func (s *Server) Replicate(ctx context.Context, key string) (*Replication, error) {
	// Keep the server from copying its data for this replica, from sending pings, and from closing the silent
	// connection.
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

// Bytes returns the replication offset in bytes. Its start is arbitrary, so only a difference means something.
func (r *Replication) Bytes(ctx context.Context) (int64, error) {
	fields, err := info(ctx, r.server.Client, "replication")
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(fields["master_repl_offset"], 10, 64)
}

// Close closes the waiting replica's connection. The server goes on recording for seconds, so use a new server for time
// measurements.
func (r *Replication) Close() { r.asking.Close() }
