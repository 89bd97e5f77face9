package redis

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	goredis "github.com/redis/go-redis/v9"

	"ratelab/internal/message"
)

// scanned is how many keys one SCAN looks at, and the most that one UNLINK deletes. Either takes the server about 1 ms.
const scanned = 500

// Scan calls visit with the keys that begin with prefix, a few at a time. A key may come twice. MATCH keeps the server
// from sending other keys. Scan checks the prefix again, because visit may delete the keys. Errors are those of the
// calls and of visit.
func Scan(ctx context.Context, c goredis.Cmdable, prefix string, visit func(keys []string) error) error {
	for cursor := uint64(0); ; {
		keys, next, err := c.Scan(ctx, cursor, prefix+"*", scanned).Result()
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

// Delete deletes the keys of a run: all keys that begin with prefix, and no others. The prefix must not be empty. The
// error is a call's.
func Delete(ctx context.Context, c goredis.Cmdable, prefix string) error {
	if prefix == "" {
		return errors.New(`delete keys under the prefix "": would delete everything; want the run's own prefix, ` +
			`such as "ratelab:3f1c…:"`)
	}
	return Scan(ctx, c, prefix, func(keys []string) error {
		for chunk := range slices.Chunk(keys, scanned) {
			if err := c.Unlink(ctx, chunk...).Err(); err != nil {
				return err
			}
		}
		return nil
	})
}

// A given server must be empty. Then a run cannot read or change other users' keys, and cannot evict or expire them
// through its effects on the server.

// database is a database that holds keys.
type database struct {
	number int
	keys   int64
}

// refuseKeys returns an error if any database of a given server holds a key. It writes nothing and reads no values.
func (s *Server) refuseKeys(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	info, err := s.Client.Info(ctx, "keyspace").Result()
	if err != nil {
		return s.unwelcome(err, "INFO keyspace")
	}
	held, said := keyspace(info)
	switch {
	case !said:
		return s.target.replied(message.Quote(info), "INFO keyspace")
	case len(held) == 0:
		return nil
	}
	var all int64
	for _, db := range held {
		all += db.keys
	}
	what := message.Count(all, "key")
	if !s.onlyRuns(ctx, held) {
		return s.target.unavailable("holds %s%s; give ratelab an empty server", what, s.where(held))
	}
	return s.target.unavailable("holds %s of other runs, %s*%s; give ratelab an empty server, wait until their TTLs "+
		"have passed, or, if no run is under way, delete them: %s", what, commonPrefix, s.where(held),
		s.deleting(held))
}

// Kept returns a message about the keys that remain on a given server because a run could not delete them. The server
// was empty before the run, and these keys expire by their TTL. "" means that no keys remain.
func (s *Server) Kept() string {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	n, err := s.Client.DBSize(ctx).Result()
	what := fmt.Sprintf("%d keys are left on %s until their TTLs have passed", n, s.target.label)
	switch {
	case err != nil:
		what = fmt.Sprintf("keys may be left on %s until their TTLs have passed", s.target.label)
	case n == 0:
		what = ""
	case n == 1:
		what = fmt.Sprintf("1 key is left on %s until its TTL has passed", s.target.label)
	}
	return what
}

// keyspace reads the databases that hold keys from INFO keyspace. said is false if the text has no such list.
func keyspace(info string) (held []database, said bool) {
	for line := range strings.Lines(info) {
		var db database
		if !strings.HasPrefix(line, "db") {
			continue
		}
		if _, err := fmt.Sscanf(line, "db%d:keys=%d,", &db.number, &db.keys); err != nil {
			return nil, false
		}
		if db.keys > 0 {
			held = append(held, db)
		}
	}
	return held, strings.HasPrefix(info, "# Keyspace")
}

// where lists the databases with their numbers of keys. It returns "" if the run's own database is the only one.
func (s *Server) where(held []database) string {
	if len(held) == 1 && held[0].number == s.target.db {
		return ""
	}
	var each []string
	for _, db := range held {
		each = append(each, fmt.Sprintf("db%d: %d", db.number, db.keys))
	}
	return " (" + strings.Join(each, ", ") + ")"
}

// onlyRuns reports whether all keys belong to runs of ratelab. It returns false if the keys cannot be read.
func (s *Server) onlyRuns(ctx context.Context, held []database) bool {
	for _, db := range held {
		there := s.target
		there.db = db.number
		c := newClient(there, 1)
		err := Scan(ctx, c, "", func(keys []string) error {
			if slices.ContainsFunc(keys, func(key string) bool { return !strings.HasPrefix(key, commonPrefix) }) {
				return errors.New("a key of others")
			}
			return nil
		})
		c.Close()
		if err != nil {
			return false
		}
	}
	return true
}

// deleting returns a shell command that deletes the keys of runs in those databases. The command has no password:
// redis-cli reads REDISCLI_AUTH.
func (s *Server) deleting(held []database) string {
	var lines []string
	for _, db := range held {
		cli := "redis-cli -u " + quoted(fmt.Sprintf("%s/%d", s.target.label, db.number))
		if s.target.network == "unix" {
			cli = fmt.Sprintf("redis-cli -s %s -n %d", quoted(s.target.addr), db.number)
		}
		if s.target.user != "" {
			cli += " --user " + quoted(s.target.user)
		}
		lines = append(lines, fmt.Sprintf(`%s --scan --pattern '%s*' | tr '\n' '\0' | xargs -0 -n %d %s unlink`, cli,
			commonPrefix, scanned, cli))
	}
	return strings.Join(lines, "; ")
}

var plain = onDemand(`^[A-Za-z0-9_./:@%+=,\[\]-]+$`)

// quoted returns text quoted as one word of a shell.
func quoted(text string) string {
	if plain().MatchString(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
