package result_test

import (
	"testing"

	"ratelab/internal/result"
	"ratelab/internal/result/resulttest"
)

// Each change to a committed document, and the one line that names it.
func TestCompareNamesTheFirstDifference(t *testing.T) {
	other := 2.0
	for _, c := range []struct {
		change func(*result.Document)
		want   string
	}{
		{func(d *result.Document) { d.Runs[0].Results[2].Admitted = 1784 },
			"extreme-case-1, gcra: admitted is 1784, results/ says 1785"},
		{func(d *result.Document) { d.Runs[0].Results[2].DecisionsDigest = "ab" },
			"extreme-case-1, gcra: decisions_digest is ab, results/ says " +
				"000000000000000000000000000006f9"},
		{func(d *result.Document) { d.Runs[0].Results[2].ScriptSHA1 = "cd" },
			"extreme-case-1, gcra: script_sha1 is cd, results/ says 0000000000000000000000000000000000000004"},
		{func(d *result.Document) {
			d.Runs[0].Results[2].Parameters["burst"] = "999"
			d.Runs[0].Results[2].Admitted = 1
		},
			"extreme-case-1, gcra, parameters: burst is 999, results/ says 1000"}, // the cause before its effect
		{func(d *result.Document) { delete(d.Runs[0].Results[2].Parameters, "burst") },
			"extreme-case-1, gcra, parameters: burst is absent, results/ says 1000"},
		{func(d *result.Document) { d.Runs[0].Results[2].Parameters["quantum"] = "5" },
			"extreme-case-1, gcra, parameters: quantum is 5, results/ says absent"},
		{func(d *result.Document) { d.Runs[0].Results[0].Parameters = map[string]string{"quantum": "5"} },
			"extreme-case-1, none, parameters: quantum is 5, results/ says absent"},
		{func(d *result.Document) { d.Runs[0].Results[1].RoundTrips = &other },
			"extreme-case-1, fixed-window-aligned: round_trips is 2, results/ says 1"},
		{func(d *result.Document) { d.Runs[0].Results[1].RoundTrips = nil },
			"extreme-case-1, fixed-window-aligned: round_trips is absent, results/ says 1"},
		{func(d *result.Document) { d.Runs[0].Reference.Admitted = 1021 },
			"extreme-case-1, exact reference: admitted is 1021, results/ says 1020"},
		{func(d *result.Document) { d.Runs[0].Reference.DecisionsDigest = "ef" },
			"extreme-case-1, exact reference: decisions_digest is ef, results/ says " +
				"000000000000000000000000000003fc"},
		{func(d *result.Document) { d.Runs[0].Seed = 2 }, "extreme-case-1: seed is 2, results/ says 1"},
		{func(d *result.Document) { d.Runs[0].Limit.Burst = 100 },
			`extreme-case-1: limit is {"requests":1000,"window_us":3000000,"burst":100,"contract":"window"}, ` +
				`results/ says {"requests":1000,"window_us":3000000,"burst":1000,"contract":"window"}`},
		{func(d *result.Document) { d.Runs[0].Partial = true }, "extreme-case-1: partial is true, results/ says false"},
		{func(d *result.Document) { d.Runs[0].Scenario = "renamed" },
			`scenario "extreme-case-1" is absent, results/ says present`},
		{func(d *result.Document) { d.Runs = nil }, `scenario "extreme-case-1" is absent, results/ says present`},
		{func(d *result.Document) { d.Runs = append(d.Runs, d.Runs[0]) }, "number of scenarios is 2, results/ says 1"},
		{func(d *result.Document) { d.Runs[0].Results = d.Runs[0].Results[:4] },
			`extreme-case-1: algorithm "sliding-window-log" is absent, results/ says present`},
		{func(d *result.Document) { d.Runs[0].Results[4].Algorithm = "new" },
			`extreme-case-1: algorithm "sliding-window-log" is absent, results/ says present`},
		{func(d *result.Document) { d.Runs[0].Results = append(d.Runs[0].Results, result.Row{Algorithm: "new"}) },
			`extreme-case-1: algorithm "new" is present, results/ says absent`},
		{func(d *result.Document) { r := d.Runs[0].Results; r[0], r[1] = r[1], r[0] },
			"extreme-case-1: algorithm 1 is fixed-window-aligned, results/ says none"},
		{func(d *result.Document) {
			d.Runs[0].Expectations[0] = resulttest.Expectation("fixed-window-aligned", "peak", "1980",
				1, false)
		},
			"extreme-case-1, expectation 1: got is 1, results/ says 1980"},
		{func(d *result.Document) { d.Runs[0].Expectations = nil },
			"extreme-case-1: number of expectations is 0, results/ says 2"},
		{func(d *result.Document) { d.SchemaVersion = 4 }, "schema_version is 4, results/ says 3"},
	} {
		changed := resulttest.Clone(resulttest.ExtremeCase())
		c.change(changed)
		difference, equal := result.Compare(resulttest.ExtremeCase(), changed, "results/")
		if equal || difference != c.want {
			t.Errorf("%q, equal %t\nwant %q", difference, equal, c.want)
		}
	}
}

// What another version of the program or another server may change makes no difference.
func TestCompareOverlooksVersionsAndServers(t *testing.T) {
	for name, change := range map[string]func(*result.Document){
		"tool":           func(d *result.Document) { d.Tool.Version = "v2" },
		"notes":          func(d *result.Document) { d.Runs[0].Notes = []string{"1 line was sorted"} },
		"server version": func(d *result.Document) { d.Runs[0].Server.Version = "2.41.0" },
		"real server": func(d *result.Document) {
			bytes := 56.0
			d.Runs[0].Server = result.Server{Kind: "process", Name: "redis", Version: "7.0.15", Transport: "unix"}
			d.Runs[0].Results[1].BytesPerKey = &bytes
		},
		"models": func(d *result.Document) {
			d.Runs[0].Server = result.Server{Kind: "model", Name: "go", Transport: "none"}
			for i := range d.Runs[0].Results {
				d.Runs[0].Results[i].ScriptSHA1, d.Runs[0].Results[i].RoundTrips = "", nil
			}
		},
	} {
		changed := resulttest.Clone(resulttest.ExtremeCase())
		change(changed)
		if difference, equal := result.Compare(resulttest.ExtremeCase(), changed, "results/"); !equal {
			t.Errorf("%s: %s", name, difference)
		}
	}
}

// A key's bytes are the server's own affair, even where both servers tell them.
func TestCompareOverlooksAnotherServersMemory(t *testing.T) {
	fewer, more := 56.0, 88.0
	redis, valkey := resulttest.Clone(resulttest.ExtremeCase()), resulttest.Clone(resulttest.ExtremeCase())
	redis.Runs[0].Server = result.Server{Kind: "process", Name: "redis", Version: "7.0.15"}
	valkey.Runs[0].Server = result.Server{Kind: "process", Name: "valkey", Version: "8.1.0"}
	redis.Runs[0].Results[2].BytesPerKey, valkey.Runs[0].Results[2].BytesPerKey = &fewer, &more
	if difference, equal := result.Compare(redis, valkey, "results/"); !equal {
		t.Errorf("two servers: %s", difference)
	}
	valkey.Runs[0].Server = redis.Runs[0].Server
	if difference, equal := result.Compare(redis, valkey, "results/"); equal ||
		difference != "extreme-case-1, gcra: bytes_per_key is 88, results/ says 56" {
		t.Errorf("the same server: %q, equal %t", difference, equal)
	}
}

// Another server's decisions count all the same.
func TestCompareHoldsEveryServerToTheDecisions(t *testing.T) {
	changed := resulttest.Clone(resulttest.ExtremeCase())
	changed.Runs[0].Server.Kind = "process"
	changed.Runs[0].Results[2].Excess = 764
	if difference, equal := result.Compare(resulttest.ExtremeCase(), changed, "results/"); equal ||
		difference != "extreme-case-1, gcra: excess is 764, results/ says 765" {
		t.Errorf("%q, equal %t", difference, equal)
	}
}
