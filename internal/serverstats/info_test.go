package serverstats

import (
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// example is what a server says, as far as it is read, with a few lines that are not.
const example = `# Server
redis_version:7.0.15
run_id:3cfa0fa1
# Clients
connected_clients:4
# Memory
used_memory:1048576
used_memory_human:1.00M
maxmemory:3145728
maxmemory_policy:allkeys-lru
# Stats
total_connections_received:9
total_net_input_bytes:1000
total_net_output_bytes:2000
rejected_connections:1
expired_keys:5
evicted_keys:6
total_error_replies:7
# CPU
used_cpu_sys:0.250000
used_cpu_user:1.500000
# Commandstats
cmdstat_evalsha:calls=3,usec=12,usec_per_call=4.00,rejected_calls=1,failed_calls=2
cmdstat_script|load:calls=1,usec=8,usec_per_call=8.00,rejected_calls=0,failed_calls=0
cmdstat_JSON.GET:calls=2,usec=9,usec_per_call=4.50,rejected_calls=0,failed_calls=0,p99=3
`

func read() Snapshot {
	return Snapshot{Known: true, RunID: "3cfa0fa1", Commands: map[string]CommandDelta{
		"evalsha": {Calls: 3, Usec: 12, RejectedCalls: 1, FailedCalls: 2}, "script|load": {Calls: 1,
			Usec: 8}, "json.get": {Calls: 2, Usec: 9}},
		NetInBytes: 1000, NetOutBytes: 2000, EvictedKeys: 6, ExpiredKeys: 5, ErrorReplies: 7, ConnectionsReceived: 9,
		ConnectionsRejected: 1, CPUUserSec: 1.5, CPUSysSec: 0.25, ConnectedClients: 4, UsedMemoryBytes: 1 << 20,
		MaxMemoryBytes: 3 << 20, MaxMemoryPolicy: "allkeys-lru"}
}

func TestInfoIsRead(t *testing.T) {
	got, err := parse(strings.ReplaceAll(example, "\n", "\r\n"))
	if err != nil || !reflect.DeepEqual(got, read()) {
		t.Errorf("got  %+v, %v\nwant %+v", got, err, read())
	}
}

func TestWhatCannotBeReadIsNamed(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"connected_clients:4", "connected_clients:many",
			`INFO has the line "connected_clients:many": want a whole number from 0 on`},
		{"used_cpu_sys:0.250000", "used_cpu_sys:NaN", `INFO has the line "used_cpu_sys:NaN": want seconds from 0 on`},
		{"calls=3,usec=12", "calls=3,usec=-1",
			`calls=3,usec=-1,usec_per_call=4.00,rejected_"…: usec: want a whole number from 0 on`},
		{",failed_calls=2", "", `: want calls, usec, rejected_calls and failed_calls`},
		{"run_id:3cfa0fa1\n", "",
			`INFO lacks run_id; want the sections server, clients, memory, stats, cpu, commandstats of Redis 7.0 or later, or of Valkey`},
		{"p99=3\n", "p9", `INFO is cut short: its last line has no end`},
	} {
		_, err := parse(strings.Replace(example, c.old, c.new, 1))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %s:\ngot  %v\nwant %s", c.new, c.old, err, c.want)
		}
	}
}

// Wherever the text is cut, it is an error and no figure is taken for zero, except between the lines of commands:
// nothing tells how many there are.
func TestCutInfoIsNoFigures(t *testing.T) {
	commands := strings.Index(example, "cmdstat_")
	for end := range example {
		whole := end >= commands && example[end-1] == '\n'
		if s, err := parse(example[:end]); (err == nil) != whole {
			t.Errorf("cut after %q: %+v, %v", example[max(0, end-20):end], s, err)
		}
	}
}

// Lines that nobody knows yet, anywhere and in any order, change nothing.
func TestUnknownLinesAreSkipped(t *testing.T) {
	lines := strings.SplitAfter(strings.TrimSuffix(example, "\n")+"\r\n", "\n")
	rapid.Check(t, func(rt *rapid.T) {
		noise := rapid.SliceOf(rapid.StringMatching(`(new_[a-z_]{1,9}:[ -~]{0,20}|# [A-Z][a-z]*|db0:keys=[0-9],expires=[0-9]||[ -~]{0,3})`)).Draw(rt, "noise")
		for i := range noise {
			noise[i] += "\r\n"
		}
		text := strings.Join(rapid.Permutation(append(noise, lines...)).Draw(rt, "lines"), "")
		if got, err := parse(text); err != nil || !reflect.DeepEqual(got, read()) {
			rt.Fatalf("%q:\ngot  %+v, %v\nwant %+v", text, got, err, read())
		}
	})
}

func FuzzInfo(f *testing.F) {
	f.Add(example)
	f.Add(strings.ReplaceAll(example, "\n", "\r\n"))
	f.Add("cmdstat_:calls=\ncmdstat_x:calls=99999999999999999999,usec=1\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parse(text)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\r\n\x1b") {
				t.Errorf("%q steers a terminal", err)
			}
			return
		}
		if d := s.Since(s); !d.Known || len(d.Commands) != 0 || d.EvalCalls != 0 || d.UsecPerDecision() != 0 {
			t.Errorf("between a reading and itself: %+v", d)
		}
	})
}

// A delta of figures that grew by known amounts is these amounts.
func TestDeltaIsWhatWasAdded(t *testing.T) {
	count := rapid.Int64Range(0, 1<<40)
	names := []string{"evalsha", "eval", "eval_ro", "get", "zadd", "info", "script|load", "config|get"}
	rapid.Check(t, func(rt *rapid.T) {
		before, after := read(), read()
		before.answeredBytes, after.askedBytes = 4000, 90
		after.NetInBytes, after.NetOutBytes = before.NetInBytes+90+11, before.NetOutBytes+4000+22
		var want Delta
		want.Commands = map[string]CommandDelta{}
		for _, name := range names {
			old := CommandDelta{Calls: count.Draw(rt, "calls"), Usec: count.Draw(rt, "usec")}
			add := CommandDelta{Calls: count.Draw(rt, "more calls"), Usec: count.Draw(rt, "more usec")}
			before.Commands[name] = old
			after.Commands[name] = CommandDelta{Calls: old.Calls + add.Calls, Usec: old.Usec + add.Usec}
			if add != (CommandDelta{}) {
				want.Commands[name] = add
			}
			if strings.HasPrefix(name, "eval") {
				want.EvalCalls, want.EvalUsec = want.EvalCalls+add.Calls, want.EvalUsec+add.Usec
			}
		}
		got := after.Since(before)
		if !got.Known || !maps.Equal(got.Commands, want.Commands) || got.EvalCalls != want.EvalCalls ||
			got.EvalUsec != want.EvalUsec ||
			got.NetInBytes != 11 || got.NetOutBytes != 22 {
			rt.Fatalf("got  %+v\nwant %+v", got, want)
		}
	})
}

func TestReadingsOwnBytes(t *testing.T) {
	const request = "*3\r\n$4\r\ninfo\r\n$6\r\nserver\r\n$3\r\ncpu\r\n"
	if got := requestBytes([]string{"server", "cpu"}); got != int64(len(request)) {
		t.Errorf("INFO server cpu has %d bytes; want %d", got, len(request))
	}
	if got, answer := bulkBytes(1234), fmt.Sprintf("$1234\r\n%01234d\r\n", 0); got != int64(len(answer)) {
		t.Errorf("an answer of 1234 bytes has %d; want %d", got, len(answer))
	}
}
