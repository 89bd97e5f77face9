package result_test

import (
	"strings"
	"testing"

	"ratelab/internal/result/benchmarktest"
	"ratelab/internal/result/resulttest"
)

// What is written is what the schema promises, also where there is nothing, and where the server is others' too.
func TestDocumentsKeepTheSchema(t *testing.T) {
	bare := benchmarktest.Fresh()
	bare.Runs, bare.Latency, bare.Costs = nil, nil, nil
	for name, text := range map[string]string{"full": encoded(t, benchmarktest.Once()), "bare": encoded(t, bare),
		"shared": encoded(t, benchmarktest.Shared())} {
		if err := resulttest.Validate(t, text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The schema refuses what would mislead a reader.
func TestBenchSchemaRefuses(t *testing.T) {
	text := encoded(t, benchmarktest.Small())
	for _, c := range []struct{ old, new string }{
		{`"schema_version": 3`, `"schema_version": 2`},
		{`"command": "bench run"`, `"command": "bench ran"`},
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
		if resulttest.Validate(t, bad) == nil {
			t.Errorf("the schema takes %s", c.new)
		}
	}
}
