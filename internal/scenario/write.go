package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/message"
	"ratelab/internal/traffic"
)

// schemaLine points editors to the schema, beside which a scenario lies.
const schemaLine = "# yaml-language-server: $schema=schema.json\n"

// Write is s as the file of a scenario, as a person would write it: what is a default is left out, and each phase has
// one line. The comments, a line each, stand at its beginning. Parse makes the same scenario of the bytes; where it
// would not, as with a trace, whose file lies elsewhere, the error says so.
func Write(s *Scenario, comments ...string) ([]byte, error) {
	w := &writer{}
	w.out.WriteString(schemaLine)
	for _, line := range comments {
		if strings.ContainsFunc(line, message.IsControl) {
			w.fail("comment %s has control characters; want text on one line", message.Quote(line))
		}
		fmt.Fprintf(&w.out, "# %s\n", line)
	}
	w.scenario(s)
	if w.err != nil {
		return nil, fmt.Errorf("scenario %s: %w", s.Name, w.err)
	}
	back, err := Parse(s.Name+".yaml", w.out.Bytes())
	if err != nil {
		return nil, fmt.Errorf("scenario %s cannot be written: %w", s.Name, err)
	}
	if !sameScenario(back, s) {
		return nil, fmt.Errorf("scenario %s cannot be written: it has something that its file would not say", s.Name)
	}
	return w.out.Bytes(), nil
}

// writer collects a file and the first thing that cannot be written.
type writer struct {
	out bytes.Buffer
	err error
}

func (w *writer) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(&w.out, format+"\n", args...) }

func (w *writer) scenario(s *Scenario) {
	w.line("name: %s", scalar(s.Name))
	w.line("question: %s", lineScalar(s.Question))
	w.line("limit: {%s}", limitFields(s))
	if s.Seed != 1 {
		w.line("seed: %d", s.Seed)
	}
	if !s.Start.Equal(DefaultStart) {
		w.line("start: %s", s.Start.UTC().Format(time.RFC3339Nano))
	}
	if s.OnLate != OnLates[0] {
		w.line("on_late: %s", scalar(s.OnLate))
	}
	common := w.common(s.Phases)
	w.line("phases:")
	for i := range s.Phases {
		w.line("  - {%s}", w.phase(&s.Phases[i], common))
	}
	w.surroundings(s)
	w.rows(s.Rows)
	w.parameters(s.Parameters)
	w.expectations(s.Expect)
}

func limitFields(s *Scenario) string {
	fields := fmt.Sprintf("requests: %d, per: %s", s.Limit.Requests, duration(s.Limit.Window))
	if s.Limit.Burst != 0 {
		fields += fmt.Sprintf(", burst: %d", s.Limit.Burst)
	}
	if s.NamesContract || s.Limit.Contract != limit.ByWindow {
		fields += ", contract: " + s.Limit.Contract.String()
	}
	return fields
}

// common writes keys and cost at the top level where all phases share them, and gives what phases need not repeat.
func (w *writer) common(phases []traffic.Phase) traffic.Phase {
	shared := traffic.Phase{Keys: traffic.Uniform{Count: 1}, Cost: traffic.FixedCost(1)}
	if len(phases) == 0 {
		return shared
	}
	first := phases[0]
	if !slices.ContainsFunc(phases, func(p traffic.Phase) bool { return !reflect.DeepEqual(p.Keys, first.Keys) }) {
		if !reflect.DeepEqual(first.Keys, shared.Keys) {
			w.line("keys: %s", w.keys(first.Keys))
		}
		shared.Keys = first.Keys
	}
	if !slices.ContainsFunc(phases, func(p traffic.Phase) bool { return !reflect.DeepEqual(p.Cost, first.Cost) }) {
		if !reflect.DeepEqual(first.Cost, shared.Cost) {
			w.line("cost: %s", w.cost(first.Cost))
		}
		shared.Cost = first.Cost
	}
	return shared
}

// phase is one phase's fields; what is as in common is left out.
func (w *writer) phase(p *traffic.Phase, common traffic.Phase) string {
	if p.Trace != nil {
		w.fail("phase %s is a trace, which lies in a file of its own; write the phase by hand", scalar(p.Name))
		return ""
	}
	fields := []string{"name: " + scalar(p.Name)}
	if p.Duration != 0 {
		fields = append(fields, "duration: "+duration(p.Duration))
	}
	fields = append(fields, w.arrivals(p.Arrivals))
	if !reflect.DeepEqual(p.Keys, common.Keys) {
		fields = append(fields, "keys: "+w.keys(p.Keys))
	}
	if !reflect.DeepEqual(p.Cost, common.Cost) {
		fields = append(fields, "cost: "+w.cost(p.Cost))
	}
	return strings.Join(fields, ", ")
}

func (w *writer) rows(all []Row) {
	if len(all) == 0 {
		return
	}
	labels := make([]string, len(all))
	for i, row := range all {
		labels[i] = scalar(row.Label)
	}
	w.line("rows: [%s]", strings.Join(labels, ", "))
}

// parameters are written in the order of their names.
func (w *writer) parameters(all map[string]map[string]string) {
	if len(all) == 0 {
		return
	}
	w.line("parameters:")
	for _, algorithm := range slices.Sorted(maps.Keys(all)) {
		var fields []string
		for _, name := range slices.Sorted(maps.Keys(all[algorithm])) {
			fields = append(fields, name+": "+parameterScalar(all[algorithm][name]))
		}
		w.line("  %s: {%s}", algorithm, strings.Join(fields, ", "))
	}
}

func (w *writer) expectations(all []Expectation) {
	if len(all) == 0 {
		return
	}
	w.line("expect:")
	for _, e := range all {
		fields := []string{"algorithm: " + scalar(e.Algorithm)}
		for _, m := range e.Measures {
			fields = append(fields, m.Measure+": "+m.yaml())
		}
		w.line("  - {%s}", strings.Join(fields, ", "))
	}
}

// yaml is an exact number, or the ends that are not open.
func (r Range) yaml() string {
	if r.Min == r.Max {
		return formatNumber(r.Min)
	}
	var ends []string
	if text := formatEnd(r.Min); text != "" {
		ends = append(ends, "min: "+text)
	}
	if text := formatEnd(r.Max); text != "" {
		ends = append(ends, "max: "+text)
	}
	return "{" + strings.Join(ends, ", ") + "}"
}

// sameScenario compares all but what a file's bytes and lines tell.
func sameScenario(a, b *Scenario) bool {
	return reflect.DeepEqual(bare(a), bare(b)) && a.Start.Equal(b.Start)
}

// bare is s without places in a file, hash and time zone; no slice of it is nil.
func bare(s *Scenario) Scenario {
	c := *s
	c.SHA256, c.Start = "", time.Time{}
	c.NamesContract = s.NamesContract || s.Limit.Contract != limit.ByWindow // what is no default is written
	c.Phases = append([]traffic.Phase{}, s.Phases...)
	c.Rows = make([]Row, len(s.Rows))
	for i, row := range s.Rows {
		c.Rows[i] = Row{Label: row.Label}
	}
	c.Expect = make([]Expectation, len(s.Expect))
	for i, e := range s.Expect {
		c.Expect[i] = Expectation{Algorithm: e.Algorithm}
		for _, m := range e.Measures {
			c.Expect[i].Measures = append(c.Expect[i].Measures, Range{Measure: m.Measure, Min: m.Min, Max: m.Max})
		}
	}
	if len(c.Parameters) == 0 {
		c.Parameters = nil
	}
	return c
}

// errNoShape is for a phase whose arrivals no field of a file makes.
var errNoShape = errors.New("arrivals of a kind that no file can say")
