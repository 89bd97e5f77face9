package scenario

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"ratelab/internal/accesslog"
	"ratelab/internal/clients"
	"ratelab/internal/limit"
	"ratelab/internal/traffic"
	"ratelab/scenarios"
)

const everything = `# every field there is
name: everything
question: Is every field read?
limit: {requests: 1000, per: 3s, burst: 100}
seed: 7
start: 2024-06-01T12:00:00+02:00
on_late: drop
boundary: true
keys: {count: 20}
cost: {weighted: {1: 0.9, 50: 0.1}}
phases:
  - {name: count, duration: 1s, constant: 980}
  - {name: rate, duration: 1s, constant: 400/s, keys: {count: 5, distribution: sequential}, cost: 3}
  - {name: poisson, duration: 1m30s, poisson: 400/s, keys: {count: 5, distribution: zipf, exponent: 0.99}}
  - {name: ramp, duration: 1s, ramp: {from: 0/s, to: 500/s}, keys: {count: 5, distribution: hot, hot: {keys: 1, share: 0.8}}}
  - {name: steps, duration: 1s, steps: {start: 10/s, step: 20/s, every: 5s}, cost: {uniform: [1, 10]}}
  - {name: burst, burst: 1000}
  - {name: bursts, duration: 1s, burst: {count: 50, every: 100ms}}
  - {name: spike, duration: 1s, spike: 5000}
  - {name: sine, duration: 1d, sine: {mean: 100/1h, amplitude: 80/1h, period: 24h}}
  - {name: square, duration: 1s, on_off: {rate: 200/s, on: 200ms, off: 300ms}}
  - {name: pause, duration: 250us, pause: true}
  - {name: trace, trace: {file: logs/a.csv, format: csv, key: ip, time: t, year: 2026, cost: a+b, where: [x=y], speed: 2.5, skip: 3, limit: 4, within_second: at_once}}
clients:
  - {name: polite, count: 20, on_reject: obey, attempts: 5, jitter: full, offset: 250ms, drift: 50, delay: {uniform: [1ms, 20ms]}}
  - {name: stubborn, on_reject: ignore, wait: 100ms, offset: {uniform: [-2s, 2s]}, drift: {uniform: [-100, 100]}, local_flag: true}
  - {name: greedy, on_reject: at_once, attempts: 3, delay: 5ms}
  - {name: careful, on_reject: backoff, backoff: {base: 100ms, factor: 1.5, max: 10s, jitter: full}}
  - {name: calm, count: 2}
server_clock:
  - {at: 10s, step: -5s}
  - {at: 1m, step: 7s}
sequences: [read-then-increment, distributed-lock, distributed-lock:lock_ttl=20ms]
rows: ["gcra:limit=5", "gcra:limit=5:per=1s"]
parameters:
  gcra: {burst: 100}
  token-bucket: {mode: lend, rate: 0.5}
expect:
  - {algorithm: "gcra:burst=100", admitted: 885, peak: {min: 1, max: 865}}
  - {algorithm: none, rejected: 0, x_limit: {min: 1.5}}
`

// Several limits take the place of limit.
const severalLimits = `# every field of limits
name: several
question: Are several limits read?
limits:
  - {name: rpm, requests: 120, per: 1m, counts: requests}
  - 300000/1m
  - {name: org, requests: 1000, per: 1d, burst: 100, contract: bucket, counts: cost, key: 2}
keys: {count: 20, groups: 3}
phases:
  - {name: crowd, duration: 1m, constant: 10/s}
expect:
  - {algorithm: gcra, "refused:rpm": 480, "in_vain:org": {max: 9}, several_refused: 0}
`

// Requests that end have fields of their own.
const endings = `# every field of requests that end
name: endings
question: Are requests that end read?
limit: {in_flight: 24}
cost: 3
takes: 30s
actual: {plus: {lognormal: {p50: 50, p99: 500}}}
crashes: [{at: 10s, share: 0.33}]
phases:
  - {name: uniform, duration: 20s, constant: 10/s, takes: {uniform: [1s, 5s]}, actual: 5}
  - {name: weighted, duration: 20s, constant: 10/s, takes: {weighted: {1s: 0.9, 1m: 0.1}}, actual: {uniform: [1, 9]}}
  - {name: lognormal, duration: 20s, constant: 10/s, takes: {lognormal: {p50: 4s, p99: 1m}}, actual: {lognormal: {p50: 5, p99: 90}}}
  - {name: log, trace: {file: a.csv, takes: "ms:ms", actual: "a+b", time_is: end}}
`

func TestEndingsAreRead(t *testing.T) {
	s, err := Parse("endings.yaml", []byte(endings))
	if err != nil {
		t.Fatal(err)
	}
	p := s.Phases[2]
	if s.Limit != (limit.Policy{Requests: 24, Contract: limit.ByFlight}) || s.Crashes[0].AtUS != 10_000_000 ||
		p.Takes != (traffic.LognormalCost{P50: 4e6, P99: 60e6}) ||
		p.Actual != (traffic.LognormalCost{P50: 5, P99: 90}) || p.Plus || !s.HasTakes() || !s.HasActual() {
		t.Errorf("%+v, %+v", s, p)
	}
	if first := s.Phases[0]; first.Takes != (traffic.UniformCost{Min: 1e6, Max: 5e6}) || first.Plus {
		t.Errorf("%+v", first)
	}
}

func TestSeveralLimitsAreRead(t *testing.T) {
	s, err := Parse("several.yaml", []byte(severalLimits))
	if err != nil {
		t.Fatal(err)
	}
	want := []limit.Limit{
		{Name: "rpm", Policy: limit.Policy{Requests: 120, Window: time.Minute}, CountsRequests: true},
		{Name: "limit2", Policy: limit.Policy{Requests: 300000, Window: time.Minute}},
		{Name: "org", Part: 2, Policy: limit.Policy{Requests: 1000, Window: 24 * time.Hour, Burst: 100,
			Contract: limit.ByBucket}},
	}
	if !slices.Equal(s.Limits, want) || s.Limit != want[0].Policy || s.Phases[0].Groups != 3 {
		t.Errorf("limits %+v, limit %v, groups %d", s.Limits, s.Limit, s.Phases[0].Groups)
	}
	if name := s.Expect[0].Measures[0].Measure; name != "refused:rpm" {
		t.Errorf("the first measure is %s", name)
	}
}

func TestEveryFieldIsRead(t *testing.T) {
	s, err := Parse(filepath.FromSlash("some/where/everything.yaml"), []byte(everything))
	if err != nil {
		t.Fatal(err)
	}
	if s.Limit != (limit.Policy{Requests: 1000, Window: 3 * time.Second, Burst: 100, Contract: limit.ByBucket}) ||
		s.Seed != 7 || s.OnLate != "drop" || !s.Boundary ||
		s.Name != "everything" || s.Question != "Is every field read?" ||
		!s.Start.Equal(time.Date(2024, 6, 1, 10, 0, 0, 0, time.UTC)) {
		t.Errorf("the head is %+v", s)
	}
	rate := func(n int64, per time.Duration) traffic.Rate { return traffic.Rate{Count: n, Per: per} }
	keys, cost := traffic.Uniform{Count: 20}, traffic.WeightedCost{{Cost: 1, Weight: 0.9}, {Cost: 50, Weight: 0.1}}
	want := []traffic.Phase{
		{Name: "count", Duration: time.Second, Keys: keys, Cost: cost,
			Arrivals: traffic.Steady{Rate: traffic.Rate{Count: 980, Per: time.Second}}},
		{Name: "rate", Duration: time.Second, Arrivals: traffic.Steady{Rate: rate(400, time.Second)},
			Keys: traffic.Sequential{Count: 5}, Cost: traffic.FixedCost(3)},
		{Name: "poisson", Duration: 90 * time.Second, Arrivals: traffic.Poisson{Rate: rate(400, time.Second)},
			Keys: traffic.Zipf{Count: 5, Exponent: 0.99}, Cost: cost},
		{Name: "ramp", Duration: time.Second,
			Arrivals: traffic.Ramp{From: rate(0, time.Second), To: rate(500, time.Second)}, Keys: traffic.Hot{Count: 5,
				Keys: 1, Share: 0.8}, Cost: cost},
		{Name: "steps", Duration: time.Second,
			Arrivals: traffic.Steps{Start: 10, Step: 20, Per: time.Second,
				On: 5 * time.Second, Every: 5 * time.Second}, Keys: keys, Cost: traffic.UniformCost{Min: 1, Max: 10}},
		{Name: "burst", Arrivals: traffic.Burst{Size: 1000}, Keys: keys, Cost: cost},
		{Name: "bursts", Duration: time.Second, Arrivals: traffic.Burst{Size: 50, Every: 100 * time.Millisecond},
			Keys: keys, Cost: cost},
		{Name: "spike", Duration: time.Second, Arrivals: traffic.Spike(5000), Keys: keys, Cost: cost},
		{Name: "sine", Duration: 24 * time.Hour,
			Arrivals: traffic.Sine{Mean: rate(100, time.Hour), Amplitude: rate(80, time.Hour),
				Period: 24 * time.Hour}, Keys: keys, Cost: cost},
		{Name: "square", Duration: time.Second,
			Arrivals: traffic.Steps{Start: 200, Per: time.Second, On: 200 * time.Millisecond,
				Every: 500 * time.Millisecond}, Keys: keys, Cost: cost},
		{Name: "pause", Duration: 250 * time.Microsecond, Keys: keys, Cost: cost,
			Arrivals: traffic.Steady{Rate: traffic.Rate{Per: time.Second}}},
		{Name: "trace", Trace: &accesslog.Trace{File: filepath.FromSlash("some/where/logs/a.csv"),
			Format: accesslog.CSV, Key: "ip", Time: "t", Year: 2026, Cost: "a+b", Where: []string{"x=y"},
			Speed: 2.5, Skip: 3, Limit: 4, WithinSecond: accesslog.AtStart}},
	}
	groups := []clients.Group{
		{Name: "polite", Count: 20, OnReject: clients.Obey, Attempts: 5, Jitter: clients.FullJitter,
			OffsetUS: clients.Range{Min: 250_000, Max: 250_000}, DriftPPM: clients.Range{Min: 50,
				Max: 50}, DelayUS: clients.Range{Min: 1000, Max: 20_000}},
		{Name: "stubborn", Count: 1, OnReject: clients.Ignore, WaitUS: 100_000,
			OffsetUS: clients.Range{Min: -2_000_000, Max: 2_000_000}, DriftPPM: clients.Range{Min: -100,
				Max: 100}, LocalFlag: true},
		{Name: "greedy", Count: 1, OnReject: clients.AtOnce, Attempts: 3, DelayUS: clients.Range{Min: 5000, Max: 5000}},
		{Name: "careful", Count: 1, OnReject: clients.BackOff,
			Backoff: clients.Backoff{BaseUS: 100_000, MaxUS: 10_000_000, Factor: 1.5, Jitter: clients.FullJitter}},
		{Name: "calm", Count: 2, OnReject: clients.GiveUp},
	}
	if !reflect.DeepEqual(s.Clients, groups) {
		t.Errorf("the clients are %+v, want %+v", s.Clients, groups)
	}
	if !reflect.DeepEqual(s.ServerClock,
		clients.ServerClock{{AtUS: 10_000_000, ByUS: -5_000_000}, {AtUS: 60_000_000, ByUS: 7_000_000}}) ||
		!slices.Equal(s.Sequences, []string{"read-then-increment", "distributed-lock",
			"distributed-lock:lock_ttl=20ms"}) || !s.Reactive() {
		t.Errorf("the server's clock is %+v and the sequences %q", s.ServerClock, s.Sequences)
	}
	file := filepath.FromSlash("some/where/everything.yaml")
	labels := []RowLabel{{"gcra:limit=5", file + ":34:8"}, {"gcra:limit=5:per=1s", file + ":34:24"}}
	if !slices.Equal(s.Rows, labels) {
		t.Errorf("the rows are %+v, want %+v", s.Rows, labels)
	}
	for i := range want {
		if !reflect.DeepEqual(s.Phases[i], want[i]) {
			t.Errorf("phase %d is %+v, want %+v", i, s.Phases[i], want[i])
		}
	}
	if p := map[string]map[string]string{"gcra": {"burst": "100"},
		"token-bucket": {"mode": "lend", "rate": "0.5"}}; !reflect.DeepEqual(s.Parameters, p) {
		t.Errorf("parameters %v, want %v", s.Parameters, p)
	}
	var expect []string
	for _, e := range s.Expect {
		for _, m := range e.Measures {
			expect = append(expect, e.Algorithm+" "+m.Measure+" "+m.String())
		}
	}
	if want := []string{"gcra:burst=100 admitted 885", "gcra:burst=100 peak 1..865", "none rejected 0",
		"none x_limit 1.5.."}; !slices.Equal(expect, want) {
		t.Errorf("expect %q, want %q", expect, want)
	}
	if place := s.Expect[1].Place; !strings.HasPrefix(place, file+":40:") {
		t.Errorf("the second stands at %s", place)
	}
}

func TestRange(t *testing.T) {
	r := Range{Min: 2, Max: math.Inf(1)}
	if r.Contains(1.9) || !r.Contains(2) || !r.Contains(1e9) || r.String() != "2.." {
		t.Errorf("%s contains the wrong numbers", r)
	}
	if r := (Range{Min: math.Inf(-1), Max: 3}); r.String() != "..3" || r.Contains(4) {
		t.Errorf("%s", r)
	}
}

// TestBuiltin: each asks, answers, has an editor's first line, and is small enough to be run with every algorithm.
func TestBuiltin(t *testing.T) {
	all, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 16 {
		t.Errorf("%d scenarios, want at least 16", len(all))
	}
	questions := map[string]string{}
	for _, s := range all {
		t.Run(s.Name, func(t *testing.T) {
			data, err := scenarios.Files.ReadFile(s.Name + ".yaml")
			if err != nil || !strings.HasPrefix(string(data), "# yaml-language-server: $schema=schema.json\n") {
				t.Errorf("the first line does not point editors to the schema (%v)", err)
			}
			if other, twice := questions[s.Question]; twice {
				t.Errorf("%s asks the same", other)
			}
			questions[s.Question] = s.Name
			if len(s.Expect) < 2 || !s.HasTakes() && s.Expect[0].Algorithm != "sliding-window-log" {
				t.Error("expect must state what the exact reference does first (- {algorithm: sliding-window-log, " +
					"…}), and what another algorithm does")
			}
			n := 0
			d, _ := s.Stream(s.Seed).Duration()
			for r, err := range s.Stream(s.Seed).Requests() {
				if n++; err != nil || r.AtUS > d.Microseconds() || r.Cost < 1 {
					t.Fatalf("request %+v, %v", r, err)
				}
			}
			if n == 0 || n > 30_000 { // the embedded server decides some ten thousand a second, for each algorithm
				t.Errorf("%d requests, want 1 to 30,000", n)
			}
		})
	}
}

func TestLoad(t *testing.T) {
	s, err := Load("extreme-case-1")
	if err != nil || s.Name != "extreme-case-1" || len(s.SHA256) != 64 {
		t.Errorf("%+v, %v", s, err)
	}
	file := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(file, []byte(strings.Replace(everything, "name: everything", "name: mine", 1)),
		0o644); err != nil {
		t.Fatal(err)
	}
	if s, err = Load(file); err != nil || s.Name != "mine" {
		t.Errorf("%+v, %v", s, err)
	}
	for from, want := range map[string]string{"name: everything": "mine", "name: another": "another"} {
		named := strings.Replace(everything, "name: everything\n", strings.TrimPrefix(from, "name: everything")+"\n", 1)
		if err := os.WriteFile(file, []byte(named), 0o644); err != nil {
			t.Fatal(err)
		}
		if s, err = Load(file); err != nil || s.Name != want {
			t.Errorf("%q: %+v, %v; want the name %s", from, s, err, want)
		}
	}
	// a name may have underscores, and a title need be no question
	titled := strings.NewReplacer("name: everything\n", "", "Is every field read?", strings.Repeat("Title ", 33)+".")
	file = filepath.Join(t.TempDir(), "black_friday.yaml")
	if err := os.WriteFile(file, []byte(titled.Replace(everything)), 0o644); err != nil {
		t.Fatal(err)
	}
	if s, err = Load(file); err != nil || s.Name != "black_friday" || len(s.Question) != 199 {
		t.Errorf("%+v, %v", s, err)
	}
	for _, name := range Names() {
		if s, err := Load(name); err != nil || s.Name != name {
			t.Errorf("the built-in scenario in %s.yaml: %+v, %v", name, s, err)
		}
	}
	for name, want := range map[string]string{
		"extreme-case1": `scenario "extreme-case1": no such scenario; did you mean "extreme-case-1"? (simulate list`,
		"zz\x1b":        `scenario "zz\x1b": no such scenario (simulate list`,
		"./gone.yaml":   "./gone.yaml: no such file; want a scenario file",
		"gone.yml":      "gone.yml: no such file; want a scenario file",
		"../scenario":   "../scenario: is a folder, not a file; want a scenario file",
	} {
		if _, err := Load(name); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("Load(%q): %v\nwant %s", name, err, want)
		}
	}
}

func TestFromTrace(t *testing.T) {
	s := FromTrace(accesslog.Trace{File: "/var/log/Access_2024.log.gz"},
		limit.Policy{Requests: 100, Window: time.Minute})
	if s.Name != "access-2024-log" || s.Question != "What does a limit of 100/1m admit of Access_2024.log.gz?" ||
		len(s.SHA256) != 64 {
		t.Errorf("%+v", s)
	}
	for base, want := range map[string]string{"..": "trace", "日本.log": "log", "-x-.csv": "x-csv",
		strings.Repeat("a", 90): strings.Repeat("a", 64)} {
		if got := traceName(base); got != want {
			t.Errorf("%q is named %q, want %q", base, got, want)
		}
	}
}

// FuzzParse: whatever the bytes, Parse ends, and says in order and on one line each what is wrong.
func FuzzParse(f *testing.F) {
	f.Add([]byte(everything))
	bad, _ := filepath.Glob("testdata/bad/*.yaml")
	for _, file := range bad {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parse("everything.yaml", data)
		if (s == nil) == (err == nil) {
			t.Fatalf("scenario %v, error %v", s, err)
		}
		if err != nil {
			checkShape(t, "everything.yaml", err)
			return
		}
		n := 0
		for _, err := range s.Stream(s.Seed).Requests() {
			if n++; err != nil || n > 1000 {
				break
			}
		}
	})
}
