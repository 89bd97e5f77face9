package scenario

import (
	"time"

	"go.yaml.in/yaml/v4"

	"ratelab/internal/limit"
	"ratelab/internal/strictyaml"
	"ratelab/internal/traffic"
)

// readConstant reads a count (980) or a rate (400/s).
func readConstant(v strictyaml.Value, _ time.Duration) traffic.Arrivals {
	if v.IsNumber() {
		n, _ := v.Integer(1, maxGenerated)
		return traffic.Constant(n)
	}
	if !v.IsText() {
		v.Bad("%s; want a count such as 980, or a rate such as 400/s", v.Shown())
		return nil
	}
	r, _ := readRate(v, 1)
	return traffic.Steady{Rate: r}
}

func readPoisson(v strictyaml.Value, _ time.Duration) traffic.Arrivals {
	r, _ := readRate(v, 1)
	return traffic.Poisson{Rate: r}
}

func readSpike(v strictyaml.Value, _ time.Duration) traffic.Arrivals {
	n, _ := v.Integer(1, maxGenerated)
	return traffic.Spike(n)
}

func readPause(v strictyaml.Value, _ time.Duration) traffic.Arrivals {
	if v.Node.Kind != yaml.ScalarNode || v.Node.Tag != "!!bool" || v.Node.Value != "true" {
		v.Bad("%s; want true", v.Shown())
	}
	return traffic.Pause{}
}

// readRamp reads {from: 10/s, to: 500/s}.
func readRamp(v strictyaml.Value, _ time.Duration) traffic.Arrivals {
	var r traffic.Ramp
	f, ok := v.Fields("from", "to")
	if !ok {
		return r
	}
	from, ok1 := neededRate(f, "from", "the rate at the start, such as 10/s", 0, &r.From)
	_, ok2 := neededRate(f, "to", "the rate at the end, such as 500/s", 0, &r.To)
	if ok1 && ok2 && r.From.Count == 0 && r.To.Count == 0 {
		from.Bad("the ramp goes from nothing to nothing; want a rate, or pause: true for nobody")
	}
	return r
}

// readSteps reads {start: 10/s, step: 10/s, every: 5s}.
func readSteps(v strictyaml.Value, d time.Duration) traffic.Arrivals {
	var s traffic.Steps
	f, ok := v.Fields("start", "step", "every")
	if !ok {
		return s
	}
	var start, step traffic.Rate
	_, ok1 := neededRate(f, "start", "the first rate, such as 10/s", 0, &start)
	at, ok2 := neededRate(f, "step", "the rate added with each stair, such as 10/s", 1, &step)
	if ok1 && ok2 && start.Per != step.Per {
		at.Bad("%s is per %s, but start is per %s; want one unit", at.Shown(), limit.FormatDuration(step.Per),
			limit.FormatDuration(start.Per))
	}
	if v, ok := f.Need("every", "how long a stair is, such as 5s"); ok {
		s.Every, _ = readDuration(v, time.Millisecond, maxDuration)
		repeats(v, s.Every, d)
	}
	s.Start, s.Step, s.Per = start.Count, step.Count, step.Per
	return s
}

// readBurst reads a count, or {count: 50, every: 1s}.
func readBurst(v strictyaml.Value, d time.Duration) traffic.Arrivals {
	if v.IsNumber() {
		n, _ := v.Integer(1, maxGenerated)
		return traffic.Burst{Size: n}
	}
	var b traffic.Burst
	if v.Node.Kind != yaml.MappingNode {
		v.Bad("%s; want a count such as 1000, or {count: 50, every: 1s}", v.Shown())
		return b
	}
	f, _ := v.Fields("count", "every")
	if v, ok := f.Need("count", "the requests of a burst"); ok {
		b.Size, _ = v.Integer(1, maxGenerated)
	}
	if v, ok := f.Need("every", "the time from burst to burst, such as 1s"); ok {
		b.Every, ok = readDuration(v, time.Microsecond, maxDuration)
		repeats(v, b.Every, d)
		if ok && d == 0 {
			v.Bad("the phase has no duration in which bursts could repeat; want duration: 10s beside burst")
		}
	}
	return b
}

// readSine reads {mean: 100/s, amplitude: 80/s, period: 24h}.
func readSine(v strictyaml.Value, _ time.Duration) traffic.Arrivals {
	var s traffic.Sine
	f, ok := v.Fields("mean", "amplitude", "period")
	if !ok {
		return s
	}
	_, ok1 := neededRate(f, "mean", "the mean rate, such as 100/s", 1, &s.Mean)
	at, ok2 := neededRate(f, "amplitude", "how far the rate swings, such as 80/s", 0, &s.Amplitude)
	if ok1 && ok2 && more(s.Amplitude, s.Mean) {
		at.Bad("%s swings the rate below zero; want at most the mean, %s", at.Shown(), s.Mean)
	}
	if v, ok := f.Need("period", "the time from peak to peak, such as 24h"); ok {
		s.Period, _ = readDuration(v, time.Millisecond, maxDuration)
	}
	return s
}

// more compares rates; the products of counts up to 1e9 and windows up to 3e13 µs are compared as doubles, whose
// error of 1e-16 no amplitude can notice.
func more(a, b traffic.Rate) bool {
	return float64(a.Count)*float64(b.Per) > float64(b.Count)*float64(a.Per)
}

// readOnOff reads {rate: 200/s, on: 2s, off: 3s}.
func readOnOff(v strictyaml.Value, d time.Duration) traffic.Arrivals {
	var o traffic.OnOff
	f, ok := v.Fields("rate", "on", "off")
	if !ok {
		return o
	}
	neededRate(f, "rate", "the rate while on, such as 200/s", 1, &o.Rate)
	if v, ok := f.Need("on", "how long the traffic is on, such as 2s"); ok {
		o.On, _ = readDuration(v, time.Microsecond, maxDuration)
	}
	if v, ok := f.Need("off", "how long it is off, such as 3s"); ok {
		o.Off, _ = readDuration(v, time.Microsecond, maxDuration)
		repeats(v, o.On+o.Off, d)
	}
	return o
}

func neededRate(f strictyaml.Fields, name, want string, least int64, into *traffic.Rate) (strictyaml.Value, bool) {
	v, ok := f.Need(name, want)
	if ok {
		*into, ok = readRate(v, least)
	}
	return v, ok
}
