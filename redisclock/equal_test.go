package redisclock_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-redis/redis_rate/v10"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/longtest"
	"ratelab/internal/redis/redistest"
)

// redis_rate decides as the model of GCRA does, at random instants.
func TestRedisRateDecidesAsTheModel(t *testing.T) {
	client, clock := steered(t, redistest.Private(t))
	library := redis_rate.NewLimiter(client)
	choice, err := algorithms.Parse("gcra")
	if err != nil {
		t.Fatal(err)
	}
	policy, err := limit.ParsePolicy("100/3s")
	if err != nil {
		t.Fatal(err)
	}
	rule, err := choice.Under(policy)
	if err != nil {
		t.Fatal(err)
	}
	model := rule.NewModel()
	random := rand.New(rand.NewPCG(1, 2))
	keys := []string{"a", "b", "c"}
	for i := range longtest.Of(10_000, 1_000) {
		clock.Advance(time.Duration(random.ExpFloat64() * float64(8*time.Millisecond)).Truncate(time.Microsecond))
		key, cost := keys[random.IntN(len(keys))], 1+random.IntN(2)
		got, err := library.AllowN(t.Context(), key, redis_rate.Limit{Rate: 100, Burst: 100, Period: 3 * time.Second},
			cost)
		if err != nil {
			t.Fatal(err)
		}
		us := clock.Now().UnixMicro()
		want := limit.Ask(model, 0, &limit.Request{AtUS: us, Key: key, Cost: int64(cost)})
		if (got.Allowed > 0) != want.Allowed() {
			t.Fatalf("decision %d, %d of %s at %d µs: redis_rate admits %d, the model says %v", i, cost, key, us,
				got.Allowed, want)
		}
	}
}
