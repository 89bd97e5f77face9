package benchresulttest

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"ratelab/internal/benchresult"
	"ratelab/internal/measure"
	"ratelab/internal/result"
)

// Request is one that was made up, with the four durations of its answer, in µs.
type Request struct {
	DueUS, HandedUS int64 // since the beginning of what is played
	Accepted        bool
	Sent            bool
	LagUS, WaitUS   int64
	ServiceUS       int64
}

// ResponseUS is from when it was due until the reply.
func (r Request) ResponseUS() int64 { return r.LagUS + r.WaitUS + r.ServiceUS }

// ShardLabels are the rows of Shards.
var ShardLabels = []string{"none", "gcra"}

// ShardRounds is how often each of them is played, and ShardIntervalUS how long an interval is.
const (
	ShardRounds     = 2
	ShardIntervalUS = 100_000
)

// Shards are the parts of a made-up run, and what each part's histograms were made of: the requests by row and round,
// whoever sent them. So many requests are dealt at random.
func Shards(random *rand.Rand, n, requests int) (parts []*benchresult.Part, all [][][]Request) {
	dealt := make([]int, requests)
	for i := range dealt {
		dealt[i] = random.IntN(n)
	}
	for i := range n {
		parts = append(parts, shard(i, n, dealt))
	}
	for k := range ShardLabels {
		all = append(all, nil)
		for round := range ShardRounds {
			var sent []Request
			for i := range requests {
				q := madeUp(random, i)
				sent = append(sent, q)
				row := &parts[dealt[i]].Plays[0].Rows[k]
				take(&row.Rounds[round], q)
				row.Intervals = within(row.Intervals, q)
			}
			all[k] = append(all[k], sent)
		}
	}
	return parts, all
}

func madeUp(random *rand.Rand, i int) Request {
	drawn := func(most float64) int64 { return int64(math.Exp(random.Float64() * math.Log(most))) }
	q := Request{DueUS: int64(i) * 1000, Accepted: random.IntN(3) == 0, Sent: random.IntN(50) != 0,
		LagUS: drawn(1e3), WaitUS: drawn(1e5), ServiceUS: drawn(1e6)}
	q.HandedUS = q.DueUS + q.LagUS
	return q
}

// shard is a part in which nothing was sent so far.
func shard(i, n int, dealt []int) *benchresult.Part {
	p := &benchresult.Part{Header: header(result.BenchShard.Kind), Server: server(), Run: "0123456789ab"}
	p.SchemaVersion = result.BenchShard.Version
	p.Started = p.Started.Add(time.Duration(i) * time.Second)
	p.Shard.Number, p.Shard.Of = i+1, n
	p.Settings.Rounds, p.Settings.RepeatedRound, p.Settings.Sweep = ShardRounds, 0, []int{}
	p.Notes = []string{}
	play := benchresult.PartPlay{Scenario: "made-up", Question: "Does it add up?", Seed: 1, OnLate: "drop",
		ScenarioSHA256: strings.Repeat("0", 64), Limit: result.Limit{Requests: 100, WindowUS: 1_000_000, Burst: 100},
		DurationUS: int64(len(dealt)) * 1000, PlayedUS: int64(len(dealt)) * 1000, Notes: []string{},
		Dealt: benchresult.Dealt{Requests: int64(len(dealt)), Keys: 1, Digest: strings.Repeat("1", 64)}}
	for _, whose := range dealt {
		if whose == i {
			play.Dealt.Mine++
		}
	}
	for k, label := range ShardLabels {
		row := benchresult.PartRow{Identity: benchresult.Identity{Algorithm: label,
			ScriptSHA1: strings.Repeat(strconv.Itoa(k), 40), Parameters: map[string]string{}}}
		for round := range ShardRounds {
			row.Rounds = append(row.Rounds, benchresult.PartRound{Round: round + 1, Position: k + 1,
				StartedUS: int64(round) * 5_000_000, Latency: outcomes()})
		}
		if i == 0 {
			row.Exact = &measure.Result{}
			row.Work = &benchresult.Work{}
		}
		play.Rows = append(play.Rows, row)
	}
	p.Plays = append(p.Plays, play)
	return p
}

// take counts a request in a round.
func take(r *benchresult.PartRound, q Request) {
	if r.Offered == 0 {
		r.FirstDueUS, r.FirstHandedUS = q.DueUS, q.HandedUS
	}
	r.LastDueUS, r.LastHandedUS = q.DueUS, max(r.LastHandedUS, q.HandedUS)
	r.FirstHandedUS = min(r.FirstHandedUS, q.HandedUS)
	r.Offered++
	if !q.Sent {
		r.Dropped++
		return
	}
	r.Sent++
	into := &r.Latency.Rejected
	if q.Accepted {
		r.Accepted++
		into = &r.Latency.Accepted
	} else {
		r.Rejected++
	}
	record(into, q.LagUS, q.WaitUS, q.ServiceUS)
}

// within counts a request's response in its interval.
func within(all []benchresult.Interval, q Request) []benchresult.Interval {
	if !q.Sent {
		return all
	}
	start := q.DueUS / ShardIntervalUS * ShardIntervalUS
	at := 0
	for at < len(all) && all[at].StartUS < start {
		at++
	}
	if at == len(all) || all[at].StartUS > start {
		all = append(all[:at], append([]benchresult.Interval{{StartUS: start, WidthUS: ShardIntervalUS}},
			all[at:]...)...)
	}
	h := &all[at].Rejected
	if q.Accepted {
		h = &all[at].Accepted
	}
	if *h == nil {
		*h = benchresult.NewHistogram()
	}
	_ = (*h).RecordValue(q.ResponseUS())
	return all
}
