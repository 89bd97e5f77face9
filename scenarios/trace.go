package scenarios

import (
	"errors"
	"path/filepath"

	"ratelab/internal/limit"
	"ratelab/internal/traffic"
)

// tracePhase reads a phase of recorded traffic.
func (d *decoder) tracePhase(phase fields, v value, p *traffic.Phase) {
	p.Keys, p.Cost = nil, nil
	for _, name := range []string{"keys", "cost"} {
		if v, ok := phase.get(name); ok {
			v.bad("a trace brings its own; want trace: {%s: …} or nothing", map[string]string{"keys": "key", "cost": "cost"}[name])
		}
	}
	f, ok := v.fields("file", "format", "key", "time", "cost", "speed", "skip", "limit", "within_second")
	if !ok {
		return
	}
	before := len(d.problems)
	t := &traffic.Trace{}
	d.traceText(f, t)
	d.traceNumbers(f, t)
	p.Trace = t
	if len(d.problems) > before {
		return
	}
	for _, err := range t.Validate() {
		d.traceProblem(f, err)
	}
	if t.File != "" && !filepath.IsAbs(t.File) {
		t.File = filepath.Join(filepath.Dir(d.file), t.File)
	}
}

func (d *decoder) traceText(f fields, t *traffic.Trace) {
	if v, ok := f.need("file", "the path of a trace"); ok {
		t.File, _ = v.text("a path", 4096)
	}
	for name, into := range map[string]*string{"key": &t.Key, "time": &t.Time, "cost": &t.Cost} {
		if v, ok := f.get(name); ok {
			*into, _ = v.text("a column's name", 200)
		}
	}
	if v, ok := f.get("format"); ok {
		s, _ := v.choice(texts(traffic.Formats)...)
		t.Format = traffic.Format(s)
	}
	if v, ok := f.get("within_second"); ok {
		s, _ := v.choice(texts(traffic.WithinSeconds)...)
		t.WithinSecond = traffic.WithinSecond(s)
	}
}

func (d *decoder) traceNumbers(f fields, t *traffic.Trace) {
	if v, ok := f.get("speed"); ok {
		t.Speed, _ = v.number(traffic.MinSpeed, traffic.MaxSpeed)
	}
	if v, ok := f.get("skip"); ok {
		t.Skip, _ = v.integer(0, limit.MaxExact)
	}
	if v, ok := f.get("limit"); ok {
		t.Limit, _ = v.integer(0, limit.MaxExact)
	}
}

// traceProblem puts a problem that the trace found with itself in its place.
func (d *decoder) traceProblem(f fields, err error) {
	var at *traffic.FieldError
	if !errors.As(err, &at) {
		f.bad("%v", err)
		return
	}
	v, ok := f.get(at.Field)
	if !ok {
		v = value{f.d, f.node, f.join(at.Field)}
	}
	v.bad("%s", at.Problem)
}

func texts[T ~string](values []T) []string {
	s := make([]string, len(values))
	for i, v := range values {
		s[i] = string(v)
	}
	return s
}
