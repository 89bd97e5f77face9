package scenario

import (
	"errors"
	"path/filepath"

	"ratelab/internal/limit"
	"ratelab/internal/strictyaml"
	"ratelab/internal/traffic"
)

// tracePhase reads a phase of recorded traffic.
func (r *reader) tracePhase(phase strictyaml.Fields, v strictyaml.Value, p *traffic.Phase) {
	p.Keys, p.Cost = nil, nil
	for _, name := range []string{"keys", "cost"} {
		if v, ok := phase.Get(name); ok {
			v.Bad("a trace brings its own; want trace: {%s: …} or nothing",
				map[string]string{"keys": "key", "cost": "cost"}[name])
		}
	}
	f, ok := v.Fields("file", "format", "key", "time", "cost", "speed", "skip", "limit", "bad", "within_second")
	if !ok {
		return
	}
	before := r.Noted()
	t := &traffic.Trace{}
	readTraceText(f, t)
	readTraceNumbers(f, t)
	p.Trace = t
	if r.Noted() > before {
		return
	}
	for _, err := range t.Validate() {
		noteTraceProblem(f, err)
	}
	if t.File != "" && !filepath.IsAbs(t.File) {
		t.File = filepath.Join(filepath.Dir(r.Name), t.File)
	}
}

func readTraceText(f strictyaml.Fields, t *traffic.Trace) {
	if v, ok := f.Need("file", "the path of a trace"); ok {
		t.File, _ = v.Text("a path", 4096)
	}
	for name, into := range map[string]*string{"key": &t.Key, "time": &t.Time, "cost": &t.Cost} {
		if v, ok := f.Get(name); ok {
			*into, _ = v.Text("a column's name", 200)
		}
	}
	if v, ok := f.Get("format"); ok {
		s, _ := v.Choice(texts(traffic.Formats)...)
		t.Format = traffic.Format(s)
	}
	if v, ok := f.Get("within_second"); ok {
		s, _ := v.Choice(texts(traffic.WithinSeconds)...)
		t.WithinSecond = traffic.WithinSecond(s)
	}
}

func readTraceNumbers(f strictyaml.Fields, t *traffic.Trace) {
	if v, ok := f.Get("speed"); ok {
		t.Speed, _ = readNumber(v, traffic.MinSpeed, traffic.MaxSpeed)
	}
	if v, ok := f.Get("skip"); ok {
		t.Skip, _ = v.Integer(0, limit.MaxExact)
	}
	if v, ok := f.Get("limit"); ok {
		t.Limit, _ = v.Integer(0, limit.MaxExact)
	}
	if v, ok := f.Get("bad"); ok {
		t.Bad, _ = v.Integer(0, limit.MaxExact)
	}
}

// noteTraceProblem puts a problem that the trace found with itself in its place.
func noteTraceProblem(f strictyaml.Fields, err error) {
	var at *traffic.FieldError
	if !errors.As(err, &at) {
		f.Bad("%v", err)
		return
	}
	f.Place(at.Field).Bad("%s", at.Problem)
}

func texts[T ~string](values []T) []string {
	s := make([]string, len(values))
	for i, v := range values {
		s[i] = string(v)
	}
	return s
}
