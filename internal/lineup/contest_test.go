package lineup

import (
	"testing"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/scenario"
)

// A play on the wall clock begins where all windows begin that lie where the clock puts them: the rows' own, too.
func TestAlignment(t *testing.T) {
	for _, test := range []struct {
		labels []string
		want   time.Duration
	}{
		{[]string{"fixed-window-aligned", "gcra:per=7s"}, 4 * time.Second}, // a bucket goes by no grid
		{[]string{"fixed-window-aligned:per=6s", "gcra"}, 12 * time.Second},
		{[]string{"fixed-window-aligned:per=6s", "fixed-window-aligned:per=5s"}, time.Minute},
		{[]string{"fixed-window-aligned:per=500ms"}, 4 * time.Second},
	} {
		c := NewContest(&scenario.Scenario{Limit: limit.Policy{Requests: 10, Window: 4 * time.Second}}, Instead{})
		var choices []algorithms.Choice
		for _, label := range test.labels {
			choice, err := algorithms.Parse(label)
			if err != nil {
				t.Fatal(err)
			}
			choices = append(choices, choice)
		}
		var wrong Problems
		c.Enter(choices, nil, &wrong)
		if err := wrong.Err(); err != nil {
			t.Fatal(err)
		}
		if got := c.Alignment(); got != test.want {
			t.Errorf("%q: %v, want %v", test.labels, got, test.want)
		}
	}
}
