package scenario

import (
	"slices"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/strictyaml"
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
	read  func(v strictyaml.Value, d time.Duration) traffic.Arrivals
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
	{"trace", nil}, // recorded, see tracePhase
}

func shapeFields() []string {
	names := make([]string, len(shapes))
	for i, s := range shapes {
		names[i] = s.field
	}
	return names
}

// notInAPhase are fields that people expect in a phase, and what they mean.
var notInAPhase = map[string]string{
	"rate":     wantRate,
	"rps":      wantRate,
	"count":    wantCount,
	"requests": wantCount,
	"limit":    "the limit is the scenario's, for all phases; want it beside phases",
}

const (
	wantRate  = "want constant: 400/s for an even flow, or poisson: 400/s for a random one"
	wantCount = "want constant: 980 for so many evenly in its duration, or burst: 980 for all at once"
)

// phase reads one phase; lines holds the names of those before it.
func (r *reader) phase(v strictyaml.Value, defaults traffic.Phase, lines map[string]int) traffic.Phase {
	p := defaults
	legal := slices.Concat([]string{"name", "duration"}, shapeFields(), []string{"keys", "cost"})
	f, ok := v.FieldsOr(notInAPhase, legal...)
	if !ok {
		return p
	}
	readPhaseName(f, &p, lines)
	if v, ok := f.Get("duration"); ok {
		if p.Duration, ok = readDuration(v, time.Microsecond, maxDuration); !ok {
			p.Duration = time.Microsecond // stands in, so that the shape's own problems are found without new ones
		}
	}
	readKeysAndCost(f, &p)
	shape, ok := shapeOf(f)
	if !ok {
		return p
	}
	if shape.Name == "trace" {
		r.tracePhase(f, shape.Value, &p)
		return p
	}
	if _, given := f.Get("duration"); !given && shape.Name != "burst" {
		f.Need("duration", "how long the phase lasts, such as 10s")
	}
	r.arrivals(shape, &p)
	return p
}

func readPhaseName(f strictyaml.Fields, p *traffic.Phase, lines map[string]int) {
	v, ok := f.Need("name", "a name that is unique in the file")
	if !ok {
		return
	}
	if p.Name, ok = v.Text("a name", maxName); !ok {
		return
	}
	if line, twice := lines[p.Name]; twice {
		v.Bad("%s is also the phase on line %d; want names that are unique", v.Shown(), line)
		return
	}
	lines[p.Name] = v.Node.Line
}

// shapeOf finds the one arrival shape of a phase.
func shapeOf(f strictyaml.Fields) (found strictyaml.Entry, ok bool) {
	for _, e := range f.Entries {
		if !slices.Contains(shapeFields(), e.Name) {
			continue
		}
		if ok {
			e.Label.Bad("a second arrival shape after %s; want one per phase", found.Name)
			return found, false
		}
		found, ok = e, true
	}
	if !ok && len(f.Entries) > 0 && !slices.ContainsFunc(f.Entries, unknown) {
		f.Bad("no arrival shape; want one of %s", message.List(shapeFields()))
	}
	return found, ok
}

// unknown is for shapeOf: a misspelled shape was reported already.
func unknown(e strictyaml.Entry) bool {
	return !slices.Contains([]string{"name", "duration", "keys", "cost"}, e.Name)
}

// arrivals reads the shape and checks how many requests it makes.
func (r *reader) arrivals(shape strictyaml.Entry, p *traffic.Phase) {
	i := slices.Index(shapeFields(), shape.Name)
	before := r.Noted()
	p.Arrivals = shapes[i].read(shape.Value, p.Duration)
	if r.Noted() > before || p.Duration == 0 && shape.Name != "burst" {
		return
	}
	if n := p.Arrivals.Count(p.Duration); n > maxGenerated {
		shape.Bad("more than %d requests in %s; want fewer, or a trace", maxGenerated, days(p.Duration))
	}
}

// repeats refuses a period so short that it would come round too often in a phase.
func repeats(v strictyaml.Value, period, d time.Duration) {
	if period > 0 && int64(d/period) > maxRepeats {
		v.Bad("%s comes round more than %d times in %s; want longer periods", limit.FormatDuration(period), maxRepeats,
			days(d))
	}
}
