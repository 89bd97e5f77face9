package serverstats

import (
	"context"
	"errors"
	"slices"

	"github.com/redis/go-redis/v9"

	"ratelab/internal/keyspace"
)

// Left is what keys look like at some moment. It has the fields of virtualtime.Left, which counts by virtual
// deadlines that no server knows, and converts to it.
type Left struct {
	Keys       int64
	WithoutTTL int64
	Bytes      int64 // MEMORY USAGE with SAMPLES 0, of all keys
}

// Keys counts the keys that begin with prefix, whatever characters it has, and asks for their expiry and memory. It
// goes through all keys of the server with SCAN; keys that come or go meanwhile may be counted or not. Errors are the
// calls'. It is for real servers: the embedded one invents memory, and its connections hold no pipeline.
func Keys(ctx context.Context, c *redis.Client, prefix string) (Left, error) {
	var left Left
	seen := map[string]bool{} // SCAN may show a key twice
	err := keyspace.Scan(ctx, c, prefix, func(keys []string) error {
		keys = slices.DeleteFunc(keys, func(key string) bool {
			again := seen[key]
			seen[key] = true
			return again
		})
		for chunk := range slices.Chunk(keys, keyspace.Chunk) {
			if err := left.add(ctx, c, chunk); err != nil {
				return err
			}
		}
		return nil
	})
	return left, err
}

// add asks for each key's memory and expiry in one round trip, and counts those that are still there.
func (l *Left) add(ctx context.Context, c *redis.Client, keys []string) error {
	pipe := c.Pipeline()
	bytes, ttls := make([]*redis.IntCmd, len(keys)), make([]*redis.DurationCmd, len(keys))
	for i, key := range keys {
		bytes[i], ttls[i] = pipe.MemoryUsage(ctx, key, 0), pipe.PTTL(ctx, key)
	}
	if _, err := pipe.Exec(ctx); err != nil && !errors.Is(err, redis.Nil) {
		return err
	}
	for i := range keys {
		size, err := bytes[i].Result()
		ttl := ttls[i].Val() // -1 without one, -2 without a key
		switch {
		case errors.Is(err, redis.Nil), err == nil && ttl == -2:
			continue // it expired in between
		case err != nil || ttls[i].Err() != nil:
			return errors.Join(err, ttls[i].Err())
		case ttl == -1:
			l.WithoutTTL++
		}
		l.Keys++
		l.Bytes += size
	}
	return nil
}

// Delete deletes the keys that begin with prefix, which may not be empty, and nothing else: what a run has left. It
// returns how many there were, also with an error, which is a call's.
func Delete(ctx context.Context, c *redis.Client, prefix string) (int64, error) {
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
