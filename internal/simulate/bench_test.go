package simulate

import (
	"testing"

	"ratelab/internal/redisserver"
)

// BenchmarkJob is a whole job, with its measures and its exact reference, on the models and on the embedded server:
// 20,000 requests of one second, for 2,000 keys. It prints decisions per second.
func BenchmarkJob(b *testing.B) {
	s := written(b, `name: second
question: How many decisions are made in a second?
limit: {requests: 10, per: 1s}
keys: {count: 2000, distribution: zipf, exponent: 1.1}
phases:
  - {name: rush, duration: 1s, constant: 20000}
`)
	for _, server := range []string{ModelServer, redisserver.KindEmbedded} {
		for _, label := range []string{"fixed-window", "gcra", "sliding-window-log"} {
			b.Run(server+"/"+label, func(b *testing.B) {
				j := wall(job(s))
				j.Server, j.Algorithms = server, choices(b, label)
				decided := int64(0)
				for b.Loop() {
					decided += run(b, j).Document.Runs[0].Results[0].Offered
				}
				b.ReportMetric(float64(decided)/b.Elapsed().Seconds(), "decisions/s")
			})
		}
	}
}
