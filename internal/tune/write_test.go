package tune

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/result"
	"ratelab/internal/result/resulttest"
	"ratelab/internal/sheet"
)

// documents are one with a choice, one without, and one of whom a limit hits.
func documents(t *testing.T) map[string]*Document {
	t.Helper()
	chosen, none, who := ask(crowd()), ask(crowd()), ask(crowd())
	who.Wishes = Wishes{Of: Users}
	chosen.Present = &limit.Policy{Requests: 10, Window: time.Minute}
	one, many := int64(1), int64(20)
	none.Wishes.Protect, chosen.Wishes.Protect = &one, &many
	who.Present, who.Who = chosen.Present, true
	all := map[string]*Document{}
	for name, q := range map[string]*Question{"chosen": chosen, "none": none, "who": who} {
		d, err := q.Answer()
		if err != nil {
			t.Fatal(err)
		}
		d.Tool = result.Tool{Name: "simulate", Version: "devel"}
		all[name] = d
	}
	if all["chosen"].Chosen == nil || all["none"].Chosen != nil || all["who"].Touched == nil {
		t.Fatal("the documents are not what they are named")
	}
	return all
}

// What is written is what the schema says, a table has no line that is too long but what is to be pasted, and CSV has a
// line for each row.
func TestForms(t *testing.T) {
	for name, d := range documents(t) {
		var json, table, lines, page bytes.Buffer
		for form, to := range map[string]*bytes.Buffer{"json": &json, "table": &table, "csv": &lines,
			"markdown": &page} {
			if err := Forms.Write(to, form, d, sheet.Terminal{}); err != nil {
				t.Fatal(name, form, err)
			}
		}
		if err := resulttest.Validate(t, result.Tune, json.String()); err != nil {
			t.Error(name, err)
		}
		for line := range strings.SplitSeq(table.String(), "\n") {
			if len(line) > usualWidth {
				t.Errorf("%s: %d columns: %s", name, len(line), line)
			}
		}
		records, err := csv.NewReader(&lines).ReadAll()
		if want := max(len(d.Rows), hitsIn(d)) + 1; err != nil || len(records) != want {
			t.Errorf("%s: %d lines of CSV, want %d: %v", name, len(records), want, err)
		}
		if len(d.Configurations) > 0 && !strings.Contains(page.String(), "```\nredis_rate.Limit{") {
			t.Errorf("%s: no code in\n%s", name, page.String())
		}
	}
}

func hitsIn(d *Document) (n int) {
	for _, t := range d.Touched {
		n += len(t.Who)
	}
	return n
}

// A chosen setting that what is held out does not keep is said to be so, with one that both parts keep.
func TestOverfittingIsSaid(t *testing.T) {
	row := func(limit, refused, held, worst int64) Row {
		return Row{Algorithm: "gcra", Limit: result.Limit{Requests: limit, WindowUS: 1_000_000, Burst: 1},
			Both: Both{Fitted: Figures{Users: 100, UsersRefused: refused, WorstSecond: worst},
				HeldOut: Figures{Users: 100, UsersRefused: held, WorstSecond: worst}}}
	}
	most := 0.01
	d := &Document{Wishes: Wishes{Of: Users, RefuseAtMost: &most}, Rows: []Row{row(3, 1, 2, 7), row(5, 1, 1, 9)}}
	d.judge()
	const want = "Take gcra 3/1s burst 1: 1.0% | 2.0% of users refused, worst second 7 | 7 (fitted | held out); " +
		"what is held out does not keep the wishes"
	if got := d.Headline(); got != want {
		t.Error(got)
	}
	if !is(d.KeptOnBoth, 1) {
		t.Error(d.KeptOnBoth)
	}
}
