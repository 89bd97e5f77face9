package result_test

import (
	"slices"
	"testing"

	"ratelab/internal/result"
	"ratelab/internal/result/resulttest"
)

// differences are those of Compare, each with its row.
func differences(golden, got *result.Document) (all []string) {
	for _, d := range result.Compare(golden, got) {
		if d.Algorithm != "" {
			d.Scenario += ", " + d.Algorithm
		}
		all = append(all, d.String())
	}
	return all
}

// Each change to a committed document, and the one line that names it.
func TestCompareNamesTheFirstDifferenceOfARow(t *testing.T) {
	other := 2.0
	for _, c := range []struct {
		change func(*result.Document)
		want   string
	}{
		{func(d *result.Document) { d.Runs[0].Results[2].Admitted = 1784 },
			"extreme-case-1, gcra: admitted is 1784, was 1785"},
		{func(d *result.Document) { d.Runs[0].Results[2].DecisionsDigest = "ab" },
			"extreme-case-1, gcra: admits as many as before, but other requests"},
		{func(d *result.Document) { d.Runs[0].Results[2].ScriptSHA1 = "cd" },
			"extreme-case-1, gcra: script_sha1 is cd, was 0000000000000000000000000000000000000004"},
		{func(d *result.Document) {
			d.Runs[0].Results[2].Parameters["burst"] = "999"
			d.Runs[0].Results[2].Admitted = 1
		},
			"extreme-case-1, gcra: parameter burst is 999, was 1000"}, // the cause before its effect
		{func(d *result.Document) { delete(d.Runs[0].Results[2].Parameters, "burst") },
			"extreme-case-1, gcra: parameter burst is absent, was 1000"},
		{func(d *result.Document) { d.Runs[0].Results[2].Parameters["quantum"] = "5" },
			"extreme-case-1, gcra: parameter quantum is 5, was absent"},
		{func(d *result.Document) { d.Runs[0].Results[0].Parameters = map[string]string{"quantum": "5"} },
			"extreme-case-1, none: parameter quantum is 5, was absent"},
		{func(d *result.Document) { d.Runs[0].Results[1].RoundTrips = &other },
			"extreme-case-1, fixed-window-aligned: round_trips is 2, was 1"},
		{func(d *result.Document) { d.Runs[0].Results[1].RoundTrips = nil },
			"extreme-case-1, fixed-window-aligned: round_trips is absent, was 1"},
		{func(d *result.Document) { d.Runs[0].Reference.Admitted = 1021 },
			"extreme-case-1: exact reference: admitted is 1021, was 1020"},
		{func(d *result.Document) { d.Runs[0].Reference.DecisionsDigest = "ef" },
			"extreme-case-1: exact reference: decisions_digest is ef, was 000000000000000000000000000003fc"},
		{func(d *result.Document) { d.Runs[0].Seed = 2 }, "extreme-case-1: seed is 2, was 1"},
		{func(d *result.Document) { d.Runs[0].Limit.Burst = 100 },
			`extreme-case-1: limit is {"requests":1000,"window_us":3000000,"burst":100,"contract":"window"}, ` +
				`was {"requests":1000,"window_us":3000000,"burst":1000,"contract":"window"}`},
		{func(d *result.Document) { d.Runs[0].Partial = true }, "extreme-case-1: partial is true, was false"},
		{func(d *result.Document) { d.Runs[0].Scenario = "renamed" },
			`scenario "extreme-case-1" is absent, was present`},
		{func(d *result.Document) { d.Runs = nil }, `scenario "extreme-case-1" is absent, was present`},
		{func(d *result.Document) { d.Runs = append(d.Runs, d.Runs[0]) }, "number of scenarios is 2, was 1"},
		{func(d *result.Document) { d.Runs[0].Results = d.Runs[0].Results[:4] },
			`extreme-case-1: algorithm "sliding-window-log" is absent, was present`},
		{func(d *result.Document) { d.Runs[0].Results[4].Algorithm = "new" },
			`extreme-case-1: algorithm "sliding-window-log" is absent, was present`},
		{func(d *result.Document) { d.Runs[0].Results = append(d.Runs[0].Results, result.Row{Algorithm: "new"}) },
			`extreme-case-1: algorithm "new" is present, was absent`},
		{func(d *result.Document) { r := d.Runs[0].Results; r[0], r[1] = r[1], r[0] },
			"extreme-case-1: algorithm 1 is fixed-window-aligned, was none"},
		{func(d *result.Document) {
			d.Runs[0].Expectations[0] = resulttest.Expectation("fixed-window-aligned", "peak", "1980",
				1, false)
		},
			"extreme-case-1: expectation 1: got is 1, was 1980"},
		{func(d *result.Document) { d.Runs[0].Expectations = nil },
			"extreme-case-1: number of expectations is 0, was 2"},
		{func(d *result.Document) { d.SchemaVersion = 4 }, "schema_version is 4, was 3"},
	} {
		changed := resulttest.ExtremeCase()
		c.change(changed)
		if got := differences(resulttest.ExtremeCase(), changed); !slices.Contains(got, c.want) || len(got) > 2 {
			t.Errorf("%q\nwant %q", got, c.want)
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
		changed := resulttest.ExtremeCase()
		change(changed)
		if got := differences(resulttest.ExtremeCase(), changed); got != nil {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// A key's bytes are the server's own affair, even where both servers tell them.
func TestCompareOverlooksAnotherServersMemory(t *testing.T) {
	fewer, more := 56.0, 88.0
	redis, valkey := resulttest.ExtremeCase(), resulttest.ExtremeCase()
	redis.Runs[0].Server = result.Server{Kind: "process", Name: "redis", Version: "7.0.15"}
	valkey.Runs[0].Server = result.Server{Kind: "process", Name: "valkey", Version: "8.1.0"}
	redis.Runs[0].Results[2].BytesPerKey, valkey.Runs[0].Results[2].BytesPerKey = &fewer, &more
	if got := differences(redis, valkey); got != nil {
		t.Errorf("two servers: %q", got)
	}
	valkey.Runs[0].Server = redis.Runs[0].Server
	want := []string{"extreme-case-1, gcra: bytes_per_key is 88, was 56"}
	if got := differences(redis, valkey); !slices.Equal(got, want) {
		t.Errorf("the same server: %q", got)
	}
}

// Another server's decisions count all the same.
func TestCompareHoldsEveryServerToTheDecisions(t *testing.T) {
	changed := resulttest.ExtremeCase()
	changed.Runs[0].Server.Kind = "process"
	changed.Runs[0].Results[2].Excess = 764
	want := []string{"extreme-case-1, gcra: excess is 764, was 765"}
	if got := differences(resulttest.ExtremeCase(), changed); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
