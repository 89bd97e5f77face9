// Package registry keeps, on a server that others use too, a list of the runs that write there, so that a later run can
// tell whose keys nobody will delete any more, and delete them. All of it lies below Prefix, as all keys of ours:
//
//	ratelab:runs         a sorted set: each run's id by its end, in ms of the server's time
//	ratelab:run:<id>     a hash for each run: host, process, place, start, program, began, end
//	ratelab:<id>:…       the run's own keys
//
// The end is the time until which a run promises to live, and it moves it on while it does. The sorted set is there
// because looking for the hashes would take a SCAN over the whole server at each start; one call reads it, the runs
// longest dead first. The hash is a key for each run so that it has a TTL of its own: an entry outlives its run by
// Kept, and nothing stays for good.
//
// It decides who is dead; when to clean, and what to say of it, is its callers' business.
package registry

import (
	"context"
	_ "embed"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"ratelab/internal/alive"
)

const (
	// Prefix begins every key of every run.
	Prefix = "ratelab:"
	// Index is the key of the sorted set.
	Index = Prefix + "runs"
	// entryPrefix begins the keys of the hashes.
	entryPrefix = Prefix + "run:"

	// Lease is for how long a run promises to live each time: a server may be busy, or a network gone, for minutes.
	Lease = 5 * time.Minute
	// Renewal is how often it does.
	Renewal = time.Minute
	// Kept is for how long an entry stays where nobody cleans: longer than the keys of a killed run do, which the
	// traffic's virtual span, the longest TTL and ten minutes bound, but for a log of more than a month.
	Kept = 32 * 24 * time.Hour

	// mostRuns is how many entries are read at a time.
	mostRuns = 1000
)

// Run is an entry.
type Run struct {
	ID      string // 12 hexadecimal digits
	Host    string // as the machine calls itself; "" where the entry is gone, as it is for what only Strays finds
	Program string
	Process alive.Process
	Began   time.Time // by the server's clock, as End
	End     time.Time // until when it promises to live
}

// New is this process's entry under id.
func New(id string) Run {
	host, _ := os.Hostname() // only people read it
	program := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	return Run{ID: id, Host: host, Program: program, Process: alive.Self()}
}

// KeyPrefix begins the run's own keys.
func (r Run) KeyPrefix() string { return Prefix + r.ID + ":" }

// LastSeen is when the run was alive for certain.
func (r Run) LastSeen() time.Time { return r.End.Add(-Lease) }

// Dead reports whether nobody will delete the run's keys any more: where its process can be judged from here, that has
// ended; elsewhere its end has passed at now, by the server's clock. A process that stands still, as after a Ctrl-Z, is
// alive to its own machine only.
func (r Run) Dead(now time.Time) bool {
	if r.Process.Here() {
		return r.Process.Gone()
	}
	return r.End.Before(now)
}

var (
	//go:embed enter.lua
	enterSource string
	//go:embed leave.lua
	leaveSource string

	enter = redis.NewScript(enterSource)
	leave = redis.NewScript(leaveSource)
)

// Enter writes r's entry, or moves its end on. Call it before the run writes its first key.
func Enter(ctx context.Context, c redis.Cmdable, r Run) error {
	err := enter.Run(ctx, c, []string{Index, entryPrefix + r.ID}, r.ID, Lease.Milliseconds(), Kept.Milliseconds(),
		"host", r.Host, "program", r.Program, "process", r.Process.PID, "place", r.Process.Place, "start",
		r.Process.Start).Err()
	return answered(err)
}

// Leave deletes r's entry. Call it when the run's keys are gone.
func Leave(ctx context.Context, c redis.Cmdable, r Run) error { return remove(ctx, c, r, "") }

// remove deletes r's entry if its end is still the one given, or whatever that is if it is "".
func remove(ctx context.Context, c redis.Cmdable, r Run, end string) error {
	return answered(leave.Run(ctx, c, []string{Index, entryPrefix + r.ID}, r.ID, end).Err())
}

// TakenError means that something else has the name of the registry.
type TakenError struct{}

func (*TakenError) Error() string {
	return "the key " + Index + " is not the list of runs that this program keeps there; rename or delete it"
}

// answered is err, unless it says that a script returned nothing.
func answered(err error) error {
	if errors.Is(err, redis.Nil) {
		return nil
	}
	if err != nil && strings.Contains(err.Error(), "WRONGTYPE") {
		return &TakenError{}
	}
	return err
}

// id is what is trusted to begin a run's keys. All zeros begin those on a server that is a run's own, which has no
// registry.
var id = regexp.MustCompile(`^[0-9a-f]{12}$`)

func validID(text string) bool { return id.MatchString(text) && text != "000000000000" }

// Runs are the entries, those whose end comes first before the others, and the server's time. An entry with an id that
// no run gives itself is left out.
func Runs(ctx context.Context, c redis.Cmdable) (runs []Run, now time.Time, err error) {
	members, err := c.ZRangeWithScores(ctx, Index, 0, mostRuns-1).Result()
	if err != nil {
		return nil, now, answered(err)
	}
	if now, err = c.Time(ctx).Result(); err != nil || len(members) == 0 {
		return nil, now, err
	}
	pipe := c.Pipeline()
	var fields []*redis.MapStringStringCmd
	for _, m := range members {
		if text, _ := m.Member.(string); validID(text) {
			runs = append(runs, Run{ID: text, End: time.UnixMilli(int64(m.Score))})
			fields = append(fields, pipe.HGetAll(ctx, entryPrefix+text))
		}
	}
	if len(runs) == 0 {
		return nil, now, nil
	}
	var reply redis.Error // one entry that is something else is nothing to go by, and no reason to give up
	if _, err := pipe.Exec(ctx); err != nil && !errors.As(err, &reply) {
		return nil, now, err
	}
	for i := range runs {
		runs[i].read(fields[i].Val()) // nothing, where the entry is gone
	}
	return runs, now, nil
}

func (r *Run) read(fields map[string]string) {
	r.Host, r.Program = fields["host"], fields["program"]
	pid, _ := strconv.Atoi(fields["process"]) // 0, which is no process, where it is no number
	r.Process = alive.Process{Place: fields["place"], PID: pid, Start: fields["start"]}
	if ms, err := strconv.ParseInt(fields["began"], 10, 64); err == nil {
		r.Began = time.UnixMilli(ms)
	}
}
