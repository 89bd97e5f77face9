package accesslog

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"ratelab/internal/limit"
	"ratelab/internal/traffic"
)

// fuzzedTraces are ways to read the same bytes.
var fuzzedTraces = []Trace{
	{},
	{Time: "t", Key: "k", Cost: "c"},
	{Format: CSV, Time: "t", Cost: "a+b", Skip: 1},
	{Format: Combined, Key: "client+agent"},
	{Format: "jsonl", Time: "t", Key: "a.b", WithinSecond: Even, Limit: 3},
	{Format: Combined, Key: "user", WithinSecond: AtStart, Speed: 1000},
	{Format: W3C, Key: "c-ip+cs-method", SkipKey: "-"},
	{Format: `$client - $user [$time] "$request" $rest`, Bad: 2},
	{Format: "haproxy", Key: NoKey},
}

// FuzzTrace: whatever the bytes, a trace is either played, in the order of time and with keys and costs that may be,
// or refused in a few lines that name the file; and a second reading gives the same.
func FuzzTrace(f *testing.F) {
	f.Add([]byte(accessLog), 0)
	f.Add([]byte(zipped(f, accessLog)), 4)
	f.Add([]byte("t,k,c\n1.5,\"a\"\"b\",3\n2,c,1\n"), 1)
	f.Add([]byte(`{"t": "2023-11-16T18:15:46.68Z", "a": {"b": "x"}}`+"\n"), 3)
	files, err := filepath.Glob("formats/*")
	if err != nil {
		f.Fatal(err)
	}
	logs := strings.Split(contents(f, "testdata/logs.txt"), "\n\n")
	for _, file := range files {
		logs = append(logs, contents(f, file))
	}
	for i, log := range logs {
		_, lines, _ := strings.Cut(log, "\n< ")
		f.Add([]byte(strings.ReplaceAll(lines, "\n< ", "\n")), i)
	}
	for _, c := range badTraces {
		if len(c.content) < 10_000 { // long ones hold the search up
			f.Add([]byte(c.content), 1)
		}
	}
	file := filepath.Join(f.TempDir(), "trace")
	f.Fuzz(func(t *testing.T, data []byte, way int) {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		trace := fuzzedTraces[uint(way)%uint(len(fuzzedTraces))]
		trace.File = file
		first, err := playSome(t, trace)
		second, again := playSome(t, trace)
		if len(first) != len(second) || (err == nil) != (again == nil) || err != nil && err.Error() != again.Error() {
			t.Fatalf("%d requests and %v, then %d and %v", len(first), err, len(second), again)
		}
		for i := range first {
			if first[i] != second[i] {
				t.Fatalf("request %d is %+v, then %+v", i, first[i], second[i])
			}
		}
	})
}

// playSome gives a trace's first 1,000 requests and the error that ends it, and checks both.
func playSome(t *testing.T, trace Trace) (requests []limit.Request, failed error) {
	t.Helper()
	var last int64
	for r, err := range stream(trace).Requests() {
		if err != nil {
			checkRefusal(t, trace.File, err)
			return requests, err
		}
		if r.AtUS < last || r.Cost < 1 || r.Cost > traffic.MaxCost || r.Key == "" || len(r.Key) > 4096 ||
			!utf8.ValidString(r.Key) {
			t.Fatalf("after %d us: %+v", last, r)
		}
		last = r.AtUS
		if requests = append(requests, r); len(requests) == 1000 {
			break
		}
	}
	return requests, nil
}

func checkRefusal(t *testing.T, file string, err error) {
	t.Helper()
	lines := strings.Split(err.Error(), "\n")
	if len(lines) > 3 {
		t.Fatalf("%d lines of errors", len(lines))
	}
	for _, line := range lines {
		if !strings.HasPrefix(line, file+":") || len(line) > len(file)+4000 ||
			strings.ContainsFunc(line, unicode.IsControl) {
			t.Fatalf("%q", line)
		}
	}
}
