package chart

import "math"

// Time is an axis from one instant to another, both in µs, marked in the unit that suits the time between them.
func Time(fromUS, toUS float64) Axis { return TimeBetween(fromUS, toUS, 52) }

// TimeBetween is an axis from one instant to another, both in µs from a start that need not be on it. The labels take
// pitch px each.
func TimeBetween(fromUS, toUS, pitch float64) Axis {
	return Axis{
		Share: func(us float64) float64 { return (us - fromUS) / (toUS - fromUS) },
		Ticks: func(length float64) []Tick { return timeTicks(fromUS, toUS, max(int(length/pitch), 1)) },
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

// Amounts is an axis from 0 to a little more than top, of what need not be whole. The labels take pitch px each.
func Amounts(top, pitch float64, unit string) Axis {
	if top <= 0 {
		top = 1
	}
	scale := top * 1.06
	return Axis{
		Unit:  unit,
		Share: func(v float64) float64 { return v / scale },
		Ticks: func(length float64) []Tick {
			var ticks []Tick
			for _, v := range amountTicks(scale, max(int(length/pitch), 2)) {
				ticks = append(ticks, Tick{v, Short(v)})
			}
			return ticks
		},
	}
}

// amountTicks gives 0 and the multiples of 1, 2 or 5 times a power of ten up to top, most of them but no more than
// limit besides the zero.
func amountTicks(top float64, limit int) []float64 {
	power := math.Pow(10, math.Floor(math.Log10(top/float64(limit))))
	step := 10 * power
	for _, factor := range []float64{1, 2, 5} {
		if top/(factor*power) <= float64(limit) {
			step = factor * power
			break
		}
	}
	var ticks []float64
	for i := 0; float64(i)*step <= top*(1+1e-9); i++ {
		ticks = append(ticks, math.Round(float64(i)*step/power)*power)
	}
	return ticks
}

// Logarithmic is an axis from low to high, both above 0, the low end rounded down to 1, 2 or 5 times a power of
// ten. The ticks are such numbers too, as label writes them, pitch px apart at least. What lies below low stands at
// the axis's start.
func Logarithmic(low, high, pitch float64, unit string, label func(float64) string) Axis {
	low = below(low)
	high = max(high*1.1, low*4)
	span := math.Log(high / low)
	return Axis{
		Unit:  unit,
		Share: func(v float64) float64 { return math.Log(max(v, low)/low) / span },
		Ticks: func(length float64) []Tick {
			var ticks []Tick
			for _, v := range logTicks(low, high, max(int(length/pitch), 2)) {
				ticks = append(ticks, Tick{v, label(v)})
			}
			return ticks
		},
	}
}

// logTicks gives the 1, 2 and 5 of each decade where no more than limit of them lie within, and otherwise the powers
// of ten, of a thousand, and so on.
func logTicks(low, high float64, limit int) []float64 {
	fine := decades(low, high, []float64{1, 2, 5})
	if len(fine) <= limit {
		return fine
	}
	powers := decades(low, high, []float64{1})
	var ticks []float64
	every := (len(powers) + limit - 1) / limit
	for i := 0; i < len(powers); i += every {
		ticks = append(ticks, powers[i])
	}
	return ticks
}

func decades(low, high float64, digits []float64) []float64 {
	var all []float64
	for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e++ {
		for _, d := range digits {
			if v := d * math.Pow(10, e); v >= low*(1-1e-9) && v <= high*(1+1e-9) {
				all = append(all, v)
			}
		}
	}
	return all
}

// below rounds down to 1, 2 or 5 times a power of ten.
func below(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, digit := range []float64{5, 2} {
		if digit*power <= v {
			return digit * power
		}
	}
	return power
}
