package script

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"ratelab/internal/limit"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/resp"
)

// The example scripts decide through their bindings, on a server, as their first lines promise. Each line is an
// arrival, its key and cost, and what becomes of it.
func TestExamplesDecide(t *testing.T) {
	cases := []struct {
		file   string
		policy limit.Policy
		trace  string
	}{
		{"incr-expire.lua", limit.Policy{Requests: 2, Window: time.Second}, `
at=0ms    key=alice cost=1 -> allow remaining=0 retry=0
at=0ms    key=alice cost=1 -> allow remaining=0 retry=0
at=1ms    key=alice cost=1 -> deny  remaining=0 retry=0
at=1ms    key=bob   cost=1 -> allow remaining=0 retry=0`},
		// Ten per four seconds are one per 400 ms, of which five may come at once.
		{"bucket-take.lua", limit.Policy{Requests: 10, Window: 4 * time.Second, Burst: 5}, `
at=0ms    key=alice cost=4 -> allow remaining=1 retry=0
at=0ms    key=alice cost=2 -> deny  remaining=1 retry=400000
at=200ms  key=alice cost=2 -> deny  remaining=1 retry=200000
at=200ms  key=bob   cost=5 -> allow remaining=0 retry=0
at=400ms  key=alice cost=2 -> allow remaining=0 retry=0
at=500ms  key=alice cost=1 -> deny  remaining=0 retry=300000`},
	}
	for _, c := range cases {
		p, err := Load(OnDisk("testdata/binding/"+c.file), c.policy)
		if err != nil {
			t.Fatal(err)
		}
		calls := &caller{client: redistest.Embedded(t).Client, program: p, ready: map[string]bool{}}
		for line := range strings.SplitSeq(strings.TrimSpace(c.trace), "\n") {
			if got := calls.replay(t, line); got != line {
				t.Errorf("%s:\ngot  %s\nwant %s", c.file, got, line)
			}
		}
	}
}

// caller calls a program as it is, without virtual time: the examples take the time from their arguments.
type caller struct {
	client  redis.Cmdable
	program *Program
	ready   map[string]bool
}

// replay decides the arrival of a line, and gives the line that would tell the truth.
func (c *caller) replay(t *testing.T, line string) string {
	t.Helper()
	arrival, _, _ := strings.Cut(line, "->")
	var at int64
	var v Vars
	if _, err := fmt.Sscanf(arrival, "at=%dms key=%s cost=%d", &at, &v.Key, &v.Cost); err != nil {
		t.Fatal(err)
	}
	v.NowUS = 1_704_067_200_000_000 + at*1000
	if c.program.Init != nil && !c.ready[v.Key] {
		c.ready[v.Key] = true
		c.eval(t, c.program.InitSource, *c.program.Init, v)
	}
	d, err := c.program.Decode(c.eval(t, c.program.Source, c.program.Decide, v))
	if err != nil {
		t.Fatal(err)
	}
	verdict := map[bool]string{true: "allow", false: "deny "}[d.Allowed()]
	return fmt.Sprintf("%s-> %s remaining=%d retry=%d", arrival, verdict, d.Remaining, d.RetryAfterUS)
}

func (c *caller) eval(t *testing.T, source string, call Call, v Vars) resp.Value {
	t.Helper()
	var args []any
	for _, text := range written(call.Args, v) {
		args = append(args, text)
	}
	value, err := c.client.Eval(context.Background(), source, written(call.Keys, v), args...).Result()
	if err != nil && err != redis.Nil {
		t.Fatal(err)
	}
	return replyOf(t, value)
}

// replyOf turns what go-redis makes of a reply back into one.
func replyOf(t *testing.T, value any) resp.Value {
	switch v := value.(type) {
	case nil:
		return resp.Value{}
	case int64:
		return num(v)
	case string:
		return words(v)
	case []any:
		var r resp.Value
		for _, item := range v {
			r.Kind, r.Items = resp.Array, append(r.Items, replyOf(t, item))
		}
		return r
	}
	t.Fatalf("a reply of type %T", value)
	return resp.Value{}
}
