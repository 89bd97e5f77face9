// Package keyspace goes through the keys of a server that begin with a prefix, without holding the server up. It reads
// and deletes none by itself.
package keyspace

import (
	"context"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"
)

// Chunk is how many keys one SCAN looks at, and the most that one call should then take: a millisecond or so of the
// server.
const Chunk = 500

// literal takes the meaning from the characters that MATCH gives one.
var literal = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`)

// Scan visits the keys that begin with prefix, whatever characters it has, a few at a time; some may come twice. MATCH
// saves sending the others; the last word is had here, since what visit does may be to delete them. Errors are the
// calls' and visit's.
func Scan(ctx context.Context, c redis.Cmdable, prefix string, visit func(keys []string) error) error {
	for cursor := uint64(0); ; {
		keys, next, err := c.Scan(ctx, cursor, literal.Replace(prefix)+"*", Chunk).Result()
		if err != nil {
			return err
		}
		keys = slices.DeleteFunc(keys, func(key string) bool { return !strings.HasPrefix(key, prefix) })
		if err := visit(keys); err != nil {
			return err
		}
		if next == 0 {
			return nil
		}
		cursor = next
	}
}
