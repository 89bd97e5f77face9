package scenario

import (
	"path/filepath"
	"slices"
	"time"

	"ratelab/internal/accesslog"
	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/strictyaml"
	"ratelab/internal/traffic"
)

const (
	maxGenerated = 10_000_000 // requests of one phase
	maxRepeats   = 1_000_000  // stairs, bursts or on-off cycles of one phase
)

// shapeFields are the fields for a phase's traffic. Each phase has exactly one of them.
var shapeFields = []string{"constant", "poisson", "ramp", "steps", "burst", "spike", "sine", "on_off", "pause", "trace"}

// phaseFields are fields that the top level of a file may have, too.
var phaseFields = []string{"keys", "cost", "takes", "actual"}

// notInAPhase are fields that users may expect in a phase, with the remedy.
var notInAPhase = map[string]string{
	"rate":     wantRate,
	"rps":      wantRate,
	"count":    wantCount,
	"requests": wantCount,
	"limit":    "the limit is the scenario's, for all phases; want it beside phases",
}

const (
	wantRate  = "want constant: 400/s for an even flow, or poisson: 400/s for a random one"
	wantCount = "want constant: 980 to spread 980 evenly over the duration, or burst: 980 for all at once"
)

// phase reads one phase. lines holds the names of the phases before it.
func (r *reader) phase(v strictyaml.Value, p traffic.Phase, lines map[string]int) traffic.Phase {
	f := v.FieldsOr(notInAPhase, slices.Concat([]string{"name", "duration"}, shapeFields, phaseFields)...)
	readName(f.Need("name", "a name that is unique in the file"), &p.Name, "phase", lines)
	duration := f.Get("duration")
	if duration.Given() && !readDuration(duration, &p.Duration, time.Microsecond, maxDuration) {
		p.Duration = time.Microsecond // any value, so that problems of the shape are found too
	}
	readKeysAndCost(f, &p)
	shape, ok := shapeOf(f)
	switch {
	case !ok:
	case shape.Name == "trace":
		r.trace(f, shape.Value, &p)
	default:
		if shape.Name != "burst" {
			f.Need("duration", "how long the phase lasts, such as 10s")
		}
		r.arrivals(shape, &p)
	}
	return p
}

// shapeOf returns the arrival shape of a phase. There must be exactly one.
func shapeOf(f strictyaml.Fields) (found strictyaml.Entry, ok bool) {
	misspelled := false // perhaps a shape; it is reported as an unknown field
	for _, e := range f.Entries {
		switch {
		case !slices.Contains(shapeFields, e.Name):
			misspelled = misspelled || !slices.Contains([]string{"name", "duration"}, e.Name) &&
				!slices.Contains(phaseFields, e.Name)
		case ok:
			e.Label.Bad("a second arrival shape after %s; want one per phase", found.Name)
			return found, false
		default:
			found, ok = e, true
		}
	}
	if !ok && len(f.Entries) > 0 && !misspelled {
		f.Bad("no arrival shape; want one of %s", message.List(shapeFields))
	}
	return found, ok
}

// arrivals reads the shape and checks the number of its requests.
func (r *reader) arrivals(shape strictyaml.Entry, p *traffic.Phase) {
	before := r.Noted()
	p.Arrivals = readShape(shape.Name, shape.Value, p.Duration)
	if r.Noted() > before || p.Duration == 0 && shape.Name != "burst" {
		return
	}
	if n := p.Count(); n > maxGenerated {
		shape.Bad("more than %d requests in %s; want fewer, or a trace", maxGenerated, days(p.Duration))
	}
}

// readShape reads the value of a shape. d is the phase's duration, or 0 if it is absent or invalid.
func readShape(name string, v strictyaml.Value, d time.Duration) traffic.Arrivals {
	switch name {
	case "constant":
		return readConstant(v, d)
	case "poisson":
		var p traffic.Poisson
		readRate(v, &p.Rate, 1)
		return p
	case "ramp":
		return readRamp(v)
	case "steps":
		return readSteps(v, d)
	case "burst":
		return readBurst(v, d)
	case "spike":
		var n int64
		v.Integer(&n, 1, maxGenerated)
		return traffic.Spike(n)
	case "sine":
		return readSine(v)
	case "on_off":
		return readOnOff(v, d)
	}
	if !v.IsTruth() || v.Node.Value != "true" {
		v.Bad("%s; want true", v.Shown())
	}
	return traffic.Steady{Rate: traffic.Rate{Per: time.Second}} // pause
}

// readConstant reads a count (980), which is spread evenly over the phase, or a rate (400/s).
func readConstant(v strictyaml.Value, d time.Duration) traffic.Arrivals {
	var s traffic.Steady
	switch {
	case v.IsNumber():
		s.Rate.Per = d
		v.Integer(&s.Rate.Count, 1, maxGenerated)
	case v.IsText():
		readRate(v, &s.Rate, 1)
	default:
		v.Bad("%s; want a count such as 980, or a rate such as 400/s", v.Shown())
	}
	return s
}

// readRamp reads {from: 10/s, to: 500/s}.
func readRamp(v strictyaml.Value) traffic.Arrivals {
	var r traffic.Ramp
	f := v.Fields("from", "to")
	from := f.Need("from", "the rate at the start, such as 10/s")
	ok1 := readRate(from, &r.From, 0)
	ok2 := readRate(f.Need("to", "the rate at the end, such as 500/s"), &r.To, 0)
	if ok1 && ok2 && r.From.Count == 0 && r.To.Count == 0 {
		from.Bad("both ends of the ramp are 0; want a rate, or pause: true for no traffic")
	}
	return r
}

// readSteps reads {start: 10/s, step: 10/s, every: 5s}.
func readSteps(v strictyaml.Value, d time.Duration) traffic.Arrivals {
	var start, added traffic.Rate
	var every time.Duration
	f := v.Fields("start", "step", "every")
	ok1 := readRate(f.Need("start", "the first rate, such as 10/s"), &start, 0)
	step := f.Need("step", "the rate added with each stair, such as 10/s")
	ok2 := readRate(step, &added, 1)
	if ok1 && ok2 && start.Per != added.Per {
		step.Bad("%s is per %s, but start is per %s; want one unit", step.Shown(), limit.FormatDuration(added.Per),
			limit.FormatDuration(start.Per))
	}
	v = f.Need("every", "how long a stair is, such as 5s")
	readDuration(v, &every, time.Millisecond, maxDuration)
	repeats(v, every, d)
	return traffic.Steps{Start: start.Count, Step: added.Count, Per: start.Per, On: every, Every: every}
}

// readBurst reads a count, or {count: 50, every: 1s}.
func readBurst(v strictyaml.Value, d time.Duration) traffic.Arrivals {
	var b traffic.Burst
	if v.IsNumber() {
		v.Integer(&b.Size, 1, maxGenerated)
		return b
	}
	if !v.IsMapping() {
		v.Bad("%s; want a count such as 1000, or {count: 50, every: 1s}", v.Shown())
		return b
	}
	f := v.Fields("count", "every")
	f.Need("count", "the requests of a burst").Integer(&b.Size, 1, maxGenerated)
	every := f.Need("every", "the time from burst to burst, such as 1s")
	ok := readDuration(every, &b.Every, time.Microsecond, maxDuration)
	repeats(every, b.Every, d)
	if ok && d == 0 {
		every.Bad("the phase has no duration in which bursts could repeat; want duration: 10s beside burst")
	}
	return b
}

// readSine reads {mean: 100/s, amplitude: 80/s, period: 24h}.
func readSine(v strictyaml.Value) traffic.Arrivals {
	var s traffic.Sine
	f := v.Fields("mean", "amplitude", "period")
	ok1 := readRate(f.Need("mean", "the mean rate, such as 100/s"), &s.Mean, 1)
	amplitude := f.Need("amplitude", "how far the rate swings, such as 80/s")
	ok2 := readRate(amplitude, &s.Amplitude, 0)
	// The products of counts up to 1e9 and windows up to 3e13 µs are compared as doubles. The error of 1e-16 does not
	// matter.
	if ok1 && ok2 && float64(s.Amplitude.Count)*float64(s.Mean.Per) > float64(s.Mean.Count)*float64(s.Amplitude.Per) {
		amplitude.Bad("%s swings the rate below zero; want at most the mean, %s", amplitude.Shown(), s.Mean)
	}
	readDuration(f.Need("period", "the time from peak to peak, such as 24h"), &s.Period, time.Millisecond, maxDuration)
	return s
}

// readOnOff reads {rate: 200/s, on: 2s, off: 3s}.
func readOnOff(v strictyaml.Value, d time.Duration) traffic.Arrivals {
	var rate traffic.Rate
	var on, off time.Duration
	f := v.Fields("rate", "on", "off")
	readRate(f.Need("rate", "the rate while on, such as 200/s"), &rate, 1)
	readDuration(f.Need("on", "how long the traffic is on, such as 2s"), &on, time.Microsecond, maxDuration)
	v = f.Need("off", "how long it is off, such as 3s")
	readDuration(v, &off, time.Microsecond, maxDuration)
	repeats(v, on+off, d)
	return traffic.Steps{Start: rate.Count, Per: rate.Per, On: on, Every: on + off}
}

// repeats refuses a period that repeats too often in a phase.
func repeats(v strictyaml.Value, period, d time.Duration) {
	if period > 0 && int64(d/period) > maxRepeats {
		v.Bad("%s repeats more than %d times in %s; want longer periods", limit.FormatDuration(period), maxRepeats,
			days(d))
	}
}

// trace reads a phase of recorded traffic.
func (r *reader) trace(phase strictyaml.Fields, v strictyaml.Value, p *traffic.Phase) {
	p.Keys, p.Cost, p.Takes, p.Actual, p.Plus = nil, nil, nil, nil, false
	phase.Get("keys").Bad("a trace brings its own; want trace: {key: …} or nothing")
	for _, field := range phaseFields[1:] {
		phase.Get(field).Bad("a trace brings its own; want trace: {%s: …} or nothing", field)
	}
	f := v.Fields("file", "format", "key", "time", "year", "cost", "where", "skip_key", "speed", "skip",
		"limit", "bad", "within_second", "takes", "end", "actual", "time_is")
	if !f.Given() {
		return
	}
	before := r.Noted()
	t := &accesslog.Trace{}
	p.Trace = t
	f.Need("file", "the path of a trace").Text(&t.File, "a path", 4096)
	f.Get("key").Text(&t.Key, "a column's name", 200)
	f.Get("time").Text(&t.Time, "a column's name", 200)
	f.Get("cost").Text(&t.Cost, "a column's name", 200)
	f.Get("takes").Text(&t.Takes, "a column's name", 200)
	f.Get("end").Text(&t.End, "a column's name", 200)
	f.Get("actual").Text(&t.Actual, "a column's name", 200)
	f.Get("time_is").Text((*string)(&t.TimeIs), "start or end", 200)
	f.Get("year").Integer(&t.Year, 1970, 2100)
	if where := f.Get("where"); where.Given() {
		for _, w := range where.List("a list such as [method=GET]", 100) {
			var text string
			w.Text(&text, "a field and its value, such as method=GET", 4096)
			t.Where = append(t.Where, text)
		}
	}
	f.Get("format").Text((*string)(&t.Format), "a format or a template", 4096)
	f.Get("skip_key").Text(&t.SkipKey, "a key", 4096)
	strictyaml.Choice(f.Get("within_second"), &t.WithinSecond, accesslog.WithinSeconds)
	readNumber(f.Get("speed"), &t.Speed, accesslog.MinSpeed, accesslog.MaxSpeed)
	f.Get("skip").Integer(&t.Skip, 0, limit.MaxExact)
	f.Get("limit").Integer(&t.Limit, 0, limit.MaxExact)
	f.Get("bad").Integer(&t.Bad, 0, limit.MaxExact)
	if r.Noted() > before {
		return
	}
	t.Expand(true)
	for _, wrong := range t.Validate() {
		f.Place(wrong.Field).Bad("%s", wrong.Problem)
	}
	if !filepath.IsAbs(t.File) {
		t.File = filepath.Join(filepath.Dir(r.Name), t.File)
	}
}
