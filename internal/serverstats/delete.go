package serverstats

import (
	"context"
	"errors"
	"slices"

	"github.com/redis/go-redis/v9"

	"ratelab/internal/keyspace"
)

// Delete deletes the keys that begin with prefix, which may not be empty, and nothing else: what a run has left. It
// returns how many there were, also with an error, which is a call's.
func Delete(ctx context.Context, c redis.Cmdable, prefix string) (int64, error) {
	if prefix == "" {
		return 0, errors.New(`delete keys under the prefix "": that would be everything; want the run's own, such as "ratelab:3f1c…:"`)
	}
	var n int64
	err := keyspace.Scan(ctx, c, prefix, func(keys []string) error {
		for chunk := range slices.Chunk(keys, keyspace.Chunk) {
			gone, err := c.Unlink(ctx, chunk...).Result()
			if n += gone; err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}
