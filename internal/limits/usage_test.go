package limits

import (
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ratelab/internal/limit"
	"ratelab/internal/report"
	"ratelab/internal/result"
	"ratelab/internal/result/resulttest"
)

func stream(all []limit.Request) iter.Seq2[limit.Request, error] {
	return func(yield func(limit.Request, error) bool) {
		for _, q := range all {
			if !yield(q, nil) {
				return
			}
		}
	}
}

// look returns the document of logs.
func look(t interface{ Fatal(...any) }, limits []limit.Policy, logs ...*Log) *result.Document {
	var alone [][]limit.Limit
	for _, p := range limits {
		alone = append(alone, []limit.Limit{{Name: "alone", Policy: p}})
	}
	d, err := Look(alone, oneByOne(logs))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// oneByOne returns a function that returns the logs one by one, and nil after the last one.
func oneByOne(logs []*Log) func() (*Log, error) {
	return func() (l *Log, err error) {
		if len(logs) > 0 {
			l, logs = logs[0], logs[1:]
		}
		return l, nil
	}
}

// The busiest window and the requests that the exact limiter rejects are those of the definitions.
func TestFiguresAreWhatTheirDefinitionsSay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []limit.Request
		var at int64
		for range rapid.IntRange(1, 60).Draw(t, "requests") {
			at += rapid.Int64Range(0, 400_000).Draw(t, "gap")
			all = append(all, limit.Request{AtUS: at, Key: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "key"),
				Cost: rapid.Int64Range(1, 4).Draw(t, "cost")})
		}
		log, err := Read(stream(all))
		if err != nil {
			t.Fatal(err)
		}
		p := limit.Policy{Requests: rapid.Int64Range(1, 12).Draw(t, "limit"), Window: time.Second}
		d := look(t, []limit.Policy{p}, log)
		var most, rejected int64
		touched := map[string]bool{}
		admitted := map[int]bool{}
		for i, q := range all {
			var asked, held int64
			for j, o := range all[:i+1] {
				if o.Key != q.Key || o.AtUS <= q.AtUS-1_000_000 {
					continue
				}
				asked += o.Cost
				if admitted[j] {
					held += o.Cost
				}
			}
			most = max(most, asked)
			if held+q.Cost > p.Requests {
				rejected += q.Cost
				touched[q.Key] = true
			} else {
				admitted[i] = true
			}
		}
		if d.Users[0].Windows[0].Most != most {
			t.Errorf("the busiest second holds %d; want %d", d.Users[0].Windows[0].Most, most)
		}
		if got := d.Users[0].Limits[0]; got.Rejected != rejected || got.Clients != int64(len(touched)) {
			t.Errorf("%d rejected, of %d clients; want %d of %d", got.Rejected, got.Clients, rejected, len(touched))
		}
	})
}

// Quantiles are those of clients, by the nearest rank.
func TestQuantiles(t *testing.T) {
	ten := []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	for share, want := range map[float64]int64{0.5: 5, 0.9: 9, 0.99: 10, 0.999: 10} {
		if got := quantile(ten, share); got != want {
			t.Errorf("%g of ten: %d, want %d", share, got, want)
		}
	}
	if quantile([]int64{7}, 0.5) != 7 {
		t.Error("of one")
	}
}

// The tables fit into 80 columns and 24 lines, and the JSON follows its schema. The cases are two readings, costs above
// 1, no rejections, a change of limits, and several limits on each request.
func TestScreenFits(t *testing.T) {
	for _, size := range []int64{1, 100} {
		var logs []*Log
		for _, rule := range []string{"even", "at_once"} {
			var all []limit.Request
			for i := range int64(3000) {
				q := limit.Request{AtUS: i / 60 * 1_000_000, Key: strings.Repeat("k", 1+int(i%30)) + ".example.com",
					Cost: size*(i%7) + 1}
				if size == 1 {
					q.Cost = 1
				}
				if rule == "even" {
					q.AtUS += i % 60 * 1_000_000 / 60
				}
				all = append(all, q)
			}
			log, err := Read(stream(all))
			if err != nil {
				t.Fatal(err)
			}
			log.Within = rule
			logs = append(logs, log)
		}
		for _, texts := range [][]string{nil, {"1/1m"}, {"1000000000/1m"}, {"20/1m", "1/1m"}, {"20/1s+1/1m"},
			{"5/1s:requests:name=16-small-letters+20/1m:burst=3"}, {"20/1m", "20/1s+1/1m+400/1h"}} {
			var policies [][]limit.Limit
			most := 24
			for _, text := range texts {
				if strings.Contains(text, "+") {
					most = 30 // the additional column makes the column of the long names narrower
				}
				limits, err := limit.ParseLimits(text)
				if err != nil {
					t.Fatal(err)
				}
				policies = append(policies, limits)
			}
			d, err := Look(policies, oneByOne(logs))
			if err != nil {
				t.Fatal(err)
			}
			d.Traffic.StartUS = 1_704_067_200_000_000
			var table, doc strings.Builder
			if err := Forms.Write(&table, "table", d, report.Terminal{Width: 80}); err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSuffix(table.String(), "\n"), "\n")
			if len(lines) > most || slices.ContainsFunc(lines, func(line string) bool { return len(line) > 80 }) {
				t.Errorf("%d lines:\n%s", len(lines), table.String())
			}
			if err := Forms.Write(&doc, "json", d, report.Terminal{}); err != nil {
				t.Fatal(err)
			}
			if err := resulttest.Validate(t, doc.String()); err != nil {
				t.Error(err)
			}
		}
	}
}

// The smaller of two figures comes first, and the first pair is explained.
func TestTwoReadings(t *testing.T) {
	p := newPage(&result.Document{Users: []result.Users{{WithinSecond: "even"}, {WithinSecond: "at_once"}}})
	got := p.cells(func(r *reading) []string {
		if r.WithinSecond == "even" {
			return []string{"per 1s", "10", "9", "0.3%", "18 May 10:00:00", report.Absent}
		}
		return []string{"per 1s", "9", "10", "20%", report.Absent, "18 May 10:00:00"}
	})
	want := []string{"per 1s", "9 or 10", "9 or 10", "0.3% or 20%", "- or 18 May 10:00:00", "- or 18 May 10:00:00"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if p.differ != "10 if spread evenly, 9 if all at once" {
		t.Errorf("it says %q", p.differ)
	}
}
