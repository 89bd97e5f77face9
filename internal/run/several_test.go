package run_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"ratelab/algorithms"
	"ratelab/internal/longtest"
	"ratelab/internal/redis"
	"ratelab/internal/scenario"
	"ratelab/internal/script"
)

// severalLimits has three limits with different counts and parts of the key. Every algorithm asks them in every way.
func severalLimits(t *testing.T) *scenario.Scenario {
	return written(t, `name: several-limits
question: Do three limits on one request decide alike everywhere?
limits:
  - {name: rpm, requests: 7, per: 700ms, counts: requests}
  - {name: tpm, requests: 25, per: 1100ms}
  - {name: org, requests: 60, per: 2s, key: 2}
keys: {count: 12, groups: 3}
cost: {weighted: {1: 0.6, 4: 0.3, 26: 0.1}}
phases:
  - {name: crowd, duration: 6s, poisson: `+strconv.Itoa(longtest.Of(600, 200))+`/s}
rows: [`+strings.TrimSuffix(everyWay(), ", ")+`]
`)
}

// slotsAndTokens has a limit on requests in flight beside two with a window. Some holders die.
func slotsAndTokens(t *testing.T) *scenario.Scenario {
	return written(t, `name: slots-and-tokens
question: Are slots beside other limits held alike everywhere?
limits:
  - {name: tpm, requests: 40, per: 900ms}
  - {name: slots, in_flight: 4}
  - {name: org, requests: 90, per: 2s, key: 2}
keys: {count: 12, groups: 3}
cost: {weighted: {1: 0.6, 4: 0.3, 41: 0.1}}
takes: {weighted: {1us: 0.2, 40ms: 0.4, 300ms: 0.2, 2s: 0.2}}
crashes: [{at: 2s, share: 0.5}]
phases:
  - {name: crowd, duration: 6s, poisson: `+strconv.Itoa(longtest.Of(600, 200))+`/s}
rows: ["gcra:ask=reversed", "sliding-window-log:ask=all"]
`)
}

// A slot that a later limit does not use is free at once. A window that is asked before the slots is charged in vain.
func TestSlotsBesideAWindow(t *testing.T) {
	s := written(t, `name: beside
question: Beside?
limits: [2/10s, 1/in_flight]
takes: 500ms
phases:
  - {name: a, duration: 1s, burst: 1, takes: 5s}
  - {name: b, duration: 5s, burst: 1}
  - {name: c, duration: 1s, burst: 1}
  - {name: d, duration: 4s, burst: 1}
`)
	found := run(t, job(s)).Document.Runs[0]
	type figures struct{ admitted, byWindow, bySlots, inVain, peak int64 }
	for label, want := range map[string]figures{
		"sliding-window-log":              {1, 2, 1, 1, 1},
		"sliding-window-log:ask=reversed": {2, 1, 1, 0, 1},
		"sliding-window-log:ask=all":      {1, 2, 1, 1, 1},
	} {
		row := found.Find(label)
		got := figures{row.Admitted, row.Limits[0].Refused, row.Limits[1].Refused, *row.Limits[0].InVain,
			row.Limits[1].Peak}
		if got != want || *row.Limits[1].InVain != 0 {
			t.Errorf("%s: %+v, want %+v; slots in vain: %d", label, got, want, *row.Limits[1].InVain)
		}
	}
	if got := found.Reference; got == nil {
		t.Error("there is no reference")
	}
}

// everyWay lists the rows that are no default rows.
func everyWay() (rows string) {
	for _, c := range algorithms.Defaults() {
		if algorithms.IsFloor(c.Label) || c.Algorithm.Family == "shaper" {
			continue
		}
		ways := []string{algorithms.AskReversed, algorithms.AskAll}
		for _, way := range ways {
			rows += fmt.Sprintf("%q, ", c.Label+":ask="+way)
		}
	}
	return rows
}

// One limit decides the same requests alone, as the only one of a list, and beside a limit that never refuses.
func TestOneOfSeveralLimitsDecidesAsAlone(t *testing.T) {
	const traffic = `
keys: {count: 5}
cost: {uniform: [1, 4]}
phases:
  - {name: crowd, duration: 5s, poisson: 100/s}
`
	alone := run(t, job(written(t, "name: alone\nquestion: One?\nlimit: 20/1s"+traffic))).Document.Runs[0]
	list := run(t, job(written(t, "name: listed\nquestion: One?\nlimits: [20/1s]"+traffic))).Document.Runs[0]
	beside := run(t, job(written(t, "name: beside\nquestion: One?\nlimits: [20/1s, 1000000/1s]"+traffic))).
		Document.Runs[0]
	for _, row := range beside.Results {
		name := algorithms.NameOf(row.Algorithm)
		if a, b := alone.Find(name), list.Find(name); a.DecisionsDigest != row.DecisionsDigest ||
			b.DecisionsDigest != row.DecisionsDigest {
			t.Errorf("%s decides %s, %s alone and %s as the only one of a list", row.Algorithm, row.DecisionsDigest,
				a.DecisionsDigest, b.DecisionsDigest)
		}
		if a := alone.Find(name); a.XLimit != row.XLimit || a.Lost != row.Lost || a.Excess != row.Excess {
			t.Errorf("%s: x_limit %v, lost %v; alone %v, %v", row.Algorithm, row.XLimit, row.Lost, a.XLimit, a.Lost)
		}
	}
	if beside.Reference.DecisionsDigest != alone.Reference.DecisionsDigest {
		t.Error("the references differ")
	}
}

// undone reads a log that takes back what another limit refused.
func undone(name string) ([]byte, error) {
	if name == "undone.lua" {
		return []byte(`redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[2] - ARGV[3])
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[4])
redis.call('PEXPIRE', KEYS[1], ARGV[3] / 1000)
return 1`), nil
	}
	return []byte(`keys: ["log:{name}:{key}"]
args: ["{limit}", "{now_us}", "{window_us}", "{id}"]
admitted: [1]
ask: undo
undo: {lua: "return redis.call('ZREM', KEYS[1], ARGV[1])", args: ["{id}"]}
`), nil
}

// A client sends 50 requests a second for 20 s, and 2 a second later. An independent program has the same figures.
func TestTheOrderOfAskingCostsADay(t *testing.T) {
	s := written(t, `name: second-and-day
question: What does a client get that asks 50 times a second, and later twice?
limits: [10/1s, 1000/1d]
phases:
  - {name: burst, duration: 20s, constant: 50/s}
  - {name: later, duration: 10m, constant: 2/s}
`)
	j := job(s)
	j.Server, j.Scripts = redis.KindEmbedded, []script.File{{Name: "undone.lua", Read: undone}}
	found := run(t, j).Document.Runs[0]
	type figures struct {
		admitted         int64
		alone, vain      [2]int64
		several, percent int64
	}
	want := map[string]figures{
		"sliding-window-log":              {1000, [2]int64{800, 400}, [2]int64{400, 0}, 0, 0},
		"sliding-window-log:ask=reversed": {200, [2]int64{800, 1200}, [2]int64{0, 800}, 0, 80},
		"sliding-window-log:ask=all":      {200, [2]int64{800, 1200}, [2]int64{1200, 800}, 0, 80},
		"gcra":                            {1007, [2]int64{791, 402}, [2]int64{402, 0}, 0, 0},
		"gcra:ask=atomic":                 {1007, [2]int64{791, 402}, [2]int64{0, 0}, 0, 0},
		"fixed-window-aligned:ask=atomic": {1000, [2]int64{800, 400}, [2]int64{0, 0}, 0, 0},
		"undone":                          {1000, [2]int64{800, 400}, [2]int64{0, 0}, 0, 0},
	}
	for label, w := range want {
		row := found.Find(label)
		if row == nil {
			t.Errorf("there is no row %s", label)
			continue
		}
		l := row.Limits
		got := figures{row.Admitted, [2]int64{l[0].RefusedAlone, l[1].RefusedAlone},
			[2]int64{*l[0].InVain, *l[1].InVain}, *row.Several.Refused, int64(100*row.Lost + 0.5)}
		if got != w {
			t.Errorf("%s: %+v, want %+v", label, got, w)
		}
	}
}
