package registry

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"ratelab/internal/keyspace"
)

// Dead are the runs, but those of the ids in own, whose keys nobody will delete any more.
func Dead(ctx context.Context, c redis.Cmdable, own ...string) ([]Run, error) {
	runs, now, err := Runs(ctx, c)
	return slices.DeleteFunc(runs, func(r Run) bool { return slices.Contains(own, r.ID) || !r.Dead(now) }), err
}

// Clean deletes the keys of the runs, in one pass over the server's keys in small steps, and then their entries. It
// returns how many keys it deleted, by run, also with an error, which is a call's. Two that clean at the same time
// share the work.
func Clean(ctx context.Context, c redis.Cmdable, runs []Run) (map[string]int64, error) {
	deleted := map[string]int64{}
	err := visit(ctx, c, runs, func(id string, keys []string) error {
		n, err := c.Unlink(ctx, keys...).Result()
		deleted[id] += n
		return err
	})
	if err != nil {
		return deleted, err
	}
	for _, r := range runs {
		if err := remove(ctx, c, r, strconv.FormatInt(r.End.UnixMilli(), 10)); err != nil {
			return deleted, err
		}
	}
	return deleted, nil
}

// Count is what Clean would delete.
func Count(ctx context.Context, c redis.Cmdable, runs []Run) (map[string]int64, error) {
	counted, seen := map[string]int64{}, map[string]bool{}
	err := visit(ctx, c, runs, func(id string, keys []string) error {
		for _, key := range keys {
			if !seen[key] { // SCAN may show a key twice
				seen[key] = true
				counted[id]++
			}
		}
		return nil
	})
	return counted, err
}

// visit shows the keys of the runs, those of one run at a time.
func visit(ctx context.Context, c redis.Cmdable, runs []Run, each func(id string, keys []string) error) error {
	if len(runs) == 0 {
		return nil
	}
	wanted := map[string]bool{}
	for _, r := range runs {
		wanted[r.ID] = validID(r.ID)
	}
	prefix := Prefix
	if len(runs) == 1 {
		prefix = runs[0].KeyPrefix()
	}
	return keyspace.Scan(ctx, c, prefix, func(keys []string) error {
		byRun := map[string][]string{}
		for _, key := range keys {
			if id := owner(key); wanted[id] {
				byRun[id] = append(byRun[id], key)
			}
		}
		for id, keys := range byRun {
			for chunk := range slices.Chunk(keys, keyspace.Chunk) {
				if err := each(id, chunk); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// owner is the id of the run that key is one of, "" where it is none of any run's.
func owner(key string) string {
	rest, _ := strings.CutPrefix(key, Prefix)
	id, _, ok := strings.Cut(rest, ":")
	if !ok || !validID(id) || !strings.HasPrefix(key, Prefix) {
		return ""
	}
	return id
}

// Strays are runs of which keys are there, but no entry: it has expired, or they were of a program that kept none. It
// goes through all keys. A living run is never among them, since it enters itself before it writes: the entries are
// read after the keys.
func Strays(ctx context.Context, c redis.Cmdable) ([]Run, error) {
	found := map[string]bool{}
	err := keyspace.Scan(ctx, c, Prefix, func(keys []string) error {
		for _, key := range keys {
			if id := owner(key); id != "" {
				found[id] = true
			}
		}
		return nil
	})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	var strays []Run
	for id := range found {
		switch err := c.ZScore(ctx, Index, id).Err(); {
		case errors.Is(err, redis.Nil):
			strays = append(strays, Run{ID: id})
		case err != nil:
			return nil, answered(err)
		}
	}
	slices.SortFunc(strays, func(a, b Run) int { return strings.Compare(a.ID, b.ID) })
	return strays, nil
}
