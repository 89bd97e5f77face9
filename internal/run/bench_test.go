package run_test

import (
	"compress/gzip"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"ratelab/internal/accesslog"
	"ratelab/internal/scenario"
)

// BenchmarkLog is a whole job on the models over a gzip log of 300,000 lines and 20,000 clients: reading, deciding and
// measuring. It prints lines per second, and RATELAB_LOG=FILE names another log.
func BenchmarkLog(b *testing.B) {
	path := os.Getenv("RATELAB_LOG")
	if path == "" {
		path = filepath.Join(b.TempDir(), "access.log.gz")
		writeLog(b, path, 300_000, 20_000)
	}
	for _, labels := range [][]string{{"gcra"}, nil} {
		name := "all"
		if labels != nil {
			name = labels[0]
		}
		b.Run(name, func(b *testing.B) {
			trace := accesslog.Trace{File: path, WithinSecond: accesslog.Even}
			j := job(scenario.FromTrace(trace, *policy(b, "100/1m")))
			if labels != nil {
				j.Algorithms = choices(b, labels...)
			}
			lines := int64(0)
			for b.Loop() {
				lines += run(b, j).Document.Runs[0].Results[0].Offered
			}
			b.ReportMetric(float64(lines)/b.Elapsed().Seconds(), "lines/s")
		})
	}
}

// writeLog writes a combined log of so many lines, of two hours.
func writeLog(b *testing.B, path string, lines, clients int) {
	b.Helper()
	file, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	zip := gzip.NewWriter(file)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range lines {
		at := i * 7200 / lines
		c := int(float64(clients) * math.Pow(random.Float64(), 2))
		fmt.Fprintf(zip, "10.%d.%d.%d - - [01/Jan/2024:%02d:%02d:%02d +0000] ", c>>16, c>>8&255, c&255, at/3600,
			at/60%60, at%60)
		fmt.Fprintf(zip, "\"GET /api/items?page=%d HTTP/1.1\" 200 %d \"-\" ", random.IntN(100), random.IntN(10_000))
		fmt.Fprintln(zip, `"Mozilla/5.0 (X11; Linux x86_64) Chrome/120.0 Safari/537.36"`)
	}
	if err := errors.Join(zip.Close(), file.Close()); err != nil {
		b.Fatal(err)
	}
}
