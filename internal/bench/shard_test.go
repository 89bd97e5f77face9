package bench

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"ratelab/internal/benchresult"
	"ratelab/internal/benchresult/benchresulttest"
	"ratelab/internal/play"
	"ratelab/internal/redisserver/redisservertest"
	"ratelab/internal/replay"
	"ratelab/internal/scenario"
)

// shared is 200 requests in 100 ms for two keys, of each of which 40 may be admitted, and 10 are before the stretch.
const shared = `name: shared
question: Do two shards ask for what one would?
limit: {requests: 40, per: 1h}
keys: {count: 2, distribution: sequential}
phases:
  - {name: before, duration: 100ms, constant: 20}
  - {name: all, duration: 100ms, constant: 200}
`

// Two shards play on the same keys: as many requests are offered and admitted as of one, the decisions are those of
// virtual time, and nothing stays on the server.
func TestTwoShards(t *testing.T) {
	s := redisservertest.Private(t)
	const of = 2
	from := 100 * time.Millisecond
	files := make([]benchresult.PartFile, of)
	errs := make([]error, of)
	var ends sync.WaitGroup
	for i := range of {
		ends.Go(func() {
			j := &Job{Scenarios: []*scenario.Scenario{written(t, shared)}, Algorithms: choices(t, "gcra"),
				Server: "unix://" + redisservertest.Socket(t, s), Rounds: 1, Wish: play.Wish{From: &from}, WarmUp: -1,
				Connections: 2, Version: "test", Now: time.Now, Sleep: sleep,
				Shard: replay.Shard{Number: i + 1, Of: of}, Meeting: "two", Wait: 20 * time.Second}
			files[i].Path = fmt.Sprint(i)
			files[i].Part, errs[i] = j.RunShard(t.Context())
		})
	}
	ends.Wait()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	d, err := benchresult.Merge(files)
	if err != nil {
		t.Fatal(err)
	}
	if err := benchresulttest.Check(d); err != nil {
		t.Error(err)
	}
	for k, want := range []int64{200, 60} {
		row := &d.Runs[0].Rows[k]
		if row.Open.Offered != 200 || row.Open.Accepted != want || *row.Rounds[0].OutsideLag != 0 {
			t.Errorf("%s: %d offered, %d accepted, %d outside lag; want 200, %d, 0", row.Algorithm, row.Open.Offered,
				row.Open.Accepted, *row.Rounds[0].OutsideLag, want)
		}
		if most := slices.Max(row.Course.Rolling); row.Algorithm == "gcra" && most != 40 {
			t.Errorf("%s: at most %d in a window, want those of both shards and before: 40", row.Algorithm, most)
		}
	}
	if mine := files[0].Plays[0].Dealt.Mine; mine != 100 || files[1].Plays[0].Dealt.Mine != 100 {
		t.Errorf("%d requests are dealt to the first shard", mine)
	}
	if keys := s.Client.Keys(t.Context(), "*").Val(); len(keys) > 0 {
		t.Errorf("on the server are %q", keys)
	}
}
