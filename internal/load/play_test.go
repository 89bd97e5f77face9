package load

import (
	"testing"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
)

// planOf is a scenario from its file's text, and all algorithms but the one that decides nothing.
func planOf(t *testing.T, text string) *run.Plan {
	t.Helper()
	s, err := scenario.Parse("test.yaml", []byte("name: test\nquestion: Why?\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	var choices []algorithms.Choice
	for _, name := range algorithms.Names() {
		choice, err := algorithms.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		if name != "none" {
			choices = append(choices, choice)
		}
	}
	c := run.NewPlan(s, run.Instead{})
	var wrong run.Problems
	c.Enter(choices, nil, &wrong)
	if err := wrong.Err(); err != nil {
		t.Fatal(err)
	}
	return &c
}

// A window that nobody waits for lies around the part: an edge falls into no play.
func TestALongWindowLiesAroundThePart(t *testing.T) {
	at := time.Date(2024, time.January, 1, 0, 59, 50, 0, time.UTC)
	c := planOf(t, "limit: {requests: 10, per: 1h}\nphases: [{name: all, duration: 30s, constant: 4}]\n")
	part, err := NewPart(c.Scenario.Stream(c.Seed), Wish{})
	if err != nil {
		t.Fatal(err)
	}
	for now, want := range map[time.Duration]time.Duration{0: 10 * time.Second, -time.Minute: -time.Minute} {
		clock := Stopwatch{Origin: at, Now: func() time.Duration { return now - preparation }}
		p := &player{Options: &Options{Clock: clock}, plan: c, part: part, limiter: c.Limiters[0], target: &Target{}}
		mine := *c.Limiters[0]
		mine.Aligned = true
		p.limiter = &mine
		if p.aim(); p.origin != want {
			t.Errorf("at %v it begins at %v; want %v", now, p.origin, want)
		}
	}
}
