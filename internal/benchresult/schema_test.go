package benchresult_test

import (
	"strings"
	"sync"
	"testing"

	"ratelab/internal/benchresult"
	"ratelab/internal/benchresult/benchresulttest"
	"ratelab/internal/result"
	"ratelab/internal/result/resulttest"
)

// example is made once; fresh is a copy of it whose lists may be changed, but not its histograms.
var example = sync.OnceValue(benchresulttest.Example)

func fresh() *benchresult.Document {
	c := result.WithoutNulls(*example()).(benchresult.Document)
	return &c
}

// small is a part of the example, for what would take long with all of it.
func small() *benchresult.Document {
	r := fresh()
	r.Runs, r.Costs = r.Runs[:1], r.Costs[:1]
	r.Runs[0].Rows = r.Runs[0].Rows[:1]
	r.Runs[0].Rows[0].Open.Intervals = nil
	return r
}

// What is written is what the schema promises, also where there is nothing, and where the server is others' too.
func TestDocumentsKeepTheSchema(t *testing.T) {
	bare := &benchresult.Document{Header: example().Header, Server: example().Server}
	for name, text := range map[string]string{"full": encoded(t, example()), "bare": encoded(t, bare),
		"shared": encoded(t, benchresulttest.Shared())} {
		if err := resulttest.Validate(t, result.Bench, text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := resulttest.Validate(t, result.Paired, encodedPair(t, benchresulttest.Paired(1.2))); err != nil {
		t.Error(err)
	}
}

// The schema refuses what would mislead a reader.
func TestSchemaRefuses(t *testing.T) {
	text := encoded(t, small())
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
		{`"checksum": "sha256:`, `"checksum": "md5:`},
	} {
		bad := strings.Replace(text, c.old, c.new, 1)
		if bad == text {
			t.Fatalf("%s does not stand there", c.old)
		}
		if resulttest.Validate(t, result.Bench, bad) == nil {
			t.Errorf("the schema takes %s", c.new)
		}
	}
}
