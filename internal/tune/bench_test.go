package tune

import (
	"math/rand/v2"
	"runtime"
	"strconv"
	"testing"
	"time"

	"ratelab/internal/limit"
)

// BenchmarkCurves takes the exact curves of a day's log: fifty rates, windows up to an hour, of as many keys as there
// are tenths of the requests. With -benchtime 10000000x it is ten million requests of a million keys; B/key is what
// lives for one at the end.
func BenchmarkCurves(b *testing.B) {
	c := &census{busiest: 1000, spans: [parts]int64{86_400_000_000, 86_400_000_000}}
	grid := newGrid(c, nil)
	keys := int64(max(1, b.N/10))
	numbers := rand.NewZipf(rand.New(rand.NewPCG(1, 2)), 1.1, 50, uint64(keys-1))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	s := newSurvey(startUS, grid.lengths, grid.rates, everybody)
	b.ResetTimer()
	for i := range int64(b.N) {
		number := i / 10 // each key has one at least
		if i%10 > 0 {
			number = int64(numbers.Uint64())
		}
		s.add(number, i*86_400_000_000/int64(b.N), 1)
	}
	b.StopTimer()
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(keys), "B/key")
	b.ReportMetric(float64(len(grid.rates)), "rates")
	s.rest()
}

// BenchmarkSettings has the models decide at twenty settings of gcra; a figure is one request under all of them.
func BenchmarkSettings(b *testing.B) {
	all := make(requests, b.N)
	for i := range all {
		all[i] = limit.Request{AtUS: int64(i) * 1000, Key: strconv.Itoa(i * i % 10_007), Cost: 1}
	}
	c, err := take(&Traffic{Streams: []Stream{append(all, limit.Request{AtUS: 1 << 40, Key: "0", Cost: 1})}, Fit: 0.5},
		Good{Quantile: 1})
	if err != nil {
		b.Fatal(err)
	}
	var lanes []*lane
	for i := range int64(20) {
		model, err := Setting{Algorithm: "gcra", Policy: limit.Policy{Requests: i + 1, Window: time.Minute}}.model()
		if err != nil {
			b.Fatal(err)
		}
		lanes = append(lanes, &lane{model: model})
	}
	b.ResetTimer()
	if err := c.run(lanes); err != nil {
		b.Fatal(err)
	}
}
