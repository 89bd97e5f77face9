package scenarios

import (
	"math"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v4"

	"ratelab/internal/strictyaml"
	"ratelab/internal/wording"
)

const (
	maxLabel   = 200
	maxMeasure = 1e18
)

// labelText is an algorithm's name and the parameters that tell two rows of it apart. LocalFlagSuffix may follow.
var labelText = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(:[a-z][a-z0-9_-]*=[^:=\s]+)*(\+local-flag)?$`)

// expect reads what each algorithm is to do.
func (r *reader) expect(v strictyaml.Value) []Expectation {
	items, ok := v.List("a list such as [{algorithm: gcra, admitted: 10}]", maxExpect)
	if !ok {
		return nil
	}
	lines := map[[2]string]int{}
	found := make([]Expectation, len(items))
	for i, item := range items {
		found[i] = r.expectation(item, lines)
	}
	return found
}

// expectation reads one entry; lines holds the measures of those before it.
func (r *reader) expectation(v strictyaml.Value, lines map[[2]string]int) Expectation {
	e := Expectation{File: r.Name, Line: v.Node.Line, Column: v.Node.Column}
	f, ok := v.Fields(append([]string{"algorithm"}, Measures...)...)
	if !ok {
		return e
	}
	if v, ok := f.Need("algorithm", "the label of an algorithm, such as gcra or gcra:burst=100"); ok {
		e.Algorithm = readLabel(v)
	}
	for _, m := range f.Entries {
		if !slices.Contains(Measures, m.Name) {
			continue
		}
		if line, twice := lines[[2]string{e.Algorithm, m.Name}]; twice && e.Algorithm != "" {
			m.Label.Bad("%s of %s is expected on line %d already; want it once", m.Name, e.Algorithm, line)
		}
		lines[[2]string{e.Algorithm, m.Name}] = m.Label.Node.Line
		e.Measures = append(e.Measures, readRange(m))
	}
	if len(f.Entries) <= 1 {
		v.Bad("no measure; want at least one of %s", wording.List(Measures))
	}
	return e
}

// readLabel reads the name of a row.
func readLabel(v strictyaml.Value) string {
	s, ok := v.Text("a label", maxLabel)
	if ok && !labelText.MatchString(s) {
		v.Bad("%s is not a label; want a name such as gcra, and :k=v for each parameter", v.Shown())
		return ""
	}
	return s
}

// readRange reads an exact number or {min: , max: }.
func readRange(m strictyaml.Entry) Range {
	r := Range{Measure: m.Name, Min: math.Inf(-1), Max: math.Inf(1), Line: m.Label.Node.Line, Column: m.Label.Node.Column}
	if m.Node.Kind != yaml.MappingNode {
		x, _ := readNumber(m.Value, 0, maxMeasure)
		r.Min, r.Max = x, x
		return r
	}
	f, _ := m.Fields("min", "max")
	least, hasMin := f.Get("min")
	most, hasMax := f.Get("max")
	if hasMin {
		r.Min, hasMin = readNumber(least, 0, maxMeasure)
	}
	if hasMax {
		r.Max, hasMax = readNumber(most, 0, maxMeasure)
	}
	switch {
	case len(f.Entries) == 0:
		m.Bad("neither end; want {min: …, max: …} or one of them")
	case hasMin && hasMax && r.Min > r.Max:
		m.Bad("min %s is more than max %s; want min first", formatNumber(r.Min), formatNumber(r.Max))
	}
	return r
}

// readParameters reads the parameters of each algorithm: numbers or words, kept as text.
func readParameters(v strictyaml.Value) map[string]map[string]string {
	f, ok := v.Mapping("algorithms and their parameters, such as {gcra: {burst: 100}}")
	if !ok {
		return nil
	}
	all := map[string]map[string]string{}
	for _, e := range f.Entries {
		if !nameText.MatchString(e.Name) || len(e.Name) > maxName {
			e.Label.Bad("%s is not an algorithm's name; want small letters, digits and hyphens between them", wording.Quote(e.Name))
			continue
		}
		inner, ok := e.Mapping("parameters and their values, such as {burst: 100}")
		if !ok {
			continue
		}
		all[e.Name] = map[string]string{}
		for _, p := range inner.Entries {
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
		p.Label.Bad("%s is not a parameter's name; want small letters, digits, _ and -", wording.Quote(p.Name))
	}
	number := p.IsNumber() && numberText.MatchString(p.Node.Value)
	if !number && !(p.IsText() && parameterValue.MatchString(p.Node.Value)) {
		p.Bad("%s; want a number, or a word without blanks, : and =", p.Shown())
	}
	return p.Node.Value
}
