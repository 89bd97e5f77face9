package bench

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ratelab/internal/limit"
	"ratelab/internal/play"
	"ratelab/internal/replay"
	"ratelab/internal/scenario"
)

// asked are requests for so many keys, all of which are asked for.
func asked(random *rand.Rand, requests, keys int) []limit.Request {
	var all []limit.Request
	for i := range requests {
		key := i
		if i >= keys {
			key = random.IntN(keys)
		}
		all = append(all, limit.Request{AtUS: int64(i), Key: fmt.Sprintf("client-%d", key), Cost: 1})
	}
	return all
}

// Each request is one shard's, by either rule, and by their keys where there are 16 for each shard.
func TestDealingIsAPartition(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		of, requests, keys int
		byKey              bool
	}{
		{1, 100, 15, false}, {1, 100, 16, true}, {3, 500, 47, false}, {3, 500, 48, true}, {8, 5000, 127, false},
		{8, 5000, 128, true}, {8, 5, 1, false}, {8, 0, 0, false}, {100, 3000, 1600, true},
	} {
		requests := asked(random, c.requests, max(1, c.keys))
		taken := make([]int, len(requests))
		owner := map[string]int{}
		var digest string
		var mine int64
		for i := range c.of {
			shard := replay.Shard{Number: i + 1, Of: c.of}
			d := deal(requests, shard)
			if d.ByKey != c.byKey || d.Requests != int64(c.requests) || d.Keys != int64(c.keys) ||
				digest != "" && d.Digest != digest || d.Mine != int64(len(d.numbers)) {
				t.Fatalf("%+v: %+v", c, d.Dealt)
			}
			digest, mine = d.Digest, mine+d.Mine
			its := d.of(&play.Part{Requests: requests}).Requests
			for n, number := range d.numbers {
				taken[number]++
				if !reflect.DeepEqual(its[n], requests[number]) {
					t.Errorf("%+v: %v is not request %d", c, its[n], number)
				}
				if other, known := owner[requests[number].Key]; c.byKey && known && other != i {
					t.Errorf("%+v: %s is of shards %d and %d", c, requests[number].Key, other+1, i+1)
				}
				owner[requests[number].Key] = i
				if !c.byKey && number%c.of != i {
					t.Errorf("%+v: shard %v has request %d", c, shard, number)
				}
			}
			if !slices.IsSorted(d.numbers) {
				t.Errorf("%+v: not in order", c)
			}
		}
		if slices.ContainsFunc(taken, func(n int) bool { return n != 1 }) || mine != int64(c.requests) {
			t.Errorf("%+v: a request is nobody's, or two shards'; %d dealt", c, mine)
		}
	}
}

// Another log has another digest.
func TestLogsAreToldApart(t *testing.T) {
	requests := asked(rand.New(rand.NewPCG(3, 4)), 50, 5)
	seen := map[string]bool{deal(requests, replay.Shard{Number: 1, Of: 2}).Digest: true}
	for _, change := range []func(*limit.Request){
		func(q *limit.Request) { q.AtUS++ },
		func(q *limit.Request) { q.Key += "," },
		func(q *limit.Request) { q.Cost++ },
	} {
		other := slices.Clone(requests)
		change(&other[30])
		digest := deal(other, replay.Shard{Number: 1, Of: 2}).Digest
		if seen[digest] {
			t.Error("two logs have one digest")
		}
		seen[digest] = true
	}
}

// Answers come out as they went in, whatever they are; torn ones do not.
func TestAnswersTravel(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		var answers []play.Answer
		for range random.IntN(50) {
			a := play.Answer{}
			if random.IntN(5) > 0 {
				written := random.Int64N(1<<50) - 1<<20
				verdict := limit.Verdict(random.IntN(4) - 2)
				a = play.Answer{Sent: true, WrittenUS: written, RepliedUS: written + random.Int64N(1<<30),
					Decision: limit.Decision{Verdict: verdict, DelayUS: random.Int64N(1 << 40)}}
			}
			answers = append(answers, a)
		}
		text := packed(answers)
		got, err := unpacked(text)
		if err != nil || !slices.Equal(got, answers) {
			t.Fatalf("%v: %v, want %v", err, got, answers)
		}
		if n := len(answers); n > 0 && answers[n-1].Sent {
			if _, err := unpacked(text[:len(text)-1]); err == nil {
				t.Error("torn answers are read")
			}
		}
	}
}

// What cannot be dealt is refused, with the reason.
func TestShardsRefuse(t *testing.T) {
	for want, change := range map[string]func(*Job){
		"--redis container or process, as where nothing is said, would be": func(j *Job) { j.Server = "" },
		`--redis "process" would be one of its own for each; say --redis`:  func(j *Job) { j.Server = "process" },
		"--repeat-invalid measures again for itself":                       func(j *Job) { j.RepeatInvalid = 1 },
		"its clients react to answers": func(j *Job) {
			s, err := scenario.Load("retrying-clients")
			if err != nil {
				t.Fatal(err)
			}
			j.Scenarios = append(j.Scenarios, s)
		},
		"rounds -1": func(j *Job) { j.Rounds = -1 },
	} {
		j := &Job{Scenarios: []*scenario.Scenario{written(t, small)}, Algorithms: choices(t, "gcra"),
			Server: "redis://127.0.0.1:1", Shard: replay.Shard{Number: 1, Of: 2}}
		if err := j.CheckShard(); err != nil {
			t.Fatal(err)
		}
		change(j)
		var bad *InputError
		if err := j.CheckShard(); !errors.As(err, &bad) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
