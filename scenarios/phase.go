package scenarios

import (
	"slices"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/traffic"
)

const (
	maxGenerated = 10_000_000 // requests of one phase
	maxRepeats   = 1_000_000  // stairs, bursts or on-off cycles of one phase
)

// shapes are the arrival shapes: the field that holds one, and what reads it. d is the phase's duration, 0 where
// it is absent or wrong.
var shapes = []struct {
	field string
	read  func(v value, d time.Duration) traffic.Arrivals
}{
	{"constant", readConstant},
	{"poisson", readPoisson},
	{"ramp", readRamp},
	{"steps", readSteps},
	{"burst", readBurst},
	{"spike", readSpike},
	{"sine", readSine},
	{"on_off", readOnOff},
	{"pause", readPause},
	{"trace", nil}, // recorded, see readTrace
}

func shapeFields() []string {
	names := make([]string, len(shapes))
	for i, s := range shapes {
		names[i] = s.field
	}
	return names
}

// phase reads one phase; lines holds the names of those before it.
func (d *decoder) phase(v value, defaults traffic.Phase, lines map[string]int) traffic.Phase {
	p := defaults
	f, ok := v.fields(slices.Concat([]string{"name", "duration"}, shapeFields(), []string{"keys", "cost"})...)
	if !ok {
		return p
	}
	d.phaseName(f, &p, lines)
	if v, ok := f.get("duration"); ok {
		if p.Duration, ok = v.duration(time.Microsecond, maxDuration); !ok {
			p.Duration = time.Microsecond // stands in, so that the shape's own problems are found without new ones
		}
	}
	d.keysAndCost(f, &p)
	shape, ok := d.shapeOf(f)
	if !ok {
		return p
	}
	if shape.name == "trace" {
		d.tracePhase(f, shape.value, &p)
		return p
	}
	if _, given := f.get("duration"); !given && shape.name != "burst" {
		f.need("duration", "how long the phase lasts, such as 10s")
	}
	d.arrivals(shape, &p)
	return p
}

func (d *decoder) phaseName(f fields, p *traffic.Phase, lines map[string]int) {
	v, ok := f.need("name", "a name that is unique in the file")
	if !ok {
		return
	}
	if p.Name, ok = v.text("a name", maxName); !ok {
		return
	}
	if line, twice := lines[p.Name]; twice {
		v.bad("%s is also the phase on line %d; want names that are unique", v.shown(), line)
		return
	}
	lines[p.Name] = v.node.Line
}

// shapeOf finds the one arrival shape of a phase.
func (d *decoder) shapeOf(f fields) (found entry, ok bool) {
	for _, e := range f.entries {
		if !slices.Contains(shapeFields(), e.name) {
			continue
		}
		if ok {
			e.label.bad("a second arrival shape after %s; want one per phase", found.name)
			return found, false
		}
		found, ok = e, true
	}
	if !ok && len(f.entries) > 0 && !slices.ContainsFunc(f.entries, f.unknown) {
		f.bad("no arrival shape; want one of %s", list(shapeFields()))
	}
	return found, ok
}

// unknown is for shapeOf: a misspelled shape was reported already.
func (f fields) unknown(e entry) bool {
	return !slices.Contains([]string{"name", "duration", "keys", "cost"}, e.name)
}

// arrivals reads the shape and checks how many requests it makes.
func (d *decoder) arrivals(shape entry, p *traffic.Phase) {
	i := slices.Index(shapeFields(), shape.name)
	before := len(d.problems)
	p.Arrivals = shapes[i].read(shape.value, p.Duration)
	if len(d.problems) > before || p.Duration == 0 && shape.name != "burst" {
		return
	}
	if n := p.Arrivals.Count(p.Duration); n > maxGenerated {
		shape.bad("more than %d requests in %s; want fewer, or a trace", maxGenerated, days(p.Duration))
	}
}

// repeats refuses a period so short that it would come round too often in a phase.
func repeats(v value, period, d time.Duration) {
	if period > 0 && int64(d/period) > maxRepeats {
		v.bad("%s comes round more than %d times in %s; want longer periods", limit.FormatDuration(period), maxRepeats, days(d))
	}
}
