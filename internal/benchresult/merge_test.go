package benchresult_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"ratelab/internal/benchresult"
	"ratelab/internal/benchresult/benchresulttest"
	"ratelab/internal/result"
	"ratelab/internal/result/resulttest"
)

// named are parts with names.
func named(parts []*benchresult.Part) []benchresult.PartFile {
	var files []benchresult.PartFile
	for _, p := range parts {
		files = append(files, benchresult.PartFile{Path: fmt.Sprintf("part-%d.json", p.Shard.Number), Part: p})
	}
	return files
}

// However requests are dealt, and in whatever order the parts are named, the parts together are what one histogram of
// all values is, bucket for bucket, and what is computed of that.
func TestMergedEqualsWhole(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for trial := range 12 {
		n, requests := 1+random.IntN(9), 1+random.IntN(700)
		parts, all := benchresulttest.Shards(random, n, requests)
		random.Shuffle(n, func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		d, err := benchresult.Merge(named(parts))
		if err != nil {
			t.Fatal(err)
		}
		if err := benchresulttest.Check(d); err != nil {
			t.Errorf("%d shards, %d requests: %v", n, requests, err)
		}
		if len(d.Shards) != n || !d.Validity.Valid && requests > 1 {
			t.Errorf("trial %d: %d shards, %+v", trial, len(d.Shards), d.Validity)
		}
		for k := range benchresulttest.ShardLabels {
			sameAsWhole(t, &d.Runs[0].Rows[k], all[k])
		}
	}
}

// recorded is a histogram of the values of some requests.
func recorded(rounds [][]benchresulttest.Request, which func(benchresulttest.Request) bool,
	value func(benchresulttest.Request) int64) *hdrhistogram.Histogram {
	h := hdrhistogram.New(1, 60_000_000, 3)
	for _, requests := range rounds {
		for _, q := range requests {
			if q.Sent && which(q) {
				_ = h.RecordValue(value(q))
			}
		}
	}
	return h
}

// sameAsWhole compares a merged row with all its requests.
func sameAsWhole(t *testing.T, row *benchresult.Limiter, rounds [][]benchresulttest.Request) {
	t.Helper()
	type request = benchresulttest.Request
	accepted := func(q request) bool { return q.Accepted }
	rejected := func(q request) bool { return !q.Accepted }
	lag := func(q request) int64 { return q.LagUS }
	wait := func(q request) int64 { return q.WaitUS }
	service := func(q request) int64 { return q.ServiceUS }
	for name, c := range map[string]struct {
		got   *benchresult.Histogram
		which func(request) bool
		value func(request) int64
	}{
		"accepted lag":      {row.Open.Latency.Accepted.Lag, accepted, lag},
		"accepted wait":     {row.Open.Latency.Accepted.Wait, accepted, wait},
		"accepted service":  {row.Open.Latency.Accepted.Service, accepted, service},
		"accepted response": {row.Open.Latency.Accepted.Response, accepted, request.ResponseUS},
		"rejected lag":      {row.Open.Latency.Rejected.Lag, rejected, lag},
		"rejected wait":     {row.Open.Latency.Rejected.Wait, rejected, wait},
		"rejected service":  {row.Open.Latency.Rejected.Service, rejected, service},
		"rejected response": {row.Open.Latency.Rejected.Response, rejected, request.ResponseUS},
	} {
		want := recorded(rounds, c.which, c.value)
		if !slices.Equal(c.got.Export().Counts, want.Export().Counts) {
			t.Errorf("%s %s: not bucket for bucket that of all values", row.Algorithm, name)
		}
	}
	for _, i := range row.Open.Intervals {
		in := func(which func(request) bool) func(request) bool {
			return func(q request) bool { return which(q) && q.DueUS >= i.StartUS && q.DueUS < i.StartUS+i.WidthUS }
		}
		for verdict, h := range map[*benchresult.Histogram]*hdrhistogram.Histogram{
			i.Accepted: recorded(rounds, in(accepted), request.ResponseUS),
			i.Rejected: recorded(rounds, in(rejected), request.ResponseUS),
		} {
			if verdict.Count() != h.TotalCount() ||
				verdict.Count() > 0 && !slices.Equal(verdict.Export().Counts, h.Export().Counts) {
				t.Errorf("%s: the interval from %d µs on is not that of all values", row.Algorithm, i.StartUS)
			}
		}
	}
	everything := func(request) bool { return true }
	var offered, sent int64
	for n, requests := range rounds {
		one, r := [][]request{requests}, row.Rounds[n]
		offered += int64(len(requests))
		sent += recorded(one, everything, request.ResponseUS).TotalCount()
		want := []int64{recorded(one, accepted, request.ResponseUS).TotalCount(),
			recorded(one, rejected, request.ResponseUS).TotalCount(),
			recorded(one, everything, request.ResponseUS).ValueAtPercentile(50),
			recorded(one, everything, request.ResponseUS).ValueAtPercentile(99),
			recorded(one, everything, service).ValueAtPercentile(50),
			recorded(one, everything, lag).ValueAtPercentile(99)}
		got := []int64{r.Accepted, r.Rejected, int64(r.ResponseP50US), int64(r.ResponseP99US), int64(r.ServiceP50US),
			int64(r.LagP99US)}
		if !slices.Equal(got, want) {
			t.Errorf("%s round %d: %d, want %d", row.Algorithm, n+1, got, want)
		}
	}
	if row.Open.Offered != offered || row.Open.Sent != sent || row.Open.Dropped != offered-sent {
		t.Errorf("%s: %+v; want %d offered and %d sent", row.Algorithm, row.Open, offered, sent)
	}
	if len(rounds[0]) > 1 { // evenly, one each ms
		if want := 1000.0; math.Abs(row.Open.IntendedPerS-want) > 1e-6 {
			t.Errorf("%s: %v/s intended, want %v", row.Algorithm, row.Open.IntendedPerS, want)
		}
	}
	var achieved float64
	for _, requests := range rounds {
		first, last := requests[0].HandedUS, requests[0].HandedUS
		for _, q := range requests {
			first, last = min(first, q.HandedUS), max(last, q.HandedUS)
		}
		if len(requests) > 1 {
			achieved += float64(len(requests)-1) / float64(last-first) * 1e6 / float64(len(rounds))
		}
	}
	if math.Abs(row.Open.AchievedPerS-achieved) > 1e-6*achieved {
		t.Errorf("%s: %v/s achieved, want %v", row.Algorithm, row.Open.AchievedPerS, achieved)
	}
}

// One bad part makes the whole invalid, and is named with its reason.
func TestOneBadPartInvalidatesTheWhole(t *testing.T) {
	parts, _ := benchresulttest.Shards(rand.New(rand.NewPCG(3, 4)), 5, 100)
	at := int64(7)
	parts[3].Validity = benchresult.Validity{Reasons: []benchresult.Reason{{Code: "stall",
		Where: "made-up gcra round 1", Statement: "the generator stood still for 30ms", LastedUS: &at, AtUS: &at}}}
	d, err := benchresult.Merge(named(parts))
	if err != nil {
		t.Fatal(err)
	}
	want := "stall in shard 4/5: made-up gcra round 1: the generator stood still for 30ms"
	if got := d.Validity.Summary(); d.Validity.Valid || !slices.Equal(got, []string{want}) {
		t.Errorf("valid %t: %q, want %q", d.Validity.Valid, got, want)
	}
	if d.Shards[3].Valid || !d.Shards[0].Valid {
		t.Errorf("%+v", d.Shards)
	}
	if got := *d.Validity.Reasons[0].AtUS; got != 3_000_007 { // the part began three seconds after the first one
		t.Errorf("it was at %d µs", got)
	}
}

// What makes no run is refused, and the part is named.
func TestMergeRefuses(t *testing.T) {
	type parts = []*benchresult.Part
	for name, c := range map[string]struct {
		spoil func(parts) parts
		want  string
	}{
		"a missing shard": {func(p parts) parts { return append(p[:1], p[2:]...) },
			"shard 2/3 is missing; name its file"},
		"a double shard": {func(p parts) parts { return append(p, p[1]) },
			"part-2.json: is shard 2/3, as part-2.json is"},
		"another version": {func(p parts) parts { p[2].Tool.Version = "v9"; return p },
			"part-3.json: has the version v9, and part-1.json v0.0.0-example"},
		"another number of shards": {func(p parts) parts { p[1].Shard.Of = 4; return p },
			"part-2.json: has a number of shards of 4, and part-1.json 3"},
		"another run": {func(p parts) parts { p[1].Run = "ba9876543210"; return p },
			"part-2.json: is of the run ba9876543210, and part-1.json of the run 0123456789ab"},
		"other settings": {func(p parts) parts { p[1].Settings.Connections = 7; return p },
			"part-2.json: has connections 7, and part-1.json 16"},
		"another warm-up": {func(p parts) parts { p[1].Settings.WarmUpUS = 7; return p },
			"a warm-up of, in µs, 7"},
		"another rule": {func(p parts) parts { p[1].Plays[0].OnLate = "queue"; return p },
			"the rule of made-up queue"},
		"another setting": {func(p parts) parts { p[1].Settings.FillLimit.Burst = 7; return p },
			"has the settings"},
		"another log": {func(p parts) parts { p[1].Plays[0].Dealt.Digest = strings.Repeat("2", 64); return p },
			"part-2.json: has a log of made-up with the digest 222"},
		"a longer log": {func(p parts) parts { p[1].Plays[0].Dealt.Requests = 7; return p },
			"part-2.json: has requests of the log of made-up 7, and part-1.json 100"},
		"another scenario": {func(p parts) parts { p[2].Plays[0].Scenario = "other"; return p },
			"part-3.json: has the scenarios [other], and part-1.json [made-up]"},
		"another seed": {func(p parts) parts { p[1].Plays[0].Seed = 7; return p },
			"the seed of made-up 7"},
		"another limit": {func(p parts) parts { p[1].Plays[0].Limit.Requests = 7; return p },
			"the limit of made-up 7/1s"},
		"another stretch": {func(p parts) parts { p[1].Plays[0].FromUS = 7; return p },
			"a beginning of made-up, in µs, 7"},
		"other algorithms": {func(p parts) parts { p[1].Plays[0].Rows[1].Algorithm = "x"; return p },
			"the algorithms of made-up [none x]"},
		"another script": {func(p parts) parts { p[1].Plays[0].Rows[1].ScriptSHA1 = "7"; return p },
			"a script gcra with the SHA-1 7"},
		"another server": {func(p parts) parts { p[1].Server.Version = "7.0"; return p },
			"part-2.json: was measured on redis 7.0 (container)"},
		"an interrupted one": {func(p parts) parts { p[1].Partial = true; return p },
			"part-2.json: shard 2/3 was interrupted"},
		"fewer requests": {func(p parts) parts { p[1].Plays[0].Rows[1].Rounds[1].Offered--; return p },
			"made-up gcra round 2: 99 requests became due of 100"},
		"dealt otherwise": {func(p parts) parts { p[1].Plays[0].Dealt.Mine--; return p },
			"made-up: the shards were dealt 99 requests of 100"},
	} {
		all, _ := benchresulttest.Shards(rand.New(rand.NewPCG(5, 6)), 3, 100)
		d, err := benchresult.Merge(named(c.spoil(all)))
		if d != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", name, err, c.want)
		}
	}
}

// A part is written and read, keeps its schema, and says in a text what the others must have in common with it.
func TestPartsAreReadAsTheyWereWritten(t *testing.T) {
	parts, _ := benchresulttest.Shards(rand.New(rand.NewPCG(7, 8)), 3, 100)
	var files []benchresult.PartFile
	var texts []string
	for i, p := range parts {
		var text bytes.Buffer
		if err := benchresult.WritePart(&text, p); err != nil {
			t.Fatal(err)
		}
		if err := resulttest.Validate(t, result.BenchShard, text.String()); err != nil {
			t.Error(err)
		}
		path := filepath.Join(t.TempDir(), fmt.Sprintf("%d.json", i))
		if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		file, err := benchresult.ReadPart(path)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
		terms, err := p.Terms()
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, terms)
	}
	if texts[0] != texts[1] || texts[1] != texts[2] {
		t.Error("shards of one run meet for different things")
	}
	parts[1].Plays[0].Seed = 7
	if got := parts[1].DiffersFromTerms(texts[0]); got != "has the seed of made-up 1, and this shard 7" {
		t.Error(got)
	}
	parts[1].Plays[0].Seed = 1
	a, err := benchresult.Merge(named(parts))
	if err != nil {
		t.Fatal(err)
	}
	b, err := benchresult.Merge(files)
	if err != nil {
		t.Fatal(err)
	}
	if encoded(t, a) != encoded(t, b) {
		t.Error("what was written is not what is read")
	}
	if err := resulttest.Validate(t, result.Bench, encoded(t, b)); err != nil {
		t.Error(err)
	}
}

// A part without what a merge goes by is refused, also with a good checksum.
func TestPartsThatLack(t *testing.T) {
	for name, spoil := range map[string]func(*benchresult.Part){
		"its number":     func(p *benchresult.Part) { p.Shard.Number = 4 },
		"the run":        func(p *benchresult.Part) { p.Run = "" },
		"scenarios":      func(p *benchresult.Part) { p.Plays = nil },
		"rounds of gcra": func(p *benchresult.Part) { p.Plays[0].Rows[1].Rounds = p.Plays[0].Rows[1].Rounds[:1] },
		"histograms of none": func(p *benchresult.Part) {
			p.Plays[0].Rows[0].Rounds[0].Latency.Accepted.Lag = coarse()
		},
	} {
		parts, _ := benchresulttest.Shards(rand.New(rand.NewPCG(9, 10)), 3, 10)
		spoil(parts[0])
		var text bytes.Buffer
		if err := benchresult.WritePart(&text, parts[0]); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "part.json")
		if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := benchresult.ReadPart(path); err == nil || !strings.Contains(err.Error(), "it lacks "+name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// coarse is a histogram of another precision.
func coarse() *benchresult.Histogram {
	return &benchresult.Histogram{Histogram: hdrhistogram.New(1, 1000, 1)}
}
