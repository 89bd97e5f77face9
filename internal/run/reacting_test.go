package run_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
	. "ratelab/internal/run"
	"ratelab/internal/scenario"
)

// reacting is ten operations a second for a second, of which five pass, with the clients and what else the file says.
func reacting(t testing.TB, rest string) *scenario.Scenario {
	t.Helper()
	return written(t, `name: reacting
question: What becomes of twice as many as pass?
limit: {requests: 5, per: 1s}
phases:
  - {name: demand, duration: 1s, constant: 10}
  - {name: drain, duration: 3s, pause: true}
`+rest)
}

// The clients' figures, by hand: of ten operations, 100 ms apart, five fill the window that begins at 0 and ends a
// millisecond after its second. The others come back together, and all of them pass.
func TestClientsThatObeyAFixedWindow(t *testing.T) {
	for _, server := range []string{ModelServer, redis.KindEmbedded} {
		j := job(reacting(t, "clients: {count: 3, on_reject: obey}"))
		j.Server, j.Algorithms = server, choices(t, "fixed-window")
		r := run(t, j).Document.Runs[0]
		row := rowOf(t, r, "fixed-window")
		want := measure.Clients{Operations: 10, Succeeded: 10, Attempts: 15, GoodputPerSecond: 2.5, Lockstep: 5,
			Amplification: new(float64), TimeToSuccessUS: &measure.Percentiles{P50: 0, P99: 501_000,
				Max: 501_000},
			RetryAfter: &measure.RetryAfter{Checked: 5, True: 5}}
		*want.Amplification = 1.5
		want.Groups = []measure.ClientGroup{{Name: "clients", Operations: 10, Succeeded: 10, Attempts: 15,
			TimeToSuccessUS: want.TimeToSuccessUS}}
		if diff := cmp.Diff(want, *row.Clients); diff != "" {
			t.Errorf("%s: %s", server, diff)
		}
		if row.Offered != 15 || row.Admitted != 10 || row.Rejected != 5 || r.Reference != nil {
			t.Errorf("%s: row %+v, reference %+v", server, row.Result, r.Reference)
		}
		if !slices.Equal(r.ClientGroups, []string{"clients"}) || row.ClockEffect != nil {
			t.Errorf("%s: groups %q, clocks %+v", server, r.ClientGroups, row.ClockEffect)
		}
		unconfirmed := slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, "no script") })
		if unconfirmed != (server == ModelServer) {
			t.Errorf("%s: notes %q", server, r.Notes)
		}
	}
}

// Where clients only give up and nothing is wrong with the clocks, the world is as if it were not there.
func TestQuietClientsChangeNothing(t *testing.T) {
	plain, quiet := run(t, job(reacting(t, ""))).Document.Runs[0], run(t,
		job(reacting(t, "clients: {count: 4}"))).Document.Runs[0]
	for i := range plain.Results {
		if plain.Results[i].Result != quiet.Results[i].Result {
			t.Errorf("%s: %+v alone, %+v with clients", plain.Results[i].Algorithm, plain.Results[i].Result,
				quiet.Results[i].Result)
		}
	}
}

// A user's script decides on the server, one request at a time, and finds what the algorithm of the same rule finds.
func TestAScriptOfOnesOwnReactsToClients(t *testing.T) {
	j := job(reacting(t, "clients: {count: 3, on_reject: ignore, wait: 30ms, delay: {uniform: [1ms, 9ms]}}"))
	j.Server, j.Algorithms = redis.KindEmbedded, choices(t, "fixed-window")
	j.Scripts = files(scriptFile(t, "mine", `
local n = redis.call('INCR', KEYS[1])
if n == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
if n > tonumber(ARGV[1]) then redis.call('DECR', KEYS[1]) return 0 end
return 1`, "keys: [\"mine:{key}\"]\nargs: [\"{limit}\", \"{window_ms}\"]\nadmitted: [1]\n"))
	r := run(t, j).Document.Runs[0]
	own, builtin := rowOf(t, r, "mine"), rowOf(t, r, "fixed-window")
	if own.Result != builtin.Result || own.Clients.Attempts != builtin.Clients.Attempts || own.Clients.Attempts < 20 ||
		own.Clients.RetryAfter != nil {
		t.Errorf("own script %+v\nfixed-window %+v", own.Result, builtin.Result)
	}
}

// A model that does not answer as its script does is found out, and the message has all that is needed to see why.
func TestADifferenceIsAnError(t *testing.T) {
	for _, clients := range []string{"", "clients: {on_reject: obey}"} {
		j := job(reacting(t, clients))
		j.Server, j.Algorithms = redis.KindEmbedded, choices(t, "gcra")
		plans, err := j.Plans()
		if err != nil {
			t.Fatal(err)
		}
		c := plans[0].Limiters[0]
		right := c.NewModel
		c.NewModel = func() limit.Model { return &generous{Model: right()} }
		_, err = j.Play(t.Context(), plans)
		var differs *DifferenceError
		if !errors.As(err, &differs) || differs.Number != 6 {
			t.Fatalf("%q: got %v", clients, err)
		}
		const want = `gcra: request 6 (key "k0", cost 1, at 500000 us): the model answers allowed 1, remaining 2, ` +
			`retry_after_us 0, the script on the server allowed 1, remaining 1, retry_after_us 0`
		if err.Error() != want {
			t.Errorf("%q: got  %v\nwant %s", clients, err, want)
		}
	}
}

// generous adds one to what remains, from the sixth answer on.
type generous struct {
	limit.Model
	answers int
}

func (g *generous) Decide(serverUS, clientUS int64, key string, cost int64) limit.Decision {
	d := g.Model.Decide(serverUS, clientUS, key, cost)
	if g.answers++; g.answers > 5 {
		d.Remaining++
	}
	return d
}

// A job that is stopped at once has all its rows, and says that they are not complete.
func TestAWorldCanBeStopped(t *testing.T) {
	ctx, interrupt := interruptible(t)
	interrupt()
	j := job(builtinScenarios(t, "retrying-clients")...)
	result := runUntil(t, ctx, j)
	if r := result.Document.Runs[0]; !r.Partial || !result.Interrupted || len(r.Results) < 10 {
		t.Errorf("partial %v, interrupted %v, %d rows", r.Partial, result.Interrupted, len(r.Results))
	}
}

// Two clients half a second apart, and a rule that goes by their clocks: by hand, against right clocks.
func TestClockEffect(t *testing.T) {
	j := job(reacting(t, "server_clock: [{at: 300ms, step: -2s}]"))
	j.Algorithms = choices(t, "fixed-window-aligned")
	// Five have passed by 400 ms with right clocks, the others are rejected. With the step at 300 ms the three of the
	// first second have filled that window; those after it fall into an older one, where five more pass, until 700 ms.
	// Recovery is to the end of the window in which they do.
	r := rowOf(t, run(t, j).Document.Runs[0], "fixed-window-aligned")
	if want := (measure.ClockEffect{ExtraAdmitted: 3, PeakWithRightClocks: 5,
		RecoveryUS: 700_000}); r.ClockEffect == nil || *r.ClockEffect != want {
		t.Errorf("got %+v, want %+v", r.ClockEffect, want)
	}
}

// However the last answers fall about the end, all rows of a run have series of one length: they share their axes.
func TestSeriesOfAWorldShareTheirAxes(t *testing.T) {
	for _, phases := range []string{
		"[{name: a, duration: 5s, constant: 20/s}]",
		"[{name: a, duration: 5s, constant: 20/s}, {name: at the very end, burst: 20}]",
		"[{name: a, trace: {file: calls.csv, format: csv, time: at}}]",
	} {
		for _, clients := range []string{"{count: 5, on_reject: obey}", "{count: 5, delay: 100ms}",
			"{count: 5, delay: 100ms, on_reject: at_once, attempts: 9}"} {
			dir := t.TempDir()
			calls := "at\n" + strings.Repeat("2024-01-01T00:00:01Z\n", 30) + "2024-01-01T00:00:07.5Z\n"
			if err := os.WriteFile(filepath.Join(dir, "calls.csv"), []byte(calls), 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := scenario.Parse(filepath.Join(dir, "ends.yaml"),
				[]byte("name: ends\nquestion: How does it end?\nlimit: {requests: 10, per: 1s}\nphases: "+phases+
					"\nclients: "+clients+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			in := run(t, job(s)).Charts[0]
			want, width := len(in.Traffic.Offered), in.Traffic.BucketUS
			for _, p := range in.Algorithms {
				if got := len(p.Series.Admitted); got != want || p.Series.BucketUS != width ||
					len(p.Traffic.Offered) != want {
					t.Errorf("%s, %s: %s has %d buckets of %d us and %d of its traffic, that of all %d of %d us",
						phases, clients, p.Label, got, p.Series.BucketUS, len(p.Traffic.Offered), want, width)
				}
			}
		}
	}
}

// A user's script decides ahead where clients give up, and gets the requests that a model gets one by one: in the order
// in which they arrive, with the clocks' errors.
func TestAUsersScriptDecidesAhead(t *testing.T) {
	source, err := os.ReadFile("../../lua/fixed-window.lua")
	if err != nil {
		t.Fatal(err)
	}
	file := scriptFile(t, "mine", string(source),
		"keys: ['{key}']\nargs: ['', '{cost}', '{limit}', '{window_ms}']\nelement: 1\nadmitted: [1]\n"+
			"rejected: [0]\nremaining: {element: 2}\nretry_after: {element: 3, unit: us}\n")
	j := job(builtinScenarios(t, "delayed-commands", "server-clock-step", "over-limit-flag")...)
	j.Server, j.Algorithms, j.Scripts = redis.KindEmbedded, choices(t, "fixed-window"), files(file)
	for _, r := range run(t, j).Document.Runs {
		mine, model := rowOf(t, r, "mine"), rowOf(t, r, "fixed-window")
		if mine.DecisionsDigest != model.DecisionsDigest || mine.Rejected == 0 ||
			!cmp.Equal(mine.ClockEffect, model.ClockEffect) ||
			mine.Clients != nil && *mine.Clients.TimeToSuccessUS != *model.Clients.TimeToSuccessUS {
			t.Errorf("%s: the script has %+v, the model %+v", r.Scenario, mine, model)
		}
	}
}

// A user's script is compared with right clocks as a built-in limiter is, and no key of the one run is in the other.
func TestAUsersScriptIsComparedWithRightClocks(t *testing.T) {
	file := scriptFile(t, "back", `
local cap, now, t = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(redis.call('GET', KEYS[1] .. ':t'))
if now ~= t then redis.call('SET', KEYS[1], cap) redis.call('SET', KEYS[1] .. ':t', now) end
return redis.call('DECR', KEYS[1]) >= 0 and 1 or 0`, "keys: ['{key}']\nargs: ['{limit}', '{now_s}']\nadmitted: [1]\n")
	redistest.Each(t, func(t *testing.T, server *redis.Server) {
		j := job(builtinScenarios(t, "client-clocks")...)
		j.Algorithms, j.Scripts = choices(t, "fixed-window-aligned"), files(file)
		r := runOn(t, j, server).Document.Runs[0]
		row := rowOf(t, r, "back")
		// 20 in each of ten aligned seconds; on clocks that disagree the second changes with nearly every request.
		want := measure.ClockEffect{ExtraAdmitted: row.Admitted - 200, PeakWithRightClocks: 20}
		if row.Admitted < 400 || row.ClockEffect == nil || *row.ClockEffect != want {
			t.Errorf("admitted %d, %+v, want %+v", row.Admitted, row.ClockEffect, want)
		}
	})
}
