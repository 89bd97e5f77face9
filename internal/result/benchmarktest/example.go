// Package benchmarktest has documents to test with: made up, complete and the same on every call. Their sums agree as
// those of a measured document do; their durations are drawn from seeded log-normal distributions.
package benchmarktest

import (
	"reflect"
	"sync"
	"time"

	"ratelab/internal/result"
)

const (
	rounds      = 5
	connections = 16
)

// Example is a valid result: seven algorithms, two scenarios, five rounds, every field filled. Callers may change
// what they get, but for its histograms: those are shared, since they are the most of it.
func Example() *result.Document {
	return clone(reflect.ValueOf(made())).Interface().(*result.Document)
}

var made = sync.OnceValue(makeExample)

func makeExample() *result.Document {
	r := header()
	for _, s := range situations() {
		run, latency := s.run()
		r.Runs, r.Latency = append(r.Runs, run), append(r.Latency, latency...)
	}
	r.NoiseFloor = result.NoiseFloorOf(r.Latency)
	return r
}

// clone is a copy that shares histograms only.
func clone(v reflect.Value) reflect.Value {
	if _, shared := v.Interface().(*result.Histogram); shared || v.IsZero() {
		return v
	}
	to := reflect.New(v.Type()).Elem()
	to.Set(v) // with the fields that are not exported, such as those of a time
	switch v.Kind() {
	case reflect.Pointer:
		to.Set(reflect.New(v.Type().Elem()))
		to.Elem().Set(clone(v.Elem()))
	case reflect.Slice:
		to.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			to.Index(i).Set(clone(v.Index(i)))
		}
	case reflect.Map:
		to.Set(reflect.MakeMap(v.Type()))
		for key, value := range v.Seq2() {
			to.SetMapIndex(key, clone(value))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				to.Field(i).Set(clone(v.Field(i)))
			}
		}
	}
	return to
}

// Invalid is Example after the generator was stopped in the middle, and interrupted later.
func Invalid() *result.Document {
	r := Example()
	r.Partial = true
	r.Validity = result.Validity{Reasons: []result.Reason{{
		Code: "stall", Where: "ten-times-over gcra round 3",
		Statement: "the generator stood still for 203 ms; at most 10 ms are allowed",
	}, {
		Code: "lag", Where: "retry-storm sliding-window-log round 3",
		Statement: "the pacer's lag p99 is 14200 µs; at most 1000 µs are allowed",
	}}}
	return r
}

func header() *result.Document {
	d := result.New(result.OfBench, "v0.0.0-example")
	d.Notes = []string{"round 2 of ten-times-over was measured again: the generator stood still for 31 ms"}
	d.Measurement = &result.Measurement{
		Started: time.Date(2024, time.February, 29, 13, 37, 0, 0, time.UTC),
		TookUS:  118_402_117,
		Machine: result.Machine{
			OS: "linux", Architecture: "amd64", Kernel: "6.1.0-18-amd64", CPU: "Example Processor " +
				"2.40GHz", Cores: 2, Go: "go1.26.0",
		},
		Generator: result.Generator{Pacer: "nanosleep, timer slack 1 ns", GOMAXPROCS: 2, GOGC: 400},
		Settings:  result.Settings{Rounds: rounds, WarmUpUS: 200_000, Connections: connections, Repeated: 1},
		Validity:  result.Validity{Valid: true, Reasons: []result.Reason{}},
		Server:    server(),
	}
	return d
}

func server() result.BenchServer {
	return result.BenchServer{
		Server: result.Server{Kind: "container", Name: "redis", Version: "8.0.3", Transport: "tcp"},
		Route:  "host network", Own: true, Image: "redis:8.0", MaxmemoryPolicy: "noeviction",
	}
}
