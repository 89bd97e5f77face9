package run_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	_ "ratelab/internal/engine"
	"ratelab/internal/longtest"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/result"
	"ratelab/internal/scenario"
)

// Every scenario under every algorithm comes out the same on every server as from the models: each count, and the
// hash over every decision. The containers share the built-in scenarios among them. The tests of cmd/simulate compare
// the embedded server's decisions with results/, and .ci/run compares those of a process.
func TestEveryServerDecidesAsTheModels(t *testing.T) {
	builtin, own := everyScenario(t), []*scenario.Scenario{manyClients(t), oddClocks(t), severalLimits(t),
		slotsAndTokens(t), tokensAtTheEnd(t), slots(t)}
	want := map[string]result.Run{}
	for _, r := range run(t, job(append(own, builtin...)...)).Document.Runs {
		want[r.Scenario] = r
	}
	containers := 0
	redistest.Each(t, func(t *testing.T, s *redis.Server) {
		list := slices.Clone(own)
		if s.Kind == redis.KindContainer {
			for i := containers; i < len(builtin); i += len(redistest.Images()) {
				list = append(list, builtin[i])
			}
			containers++
		}
		for _, got := range runOn(t, job(list...), s).Document.Runs {
			for k, row := range want[got.Scenario].Results {
				if diff := cmp.Diff(row.Result, got.Results[k].Result); diff != "" {
					t.Errorf("%s, %s: the models (-) and %s (+):\n%s", got.Scenario, row.Algorithm, s, diff)
				}
			}
		}
		if n := s.Client.DBSize(t.Context()).Val(); n != 0 {
			t.Errorf("%d keys are left on the server", n)
		}
	})
}

// everyScenario is what is built in; none of it where time is short.
func everyScenario(t *testing.T) []*scenario.Scenario {
	if !longtest.All() {
		return nil
	}
	return builtinScenarios(t, scenario.Names()...)
}

// manyClients has more keys than a sweep's first thousand, costs up to the burst, and a window that no count divides.
func manyClients(t *testing.T) *scenario.Scenario {
	return written(t, `name: many-clients
question: Are two thousand clients kept apart?
limit: {requests: 7, per: 1100ms, burst: 4}
keys: {count: 2000, distribution: zipf, exponent: 1.1}
cost: {uniform: [1, 5]}
phases:
  - {name: crowd, duration: 6s, poisson: `+strconv.Itoa(longtest.Of(1000, 300))+`/s}
`)
}

// oddClocks gives each algorithm another clock than its own: the client's where it asks the server, and in coarse
// steps, which begin in the middle of a window.
func oddClocks(t *testing.T) *scenario.Scenario {
	lasts := strconv.Itoa(longtest.Of(20, 5)) + "s"
	return written(t, `name: odd-clocks
question: Does a coarse clock decide alike everywhere?
limit: {requests: 20, per: 900ms}
start: 2024-02-29T12:34:56.789012Z
keys: {count: 3}
parameters:
  fixed-window-aligned: {time: client, granularity: 1s}
  gcra: {time: client, granularity: 1ms}
  leaky-bucket: {time: client}
  sliding-window-buckets: {time: client, granularity: 1ms, parts: 7}
  sliding-window-counter: {time: client}
  sliding-window-log: {time: client, granularity: 1s}
  token-bucket: {time: client, granularity: 1s}
  token-bucket-debt: {time: server, debt: 3}
  token-bucket-interval: {time: server, refill: 7, interval: 333ms}
phases:
  - {name: rush, duration: `+lasts+`, poisson: 120/s}
  - {name: pause, duration: 3s, pause: true}
  - {name: ramp, duration: `+lasts+`, ramp: {from: 1/s, to: 90/s}}
`)
}
