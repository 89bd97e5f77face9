package scenario

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"ratelab/internal/limit"
	"ratelab/internal/measure"
	"ratelab/internal/message"
	"ratelab/internal/strictyaml"
)

const (
	maxLabel   = 200
	maxRows    = 100
	maxMeasure = 1e18
)

// labelText matches the name of an algorithm with its parameters. LocalFlagSuffix may follow.
var labelText = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(:[a-z][a-z0-9_-]*=[^:=\s]+)*(\+local-flag)?$`)

// expect reads the expectations.
func (r *reader) expect(v strictyaml.Value, s *Scenario) (all []Expectation) {
	lines := map[[2]string]int{} // by algorithm and measure
	for _, item := range v.List("a list such as [{algorithm: gcra, admitted: 10}]", maxExpect) {
		all = append(all, r.expectation(item, s, lines))
	}
	return all
}

// expectation reads one expectation. lines holds the measures of the expectations before it.
func (r *reader) expectation(v strictyaml.Value, s *Scenario, lines map[[2]string]int) Expectation {
	e := Expectation{Place: r.at(v)}
	f := v.Mapping("an algorithm and its measures, such as {algorithm: gcra, admitted: 10}")
	e.Algorithm = readLabel(f.Need("algorithm", "the label of an algorithm, such as gcra or gcra:burst=100"))
	for _, m := range f.Entries {
		if m.Name == "algorithm" || !isMeasure(m, e.Algorithm, s) {
			continue
		}
		about := [2]string{e.Algorithm, m.Name}
		if line, twice := lines[about]; twice && e.Algorithm != "" {
			m.Label.Bad("%s of %s is expected on line %d already; want it once", m.Name, e.Algorithm, line)
		}
		lines[about] = m.Label.Node.Line
		e.Measures = append(e.Measures, readRange(m))
	}
	if f.Given() && len(f.Entries) <= 1 {
		v.Bad("no measure; %s", wantMeasure(""))
	}
	return e
}

// isMeasure reports whether the row of s has the measure. If not, it reports a problem.
func isMeasure(e strictyaml.Entry, label string, s *Scenario) bool {
	m, about := measure.Find(e.Name)
	switch {
	case m == nil && measure.Renamed[e.Name] != "":
		return e.Label.Bad("is no longer a measure; want %s (simulate list measures says what it is)",
			measure.Renamed[e.Name])
	case m == nil:
		return e.Label.Bad("unknown measure; %s", wantMeasure(e.Name))
	case m.In&measure.Expected == 0:
		return e.Label.Bad("depends on the server or the machine; want a measure of the decisions, such as %s",
			ofDecisions())
	case missing(e.Name, about, label, s) != "":
		return e.Label.Bad("%s has no such figure; want %s", cmp.Or(label, "the row"), missing(e.Name, about, label, s))
	}
	return true
}

// ofDecisions lists the names of the measures that every row has.
func ofDecisions() string {
	var names []string
	for _, m := range measure.DecisionMeasures.Within(measure.Expected) {
		names = append(names, m.Name)
	}
	return message.List(names)
}

// wantMeasure returns which measures are possible. It lists only some, since all of them would fill the screen.
func wantMeasure(name string) string {
	want := "want one of " + ofDecisions() + ", or another that `simulate list measures` names"
	if near, ok := message.Nearest(name, measure.Names(measure.Expected)); ok {
		return fmt.Sprintf("did you mean %q? %s", near, want)
	}
	return want
}

// missing returns what s lacks for a measure of a subject, or "" if it lacks nothing.
func missing(name string, about *measure.Subject, label string, s *Scenario) string {
	_, flagged := strings.CutSuffix(label, LocalFlagSuffix)
	switch {
	case (about == measure.ClientMeasures || about == measure.RetryAfterMeasures) && s.Clients == nil:
		return "clients in the scenario"
	case about == measure.ClockMeasures && !s.ClocksOff():
		return "a server_clock, or clients whose clocks are off"
	case about == measure.RaceMeasures && !s.namesSequence(label):
		return "the label of one of the scenario's sequences"
	case about == measure.LimitMeasures && !s.namesLimit(name):
		return "a limit of that name in limits"
	case about == measure.LocalFlagMeasures && !flagged:
		return "a label that ends in " + LocalFlagSuffix
	}
	return ""
}

// namesLimit reports whether a measure such as refused:rpm names one of several limits.
func (s *Scenario) namesLimit(measure string) bool {
	_, name, _ := strings.Cut(measure, ":")
	return slices.ContainsFunc(s.Limits, func(l limit.Limit) bool { return l.Name == name })
}

// namesSequence reports whether label names a sequence of s, with any parameters.
func (s *Scenario) namesSequence(label string) bool {
	base, _, _ := strings.Cut(label, ":")
	return slices.ContainsFunc(s.Sequences, func(other string) bool {
		name, _, _ := strings.Cut(other, ":")
		return name == base
	})
}

// readLabel reads the name of a row.
func readLabel(v strictyaml.Value) (label string) {
	if v.Text(&label, "a label", maxLabel) && !labelText.MatchString(label) {
		v.Bad("%s is not a label; want a name such as gcra, and :k=v for each parameter", v.Shown())
		return ""
	}
	return label
}

// readLabels reads a list of distinct labels. If read is not nil, it is called with each label. readLabels does not
// check whether the algorithms and sequences exist.
func readLabels(v strictyaml.Value, want string, most int, read func(item strictyaml.Value, label string)) []string {
	lines := map[string]int{}
	var labels []string
	for _, item := range v.List(want, most) {
		label := readLabel(item)
		if lines[label] > 0 {
			item.Bad("%s is on line %d already; want it once", item.Shown(), lines[label])
		}
		if label == "" {
			continue
		}
		lines[label], labels = item.Node.Line, append(labels, label)
		if read != nil {
			read(item, label)
		}
	}
	return labels
}

// rows reads the labels of additional rows.
func (r *reader) rows(v strictyaml.Value) (all []RowLabel) {
	readLabels(v, `a list of labels such as ["gcra:burst=10"]`, maxRows, func(item strictyaml.Value, label string) {
		switch {
		case strings.HasSuffix(label, LocalFlagSuffix):
			item.Bad("%s: the row with the local flag is added automatically to that of %s; want a label without %s",
				item.Shown(), message.Quote(strings.TrimSuffix(label, LocalFlagSuffix)), LocalFlagSuffix)
		case !strings.Contains(label, ":"):
			item.Bad("%s has a row already; want parameters that make another, such as %s:k=v", item.Shown(), label)
		}
		all = append(all, RowLabel{Label: label, Place: r.at(item)})
	})
	return all
}

// readRange reads an exact number or {min: …, max: …}.
func readRange(m strictyaml.Entry) Range {
	r := Range{Measure: m.Name, Min: math.Inf(-1), Max: math.Inf(1)}
	if !m.IsMapping() {
		readNumber(m.Value, &r.Min, 0, maxMeasure)
		r.Max = r.Min
		return r
	}
	f := m.Fields("min", "max")
	readNumber(f.Get("min"), &r.Min, 0, maxMeasure)
	readNumber(f.Get("max"), &r.Max, 0, maxMeasure)
	switch {
	case len(f.Entries) == 0:
		m.Bad("no min and no max; want {min: …, max: …} or one of them")
	case r.Min > r.Max:
		m.Bad("min %s is more than max %s; want min first", formatNumber(r.Min), formatNumber(r.Max))
	}
	return r
}

// readParameters reads the parameters of each algorithm: numbers or words, kept as text.
func readParameters(v strictyaml.Value) map[string]map[string]string {
	f := v.Mapping("algorithms and their parameters, such as {gcra: {burst: 100}}")
	if !f.Given() {
		return nil
	}
	all := map[string]map[string]string{}
	for _, e := range f.Entries {
		if !nameText.MatchString(e.Name) || len(e.Name) > maxName {
			e.Label.Bad("%s is not an algorithm's name; want small letters, digits and hyphens between them",
				message.Quote(e.Name))
			continue
		}
		all[e.Name] = map[string]string{}
		for _, p := range e.Mapping("parameters and their values, such as {burst: 100}").Entries {
			all[e.Name][p.Name] = readParameter(p)
		}
	}
	return all
}

var (
	parameterName  = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,63}$`)
	parameterValue = regexp.MustCompile(`^[^:=\s]{1,64}$`)
)

func readParameter(p strictyaml.Entry) string {
	if !parameterName.MatchString(p.Name) {
		p.Label.Bad("%s is not a parameter's name; want small letters, digits, _ and -", message.Quote(p.Name))
	}
	number := p.IsNumber() && numberText.MatchString(p.Node.Value)
	if !number && !(p.IsText() && parameterValue.MatchString(p.Node.Value)) {
		p.Bad("%s; want a number, or a word without blanks, : and =", p.Shown())
	}
	return p.Node.Value
}
