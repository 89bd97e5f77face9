package virtualtime_test

import (
	"testing"

	"pgregory.net/rapid"

	"ratelab/internal/limit"
	"ratelab/internal/redis"
	"ratelab/internal/resp"
	"ratelab/internal/script"
	"ratelab/internal/virtualtime"
)

// A request of cost c issues c commands, with any size of batches. Calls also counts the commands of the init script.
func TestCallsAreCounted(t *testing.T) {
	onBoth(t, func(t *testing.T, s *redis.Server) {
		rapid.Check(t, func(rt *rapid.T) {
			costs := rapid.SliceOfN(rapid.Int64Range(1, 4), 1, 60).Draw(rt, "costs")
			want := virtualtime.Calls{Decisions: int64(len(costs))}
			requests := make([]limit.Request, len(costs))
			for i, c := range costs {
				requests[i] = limit.Request{AtUS: int64(i), Key: "k", Cost: c}
				want.Total += c
			}
			want.Total += 2
			call := script.Call{Keys: templates(t, []string{"{key}"}), Args: templates(t, []string{"{cost}"})}
			p := &script.Program{Label: "test", Decide: call, Init: &call,
				Source:     "for i = 1, tonumber(ARGV[1]) do redis.call('GET', KEYS[1]) end return ARGV[1] % 2",
				InitSource: "redis.call('SET', KEYS[1], 1) redis.call('GET', KEYS[1])",
				Decode: func(r resp.Value) (limit.Decision, error) {
					return limit.Decision{Verdict: limit.Verdict(r.Int)}, nil
				}}
			it := setup{batch: rapid.IntRange(1, 20).Draw(rt, "batch")}
			r, err := it.runner(virtualtime.Connection{Client: s, Embedded: s.Kind == redis.KindEmbedded}, p)
			if err != nil {
				rt.Fatal(err)
			}
			defer func() { _ = r.Close(t.Context()) }()
			if err := r.Decide(t.Context(), requests, make([]limit.Decision, len(requests))); err != nil {
				rt.Fatal(err)
			}
			if got := r.Calls(); got != want {
				rt.Fatalf("%+v, want %+v", got, want)
			}
		})
	})
}
