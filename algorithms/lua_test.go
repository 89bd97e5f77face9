package algorithms_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"ratelab/algorithms"
	"ratelab/algorithms/algotest"
	"ratelab/algorithms/limitstest"
	_ "ratelab/internal/engine"
	"ratelab/internal/limit"
	"ratelab/internal/longtest"
	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/script"
	"ratelab/internal/virtualtime"
)

// program is the instance's script under the Lua contract, with its keys under the server's prefix.
func program(in algorithms.Rule, prefix string) *script.Program {
	call := func(now script.Template, rest []string) *script.Call {
		args := []script.Template{now, script.Cost()}
		for _, text := range rest {
			args = append(args, script.Literal(text))
		}
		return &script.Call{Keys: []script.Template{script.KeyIn(prefix)}, Args: args}
	}
	now := script.Literal("")
	if in.ClientTime {
		now = script.NowUS(in.GranularityUS)
	}
	p := &script.Program{Label: in.Label, Source: in.Algorithm.Script(), Decide: *call(now, in.Args),
		Decode: script.Contract}
	if in.Init != nil {
		p.Init, p.InitSource = call(now, in.Init), p.Source
	}
	return p
}

// serverDecides lets the script decide on s, under virtual time.
func serverDecides(t *testing.T, s *redis.Server, in algorithms.Rule, prefix string,
	requests []limit.Request) []limit.Decision {
	t.Helper()
	target := virtualtime.Connection{Client: s, Embedded: s.Kind == redis.KindEmbedded}
	runner, err := virtualtime.New(target, program(in, s.Prefix+prefix), virtualtime.Options{
		Start: time.UnixMicro(algotest.StartUS), Real: time.UnixMilli(4e12), BatchSize: 100, Behind: limit.MaxWindow})
	if err != nil {
		t.Fatal(err)
	}
	decisions := make([]limit.Decision, len(requests))
	if in.Gateways != nil {
		turns := in.Gateways.TurnsAfter(0)
		requests = slices.Clone(requests)
		for i := range requests {
			requests[i].Key = turns.Next(requests[i].Key)
		}
	}
	if err := runner.Decide(t.Context(), requests, decisions); err != nil {
		t.Fatalf("%s: %v", in.Label, err)
	}
	return decisions
}

// Every script decides the hand-worked trace of its algorithm, in every field, on every server.
func TestScriptsFollowTheWorkedTraces(t *testing.T) {
	traces, err := algotest.Load("testdata")
	if err != nil {
		t.Fatal(err)
	}
	redistest.Each(t, func(t *testing.T, s *redis.Server) {
		for _, trace := range traces {
			in := limiter(t, trace.Label, trace.Policy)
			got := serverDecides(t, s, in, trace.Name, trace.Requests())
			for i, step := range trace.Steps {
				if got[i] != step.Want {
					t.Errorf("%s, line %d: got %s; want %s", trace.Name, step.Line, algotest.Describe(got[i]),
						algotest.Describe(step.Want))
				}
			}
		}
	})
}

// Every script decides random requests as its model does, in every field, on every server. The requests look for
// the edges: they come when the model said one may retry, and a microsecond before.
func TestScriptsDecideAsTheirModels(t *testing.T) {
	compareAll(t, "", func(r *rand.Rand, p limit.Policy, l limit.Model) ([]limit.Request, []limit.Decision) {
		return algotest.RandomRequests(r, p, l)
	})
}

// So they do where the clients' clocks disagree with each other and with the server's, and the server's steps back and
// forth: what a key's TTL loses, and when, is the same.
func TestScriptsDecideAsTheirModelsByClocksThatAreOff(t *testing.T) {
	compareAll(t, "skewed-", func(r *rand.Rand, p limit.Policy, l limit.Model) ([]limit.Request, []limit.Decision) {
		return algotest.RandomSkewedRequests(r, p, l)
	})
}

// drawing draws requests, and lets a model decide them.
type drawing func(*rand.Rand, limit.Policy, limit.Model) ([]limit.Request, []limit.Decision)

func compareAll(t *testing.T, prefix string, draw drawing) {
	t.Helper()
	decisions := longtest.Of(4000, 500)
	if text := os.Getenv("RATELAB_DECISIONS"); text != "" {
		var err error
		if decisions, err = strconv.Atoi(text); err != nil {
			t.Fatalf("RATELAB_DECISIONS=%q: want a number of decisions for each algorithm", text)
		}
	}
	redistest.Each(t, func(t *testing.T, s *redis.Server) {
		for _, algorithm := range algorithms.All() {
			t.Run(algorithm.Name, func(t *testing.T) {
				for seed := uint64(1); seed <= uint64(1+decisions/algotest.RandomSteps); seed++ {
					compare(t, s, &algorithm, fmt.Sprintf("%s%s-%d:", prefix, algorithm.Name, seed), seed, draw)
				}
			})
		}
	})
}

func compare(t *testing.T, s *redis.Server, algorithm *algorithms.Algorithm, prefix string, seed uint64, draw drawing) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 0))
	label, p := limitstest.RandomRow(random, algorithm)
	in := limiter(t, label, p)
	requests, want := draw(random, p, in.NewModel())
	got := serverDecides(t, s, in, prefix, requests)
	for i, q := range requests {
		if got[i] != want[i] {
			t.Fatalf("seed %d, %s under %v, step %d, %+v: the script: %s; the model: %s",
				seed, label, p, i, q, algotest.Describe(got[i]), algotest.Describe(want[i]))
		}
	}
}

func limiter(t *testing.T, label string, p limit.Policy) algorithms.Rule {
	t.Helper()
	choice, err := algorithms.Parse(label)
	if err != nil {
		t.Fatal(err)
	}
	in, err := choice.Under(p)
	if err != nil {
		t.Fatal(err)
	}
	return in
}
