package serverstats

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"ratelab/internal/redisserver"
)

// Replication makes a private server write down what it would send to a replica. The server counts these bytes itself,
// from the moment on that a replica asks for them; nothing is ever sent.
//
// Note: a real replica was the alternative. It takes a second server, a fork for each, and pings on the way; its figure
// is the same to the byte.
type Replication struct {
	client redis.Cmdable
	asking net.Conn // the replica that waits
}

// Replicate begins to count on s, until Close. It is nil, without an error, on the embedded server and on one that
// others use, whose settings are not ours to change. Key is written and deleted, so that the choice of the database,
// which the first write brings along, is not counted.
func Replicate(ctx context.Context, s *redisserver.Server, key string) (*Replication, error) {
	if !s.Own || s.Kind == redisserver.KindEmbedded {
		return nil, nil
	}
	r := &Replication{client: s.Client}
	// No copy of the data is made for the one that asks, no ping goes out meanwhile, and its silence is borne.
	for _, setting := range [][2]string{{"repl-diskless-sync", "yes"}, {"repl-diskless-sync-delay", "3600"},
		{"repl-ping-replica-period", "3600"}, {"repl-timeout", "86400"}} {
		if err := r.client.ConfigSet(ctx, setting[0], setting[1]).Err(); err != nil {
			return nil, redisserver.Explain(err, s)
		}
	}
	var err error
	if r.asking, err = s.Open(ctx); err != nil {
		return nil, redisserver.Explain(err, s)
	}
	_, err = r.asking.Write([]byte("PSYNC ? -1\r\n"))
	if err == nil {
		err = r.await(ctx)
	}
	if err == nil {
		err = r.client.Set(ctx, key, 1, 0).Err()
	}
	if err == nil {
		err = r.client.Del(ctx, key).Err()
	}
	if err != nil {
		r.asking.Close()
		return nil, redisserver.Explain(err, s)
	}
	return r, nil
}

// Bytes are those so far, from a beginning that means nothing: only a difference does.
func (r *Replication) Bytes(ctx context.Context) (int64, error) {
	text, err := r.field(ctx, "master_repl_offset")
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(text, 10, 64)
}

// Close ends what waits for replication. The server goes on writing down for seconds: what is timed next needs a new
// one.
func (r *Replication) Close() {
	if r != nil {
		r.asking.Close()
	}
}

// patience is how long the server may take; it looks once a second.
const patience = 15 * time.Second

// await waits until the server writes down what it would send.
func (r *Replication) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		switch found, err := r.field(ctx, "repl_backlog_active"); {
		case err != nil:
			return err
		case found == "1":
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.New("the server's replication backlog did not become active")
		case <-tick.C:
		}
	}
}

// field reads one of INFO replication.
func (r *Replication) field(ctx context.Context, name string) (string, error) {
	text, err := r.client.Info(ctx, "replication").Result()
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), name+":"); ok {
			return value, nil
		}
	}
	return "", fmt.Errorf("INFO replication lacks %s", name)
}
