//go:build unix

package load

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/script/scripttest"
)

// sink answers at once.
type sink struct{ now func() time.Duration }

func (s sink) Call(limit.Request) (Outcome, error) {
	now := s.now()
	return Outcome{Decision: limit.Decision{Verdict: limit.Allowed}, Written: now, Replied: now}, nil
}

// BenchmarkPacer prints how late requests are handed over, by this pacer and by one that calls time.Sleep: medians of
// runs of a second. Five runs: go test -run '^$' -bench Pacer -benchtime 5x ./internal/load
func BenchmarkPacer(b *testing.B) {
	exact := NewClock(time.Now())
	naive := exact
	naive.Nap = time.Sleep
	for _, perSecond := range []int{1_000, 10_000} {
		for _, on := range []string{"sink", "server"} {
			for pacer, clock := range map[string]Stopwatch{"nap": exact, "sleep": naive} {
				b.Run(fmt.Sprintf("rate=%d/on=%s/pacer=%s", perSecond, on, pacer), func(b *testing.B) {
					callers := slices.Repeat([]Caller{sink{clock.Now}}, 8)
					if on == "server" {
						p := scripttest.Program(scripttest.Counting, "1000")
						_, _, callers = workers(b.Context(), b, p, 8, clock)
					}
					benchmarkPacer(b, clock, callers, perSecond)
				})
			}
		}
	}
}

func benchmarkPacer(b *testing.B, clock Stopwatch, callers []Caller, perSecond int) {
	figures := map[string][]float64{}
	for b.Loop() {
		stream := every(time.Second/time.Duration(perSecond), perSecond, "k")
		r, err := opened(b.Context(), stream, callers, Options{Clock: clock})
		if err != nil {
			b.Fatal(err)
		}
		d := r.Outcomes.Overall()
		for name, v := range map[string]int64{
			"lag_us_p50": d.Lag.ValueAtQuantile(50), "lag_us_p99": d.Lag.ValueAtQuantile(99),
			"wait_us_p50": d.Wait.ValueAtQuantile(50), "service_us_p50": d.Service.ValueAtQuantile(50),
		} {
			figures[name] = append(figures[name], float64(v))
		}
	}
	report(b, figures)
}

// report gives the median of each figure.
func report(b *testing.B, figures map[string][]float64) {
	b.ReportMetric(0, "ns/op") // the length of a run, which says nothing
	for name, values := range figures {
		b.ReportMetric(median(values), name)
	}
}

func median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}
