package report

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ratelab/internal/limit"
)

// joined is the file of rows of one scenario, each with its decisions.
func joined(t interface {
	Helper()
	Fatal(...any)
}, dir, scenario string, rows ...decided) string {
	t.Helper()
	var out bytes.Buffer
	d := NewDecisions(&out, dir)
	defer d.Discard()
	for _, r := range rows {
		write, err := d.Watch(scenario, r.algorithm)
		if err != nil {
			t.Fatal(err)
		}
		if err := write(r.requests, r.decisions); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Join(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

type decided struct {
	algorithm string
	requests  []limit.Request
	decisions []limit.Decision
}

// One file, by hand: an admission, a rejection, one that waiting never helps, one that is not configured.
func TestDecisionsByHand(t *testing.T) {
	got := joined(t, t.TempDir(), "steady",
		decided{"gcra", []limit.Request{{AtUS: 0, Key: "k1", Cost: 1}, {AtUS: 10, Key: `a,"b"`, Cost: 2},
			{AtUS: 10, Key: "k1", Cost: 9}, {AtUS: 10, Key: "=1,2", Cost: 1}},
			[]limit.Decision{{Verdict: limit.Allowed, Remaining: 1},
				{Verdict: limit.Rejected, Remaining: 1, RetryAfterUS: 3_000_000},
				{Verdict: limit.Rejected, RetryAfterUS: limit.Never}, {Verdict: limit.Allowed}}},
		decided{"token-bucket", []limit.Request{{AtUS: 11, Key: "two\nlines", Cost: 1}},
			[]limit.Decision{{Verdict: limit.NotConfigured}}})
	want := `scenario,algorithm,t_us,key,cost,allowed,remaining,retry_after_us
steady,gcra,0,k1,1,1,1,0
steady,gcra,10,"a,""b""",2,0,1,3000000
steady,gcra,10,k1,9,0,0,-1
steady,gcra,10,"'=1,2",1,1,0,0
steady,token-bucket,11,"two
lines",1,-1,0,0
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Any key, whatever it holds, is read back by a CSV reader as it was, once the apostrophe is taken away that keeps a
// spreadsheet from running it.
func TestDecisionKeysReadBack(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOf(rapid.StringMatching("[-a-z,\"\n =+@＝;'é]{0,12}")).Draw(t, "keys")
		row := decided{algorithm: "a\"b", decisions: make([]limit.Decision, len(keys))}
		for _, key := range keys {
			row.requests = append(row.requests, limit.Request{Key: key, Cost: 1})
		}
		lines, err := csv.NewReader(strings.NewReader(joined(t, dir, "s,1", row))).ReadAll()
		if err != nil || len(lines) != 1+len(keys) {
			t.Fatalf("%d lines of %d (%v)", len(lines), 1+len(keys), err)
		}
		for i, key := range keys {
			if line := lines[i+1]; line[0] != "s,1" || line[1] != `a"b` || line[3] != Defuse(key) {
				t.Fatalf("key %q came back in %q", key, line)
			}
			if cell := lines[i+1][3]; cell != "" && strings.ContainsRune("=+-@＝\n", []rune(cell)[0]) {
				t.Fatalf("a spreadsheet would run %q", cell)
			}
		}
	})
}

func TestDecisionsAllocateNothing(t *testing.T) {
	line := make([]byte, 0, 100)
	request, decision := limit.Request{AtUS: 1, Key: "a key", Cost: 1}, limit.Decision{}
	if n := testing.AllocsPerRun(10_000, func() { appendDecision(line, &request, &decision) }); n != 0 {
		t.Errorf("%v allocations for a row, want none", n)
	}
}
