package chart

import (
	"math"
	"time"
)

// roundTimes are the lengths that a logarithmic axis of time is marked with: tenfold steps, as far as clocks and
// calendars are divided by ten.
var roundTimes = []time.Duration{
	time.Microsecond, 10 * time.Microsecond, 100 * time.Microsecond,
	time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond,
	time.Second, 10 * time.Second, time.Minute, 10 * time.Minute, time.Hour, 10 * time.Hour,
	4 * 24 * time.Hour, 40 * 24 * time.Hour, 400 * 24 * time.Hour,
}

// timePitch is the room that a label such as 100 ms takes, with its distance to the next.
const timePitch = 46

// LogTime is a logarithmic axis of lengths of time, both in µs and above 0, from lowUS to highUS.
func LogTime(lowUS, highUS float64) Axis {
	highUS = max(highUS, 2*lowUS)
	span := math.Log(highUS / lowUS)
	return Axis{
		Share: func(us float64) float64 { return math.Log(max(us, lowUS)/lowUS) / span },
		Ticks: func(length float64) []Tick {
			var within []Tick
			for _, d := range roundTimes {
				if us := float64(d.Microseconds()); us >= lowUS*(1-1e-9) && us <= highUS*(1+1e-9) {
					within = append(within, Tick{us, Span(us)})
				}
			}
			return thinned(within, max(int(length/timePitch), 1))
		},
	}
}

// thinned keeps every so-manieth tick, the first among them, so that no more than limit are left.
func thinned(all []Tick, limit int) []Tick {
	var kept []Tick
	every := max(1, (len(all)+limit-1)/limit)
	for i := 0; i < len(all); i += every {
		kept = append(kept, all[i])
	}
	return kept
}
