package drawing

// Time is an axis from 0 to spanUS, marked in the unit that suits it.
func Time(spanUS float64) Axis {
	return Axis{
		Share: func(us float64) float64 { return us / spanUS },
		Ticks: func(length float64) []Tick { return timeTicks(spanUS, max(int(length/52), 1)) },
	}
}

// Counts is a vertical axis from 0 to top, which leaves a label's height above the greatest value in a panel of that
// height. Counts are whole, so top is at least 1.
func Counts(top, height float64, unit string) Axis {
	scale := max(top, 1) * (1 + 17/(height-17))
	return Axis{
		Unit:  unit,
		Share: func(v float64) float64 { return v / scale },
		Ticks: func(length float64) []Tick {
			var ticks []Tick
			for _, v := range countTicks(scale, int(length/30)) {
				ticks = append(ticks, Tick{v, Short(v)})
			}
			return ticks
		},
	}
}
