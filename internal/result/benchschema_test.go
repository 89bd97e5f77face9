package result_test

import (
	"strings"
	"testing"

	"ratelab/internal/result"
	"ratelab/internal/result/benchmarktest"
	"ratelab/internal/result/resulttest"
)

// What is written is what the schema promises, also where there is nothing, and where the server is others' too.
func TestDocumentsKeepTheSchema(t *testing.T) {
	bare := &result.Benchmark{Header: benchmarktest.Once().Header, Server: benchmarktest.Once().Server}
	for name, text := range map[string]string{"full": encoded(t, benchmarktest.Once()), "bare": encoded(t, bare),
		"shared": encoded(t, benchmarktest.Shared())} {
		if err := resulttest.ValidateBy(t, result.BenchSchema, text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The schema refuses what would mislead a reader.
func TestBenchSchemaRefuses(t *testing.T) {
	text := encoded(t, benchmarktest.Small())
	for _, c := range []struct{ old, new string }{
		{`"schema_version": 2`, `"schema_version": 3`},
		{`"kind": "bench"`, `"kind": "paired"`},
		{`"kind": "container"`, `"kind": "embedded"`},
		{`"offered": 33300`, `"offered": -1`},
		{`"dropped": 0`, `"droped": 0`},
		{`"mix": "half"`, `"mix": "halves"`},
		{`"started": "2024-`, `"started": "24-`},
		{`"hdr_v2": "HIST`, `"hdr_v2": "MIST`},
		{`"reasons": []`, `"reasons": null`},
	} {
		bad := strings.Replace(text, c.old, c.new, 1)
		if bad == text {
			t.Fatalf("%s does not stand there", c.old)
		}
		if resulttest.ValidateBy(t, result.BenchSchema, bad) == nil {
			t.Errorf("the schema takes %s", c.new)
		}
	}
}
