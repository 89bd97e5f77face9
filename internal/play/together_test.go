package play

import (
	"testing"
	"time"

	"ratelab/internal/load"
)

// alone is the only one that plays.
type alone struct{ Together }

// Where several clocks tell when a request was taken, the band is wider by what they may be apart.
func TestBandsAreAsWideAsClocksAreUnsure(t *testing.T) {
	o := load.Outcome{Written: 5 * time.Millisecond, Replied: 6 * time.Millisecond}
	p := &player{origin: time.Millisecond, unsure: 300 * time.Microsecond}
	if a := p.answer(o); a.WrittenUS != 4000 || a.RepliedUS != 5000 {
		t.Errorf("by one clock from %d to %d µs; want 4000 to 5000", a.WrittenUS, a.RepliedUS)
	}
	p.Together = alone{}
	if a := p.answer(o); a.WrittenUS != 3700 || a.RepliedUS != 5300 {
		t.Errorf("by several clocks from %d to %d µs; want 3700 to 5300", a.WrittenUS, a.RepliedUS)
	}
}
