package report

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ratelab/internal/limit"
)

// One file, by hand: an admission, a rejection, one that waiting never helps, one that is not configured.
func TestDecisionsByHand(t *testing.T) {
	var out strings.Builder
	d := NewDecisionWriter(&out)
	rows := []struct {
		algorithm string
		request   limit.Request
		decision  limit.Decision
	}{
		{"gcra", limit.Request{AtUS: 0, Key: "k1", Cost: 1}, limit.Decision{Verdict: limit.Allowed, Remaining: 1}},
		{"gcra", limit.Request{AtUS: 10, Key: `a,"b"`, Cost: 2},
			limit.Decision{Verdict: limit.Rejected, Remaining: 1, RetryAfterUS: 3_000_000}},
		{"gcra", limit.Request{AtUS: 10, Key: "k1", Cost: 9},
			limit.Decision{Verdict: limit.Rejected, RetryAfterUS: limit.Never}},
		{"gcra", limit.Request{AtUS: 10, Key: "=1,2", Cost: 1}, limit.Decision{Verdict: limit.Allowed}},
		{"token-bucket", limit.Request{AtUS: 11, Key: "two\nlines", Cost: 1},
			limit.Decision{Verdict: limit.NotConfigured}},
	}
	for _, r := range rows {
		if err := d.Write("steady", r.algorithm, r.request, r.decision); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Flush(); err != nil {
		t.Fatal(err)
	}
	want := `scenario,algorithm,t_us,key,cost,allowed,remaining,retry_after_us
steady,gcra,0,k1,1,1,1,0
steady,gcra,10,"a,""b""",2,0,1,3000000
steady,gcra,10,k1,9,0,0,-1
steady,gcra,10,"'=1,2",1,1,0,0
steady,token-bucket,11,"two
lines",1,-1,0,0
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Any key, whatever it holds, is read back by a CSV reader as it was, once the apostrophe is taken away that keeps a
// spreadsheet from running it.
func TestDecisionKeysReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOf(rapid.StringMatching("[-a-z,\"\n =+@＝;'é]{0,12}")).Draw(t, "keys")
		var out bytes.Buffer
		d := NewDecisionWriter(&out)
		for _, key := range keys {
			if err := d.Write("s,1", "a\"b", limit.Request{Key: key, Cost: 1}, limit.Decision{}); err != nil {
				t.Fatal(err)
			}
		}
		_ = d.Flush()
		lines, err := csv.NewReader(&out).ReadAll()
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

// Rows beyond the buffer's size arrive complete and in order.
func TestDecisionsBeyondTheBuffer(t *testing.T) {
	var out strings.Builder
	d := NewDecisionWriter(&out)
	want := strings.Builder{}
	want.WriteString(decisionsHeader)
	for i := range int64(10_000) {
		fmt.Fprintf(&want, "s,a,%d,k,1,1,0,0\n", i)
		if err := d.Write("s", "a", limit.Request{AtUS: i, Key: "k", Cost: 1},
			limit.Decision{Verdict: limit.Allowed}); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Flush(); err != nil || out.String() != want.String() {
		t.Errorf("%d bytes (%v), want %d", out.Len(), err, want.Len())
	}
}

func TestDecisionsAllocateNothing(t *testing.T) {
	d := NewDecisionWriter(io.Discard)
	request := limit.Request{AtUS: 1, Key: `a "key", quoted`, Cost: 1}
	if n := testing.AllocsPerRun(10_000,
		func() { _ = d.Write("scenario", "gcra", request, limit.Decision{}) }); n != 0 {
		t.Errorf("%v allocations for a row, want none", n)
	}
}

func BenchmarkDecisions(b *testing.B) {
	d := NewDecisionWriter(io.Discard)
	for i := range b.N {
		_ = d.Write("extreme-case-1", "gcra", limit.Request{AtUS: int64(i), Key: "client-17", Cost: 1},
			limit.Decision{Remaining: 3})
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
