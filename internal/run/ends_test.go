package run_test

import (
	"io/fs"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"ratelab/internal/longtest"
	"ratelab/internal/redis"
	"ratelab/internal/scenario"
	"ratelab/internal/script"
)

// tokensAtTheEnd has costs that are known when requests end, of ties and of long and short requests.
func tokensAtTheEnd(t *testing.T) *scenario.Scenario {
	return written(t, `name: tokens-at-the-end
question: Are reservations settled alike everywhere?
limit: 300/2s
keys: {count: 3}
cost: {uniform: [1, 20]}
takes: {weighted: {1us: 0.2, 40ms: 0.5, 3s: 0.3}}
actual: {plus: {weighted: {1: 0.5, 20: 0.4, 250: 0.1}}}
phases:
  - {name: crowd, duration: 6s, poisson: `+strconv.Itoa(longtest.Of(200, 60))+`/s}
  - {name: together, duration: 2s, burst: {count: 30, every: 40ms}}
rows: ["gcra:reserve=5", "log-tokens:reserve=20", "fixed-window-aligned:reserve=5", "token-bucket-debt:reserve=5"]
`)
}

// slots has requests in flight, of which some outlast their lease, some end at the instant of a start, and some die.
func slots(t *testing.T) *scenario.Scenario {
	return written(t, `name: slots
question: Are slots held alike everywhere?
limit: 4/in_flight
keys: {count: 3}
takes: {weighted: {1us: 0.2, 40ms: 0.4, 300ms: 0.2, 2s: 0.2}}
crashes: [{at: 2s, share: 0.5}, {at: 3s, share: 0.3}]
phases:
  - {name: crowd, duration: 6s, poisson: `+strconv.Itoa(longtest.Of(200, 60))+`/s}
  - {name: together, duration: 2s, burst: {count: 30, every: 40ms}}
rows: ["leases:ttl=100ms", "leases:ttl=500ms:renew=100ms", "leases:ttl=90ms:renew=40ms", "slot-counter:ttl=200ms"]
`)
}

// A few situations, worked by hand.
func TestSlots(t *testing.T) {
	for _, test := range []struct {
		about, traffic string
		want           map[string][3]int64 // admitted, most in flight, refused though free
	}{
		{"a slot ends under its worker", `
takes: 30s
phases: [{name: work, duration: 20s, burst: {count: 2, every: 10s}}]
rows: ["leases:ttl=10s", "leases:ttl=10s:renew=3s"]
`, map[string][3]int64{"leases:ttl=10s": {4, 4, 0}, "leases:ttl=10s:renew=3s": {2, 2, 0}, "slot-counter": {2, 2, 0}}},
		{"a slot survives a crash", `
takes: 1h
crashes: [{at: 10s, share: 1}]
phases:
  - {name: two, duration: 20s, burst: 2}
  - {name: later, duration: 2h, constant: 1/m, takes: 1s}
rows: ["slot-counter:ttl=30s"]
`, map[string][3]int64{"leases": {121, 2, 1}, "slot-counter": {2, 2, 120}, "slot-counter:ttl=30s": {121, 2, 1}}},
		{"a release in an outage is lost", `
takes: 2s
server_outage: [{at: 1s, for: 2s}]
phases:
  - {name: two, duration: 10s, burst: 2}
  - {name: later, duration: 10m, constant: 1/m}
`, map[string][3]int64{"leases": {11, 2, 1}, "slot-counter": {2, 2, 10}}},
	} {
		found := run(t, job(written(t, "name: one\nquestion: q?\nlimit: 2/in_flight"+test.traffic))).Document.Runs[0]
		for label, want := range test.want {
			row := found.Find(label)
			if got := [3]int64{row.Admitted, row.Peak, row.Slots.RefusedFree}; got != want {
				t.Errorf("%s: %s: admitted, peak and refused though free are %d, want %d", test.about, label, got, want)
			}
		}
	}
}

// If the actual cost is the known one, settling changes nothing: rows with it decide as the rules for known costs.
func TestSettlingWhatIsKnownChangesNothing(t *testing.T) {
	const traffic = `
keys: {count: 4}
cost: {uniform: [1, 9]}
phases:
  - {name: crowd, duration: 8s, poisson: 80/s}
`
	known := run(t, job(written(t, "name: known\nquestion: Known?\nlimit: 40/1s"+traffic))).Document.Runs[0]
	late := run(t, job(written(t, "name: late\nquestion: Late?\nlimit: 40/1s\ntakes: {uniform: [1ms, 3s]}\nactual: "+
		"{uniform: [1, 9]}"+strings.Replace(traffic, "cost: {uniform: [1, 9]}", "cost: 5", 1)))).Document.Runs[0]
	if late.Find("gcra").DecisionsDigest == known.Find("gcra").DecisionsDigest {
		t.Error("other costs make no difference")
	}
	same := job(written(t, "name: same\nquestion: Same?\nlimit: 40/1s\ntakes: {uniform: [1ms, 3s]}\nactual: 5\ncost: 5"+
		strings.Replace(traffic, "cost: {uniform: [1, 9]}\n", "", 1)))
	plain := job(written(t, "name: plain\nquestion: Plain?\nlimit: 40/1s\ncost: 5"+
		strings.Replace(traffic, "cost: {uniform: [1, 9]}\n", "", 1)))
	a, b := run(t, same).Document.Runs[0], run(t, plain).Document.Runs[0]
	for row, of := range map[string]string{"gcra": "gcra", "fixed-window-aligned": "fixed-window-aligned",
		"log-tokens": "sliding-window-log"} {
		if got, want := a.Find(row), b.Find(of); got.DecisionsDigest != want.DecisionsDigest || got.Lost != want.Lost {
			t.Errorf("%s decides %s, and %s decides %s", row, got.DecisionsDigest, of, want.DecisionsDigest)
		}
	}
}

// What a reservation does in known situations. An independent program has the same figures.
func TestReservations(t *testing.T) {
	for _, test := range []struct {
		about, traffic string
		admitted       map[string]int64
		peak           map[string]int64
	}{
		{"ends after the window's edge", `
phases:
  - {name: early, duration: 59s, pause: true}
  - {name: first, burst: 1, cost: 80, takes: 2s, actual: 10}
  - {name: wait, duration: 1500ms, pause: true}
  - {name: second, burst: 1, cost: 80, takes: 10s, actual: 80}
  - {name: rest, duration: 1500ms, pause: true}
  - {name: third, burst: 1, cost: 80, takes: 10s, actual: 80}
  - {name: end, duration: 20s, pause: true}
`, map[string]int64{"fixed-window-aligned": 2, "gcra": 2, "log-tokens": 2},
			map[string]int64{"fixed-window-aligned": 90, "gcra": 90, "log-tokens": 90}},
		{"an estimate above the limit", `
phases:
  - {name: few, duration: 100s, constant: 10, cost: 10, takes: 1s, actual: 10}
`, map[string]int64{"gcra:reserve=1024": 0, "log-tokens:reserve=1024": 0, "log-tokens": 10}, nil},
		{"a tiny estimate", `
phases:
  - {name: all, burst: 100, cost: 1, takes: 1s, actual: 50}
  - {name: end, duration: 1s, pause: true}
`, map[string]int64{"gcra": 100, "log-tokens": 100, "fixed-window-aligned:reserve=none": 100},
			map[string]int64{"gcra": 5000}},
		{"gives back what it did not need", `
phases:
  - {name: few, duration: 60s, constant: 12, cost: 50, takes: 1s, actual: 5}
`, map[string]int64{"gcra": 12, "log-tokens": 11, "fixed-window-aligned": 11, "sliding-window-log:settle=no": 2}, nil},
	} {
		s := written(t, "name: one\nquestion: q?\nlimit: 100/1m\nrows: [\"gcra:reserve=1024\", "+
			"\"log-tokens:reserve=1024\"]"+test.traffic)
		found := run(t, job(s)).Document.Runs[0]
		for label, want := range test.admitted {
			if row := found.Find(label); row == nil || row.Admitted != want {
				t.Errorf("%s: %s: %+v, want %d admitted", test.about, label, row, want)
			}
		}
		for label, want := range test.peak {
			if row := found.Find(label); row == nil || row.Peak != want {
				t.Errorf("%s: %s: %+v, want a peak of %d", test.about, label, row, want)
			}
		}
	}
}

// userScripts are a script with leases, one with a counter, and one that settles tokens, each with its binding.
var userScripts = map[string]string{
	"holders.lua": `
local now = tonumber(ARGV[1])
if ARGV[2] == 'release' then return redis.call('ZREM', KEYS[1], ARGV[4]) end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if ARGV[2] == 'renew' and not redis.call('ZSCORE', KEYS[1], ARGV[4]) then return 0 end
if ARGV[2] == 'acquire' and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
redis.call('ZADD', KEYS[1], now + 1000000, ARGV[4])
redis.call('PEXPIRE', KEYS[1], 1000)
return 1`,
	"holders.yaml": `
keys: ["h:{key}"]
args: ["{now_us}", acquire, "{limit}", "{id}"]
admitted: [1]
ends: {args: ["{now_us}", release, 0, "{id}"], held: [1]}
renews: {every: 300ms, args: ["{now_us}", renew, 0, "{id}"], held: [1]}
`,
	"counter.lua": `
if tonumber(redis.call('GET', KEYS[1]) or 0) >= tonumber(ARGV[1]) then return 0 end
redis.call('INCR', KEYS[1])
return 1`,
	"counter.yaml": `
keys: ["c:{key}"]
args: ["{limit}"]
admitted: [1]
ends: {lua: "return redis.call('DECR', KEYS[1])"}
`,
	"tokens.lua": `
if tonumber(redis.call('GET', KEYS[1]) or 0) + ARGV[2] > tonumber(ARGV[1]) then return 0 end
redis.call('INCRBY', KEYS[1], ARGV[2])
redis.call('EXPIREAT', KEYS[1], ARGV[3])
return 1`,
	"tokens.yaml": `
keys: ["t:{key}:{now_s // window_s}"]
args: ["{limit}", "{cost}", "{(now_s // window_s + 1) * window_s}"]
admitted: [1]
ends:
  keys: ["t:{key}:{start_s // window_s}"]
  args: ["{actual - reserved}"]
  lua: "if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end redis.call('INCRBY', KEYS[1], ARGV[1]) return 1"
  held: [1]
`,
	"passed-on.lua": `
if tonumber(redis.call('GET', KEYS[1]) or 0) + ARGV[2] > tonumber(ARGV[1]) then return {0} end
redis.call('INCRBY', KEYS[1], ARGV[2])
redis.call('EXPIREAT', KEYS[1], ARGV[3])
return {1, 'window', math.floor(ARGV[3] / ARGV[4] - 1)}`,
	"passed-on.yaml": `
keys: ["p:{key}:{now_s // window_s}"]
args: ["{limit}", "{cost}", "{(now_s // window_s + 1) * window_s}", "{window_s}"]
element: 1
admitted: [1]
ends:
  keys: ["p:{key}:{reply[3]}"]
  args: ["{(actual - reserved) * (window_s == window_s)}", "{reply[2]}"]
  lua: "if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end redis.call('INCRBY', KEYS[1], ARGV[1]) return 1"
  held: [1]
`}

// A user's script with the rule of a built-in one decides alike when requests end, are renewed, and die.
func TestScriptsOfRequestsThatEnd(t *testing.T) {
	file := func(name string) script.File {
		return script.File{Name: name, Read: func(name string) ([]byte, error) {
			if text, ok := userScripts[name]; ok {
				return []byte(text), nil
			}
			return nil, fs.ErrNotExist
		}}
	}
	tokens := written(t, `name: tokens
question: Tokens?
limit: 300/2s
keys: {count: 3}
cost: {uniform: [1, 20]}
takes: {weighted: {40ms: 0.7, 3s: 0.3}}
actual: {plus: {weighted: {1: 0.5, 20: 0.4, 250: 0.1}}}
phases: [{name: crowd, duration: 6s, poisson: 60/s}]
`)
	for _, test := range []struct {
		s         *scenario.Scenario
		file, row string
	}{
		{slots(t), "holders.lua", "leases:ttl=1s:renew=300ms"},
		{slots(t), "counter.lua", "slot-counter"},
		{tokens, "tokens.lua", "fixed-window-aligned"},
		{tokens, "passed-on.lua", "fixed-window-aligned"},
	} {
		j := job(test.s)
		j.Server, j.Algorithms, j.Scripts = redis.KindEmbedded, choices(t, test.row), []script.File{file(test.file)}
		found := run(t, j).Document.Runs[0].Results
		own, built := found[1], found[0]
		if own.DecisionsDigest != built.DecisionsDigest || own.Ends == nil || *own.Ends != *built.Ends {
			t.Errorf("%s decides %s, %+v; %s decides %s, %+v", test.file, own.DecisionsDigest, own.Ends, test.row,
				built.DecisionsDigest, built.Ends)
		}
	}
}

// The ten reported faults, with the traffic that shows each. want is admitted and the peak of the script, and of the
// exact limiter, worked by hand.
func TestReportedFaultsOfRequestsThatEnd(t *testing.T) {
	archive, err := txtar.ParseFile("../examine/testdata/ends.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		script, right, limit, traffic string
		want                          [4]int64
	}{
		{"keeps-rejected", "right-tokens", "100/1m", `takes: 10m
phases:
  - {name: a, duration: 1s, constant: 1, cost: 60}
  - {name: b, duration: 1s, constant: 1, cost: 50}
  - {name: c, duration: 1s, constant: 1, cost: 40}`, [4]int64{1, 60, 2, 100}},
		{"renews-window", "right-tokens", "100/1m", `takes: 1s
phases: [{name: steady, duration: 10m20s, constant: 31, cost: 10}]`, [4]int64{10, 30, 31, 30}},
		{"settles-late", "right-tokens", "100/1m", `takes: 1s
phases:
  - {name: early, duration: 59s, pause: true}
  - {name: a, duration: 1500ms, burst: 1, cost: 80, actual: 10, takes: 2s}
  - {name: b, duration: 1500ms, burst: 1, cost: 80, actual: 80, takes: 10s}
  - {name: c, duration: 1s, burst: 1, cost: 80, actual: 80, takes: 10s}`, [4]int64{3, 170, 2, 90}},
		{"refunds-below-zero", "right-tokens", "100/1m", `takes: 1s
phases:
  - {name: early, duration: 1s, pause: true}
  - {name: a, duration: 1m2s, burst: 1, cost: 90, actual: 1, takes: 61s}
  - {name: b, duration: 1s, burst: 1, cost: 100, actual: 100}
  - {name: c, duration: 1s, burst: 1, cost: 89, actual: 89}`, [4]int64{3, 189, 2, 100}},
		{"large-estimate", "right-tokens", "100/1m", `takes: 1s
phases: [{name: few, duration: 10m, constant: 10, cost: 10, actual: 10}]`, [4]int64{0, 0, 10, 10}},
		{"tiny-estimate", "", "100/1m", `takes: 1s
phases: [{name: all, duration: 1s, burst: 100, actual: 50}]`, [4]int64{100, 5000, 2, 100}},
		{"never-gives-back", "right-tokens", "100/1m", `takes: 1s
phases: [{name: few, duration: 1m, constant: 12, cost: 50, actual: 5}]`, [4]int64{2, 10, 11, 55}},
		{"slot-leaks", "right-slots", "2/in_flight", `takes: 1h
crashes: [{at: 1s, share: 1}]
phases:
  - {name: two, duration: 1m, burst: 2}
  - {name: later, duration: 1h, constant: 60, takes: 1s}`, [4]int64{2, 2, 62, 2}},
		{"slot-ends", "right-slots", "2/in_flight", `takes: 30s
phases: [{name: work, duration: 40s, burst: {count: 2, every: 10s}}]`, [4]int64{8, 6, 4, 2}},
		{"frees-others", "", "1/in_flight", `takes: 1s
phases:
  - {name: a, duration: 11s, burst: 1, takes: 12s}
  - {name: b, duration: 2s, burst: 1, takes: 9s}
  - {name: c, duration: 1s, burst: 1}`, [4]int64{3, 2, 2, 1}},
	} {
		file := func(name string) script.File {
			return script.File{Name: name, Read: func(name string) ([]byte, error) {
				for _, f := range archive.Files {
					if f.Name == name {
						return f.Data, nil
					}
				}
				return nil, fs.ErrNotExist
			}}
		}
		j := job(written(t, "name: one\nquestion: q?\nlimit: "+test.limit+"\n"+test.traffic+"\n"))
		j.Server, j.Scripts = redis.KindEmbedded, []script.File{file(test.script + ".lua")}
		if test.right != "" {
			j.Scripts = append(j.Scripts, file(test.right+".lua"))
		}
		found := run(t, j).Document.Runs[0]
		row := found.Find(test.script)
		if got := [2]int64{row.Admitted, row.Peak}; got != [2]int64(test.want[:2]) {
			t.Errorf("%s: admitted and peak are %d, want %d", test.script, got, test.want[:2])
		}
		if test.right == "" {
			continue
		}
		row = found.Find(test.right)
		if got := [2]int64{row.Admitted, row.Peak}; got != [2]int64(test.want[2:]) {
			t.Errorf("%s beside %s: admitted and peak are %d, want %d", test.right, test.script, got, test.want[2:])
		}
	}
}
