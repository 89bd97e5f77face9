package scenarios

import (
	"math"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v4"
)

const (
	maxLabel   = 200
	maxMeasure = 1e18
)

// labelText is an algorithm's name and the parameters that tell two rows of it apart.
var labelText = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(:[a-z][a-z0-9_-]*=[^:=\s]+)*$`)

// expect reads what each algorithm is to do.
func (d *decoder) expect(v value) []Expectation {
	items, ok := v.list("a list such as [{algorithm: gcra, admitted: 10}]", maxExpect)
	if !ok {
		return nil
	}
	lines := map[[2]string]int{}
	found := make([]Expectation, len(items))
	for i, item := range items {
		found[i] = d.expectation(item, lines)
	}
	return found
}

// expectation reads one entry; lines holds the measures of those before it.
func (d *decoder) expectation(v value, lines map[[2]string]int) Expectation {
	e := Expectation{File: d.file, Line: v.node.Line, Column: v.node.Column}
	f, ok := v.fields(append([]string{"algorithm"}, Measures...)...)
	if !ok {
		return e
	}
	if v, ok := f.need("algorithm", "the label of an algorithm, such as gcra or gcra:burst=100"); ok {
		e.Algorithm = d.label(v)
	}
	for _, m := range f.entries {
		if !slices.Contains(Measures, m.name) {
			continue
		}
		r := readRange(m)
		if line, twice := lines[[2]string{e.Algorithm, m.name}]; twice && e.Algorithm != "" {
			m.label.bad("%s of %s is expected on line %d already; want it once", m.name, e.Algorithm, line)
		}
		lines[[2]string{e.Algorithm, m.name}] = m.label.node.Line
		e.Measures = append(e.Measures, r)
	}
	if len(f.entries) <= 1 {
		v.bad("no measure; want at least one of %s", list(Measures))
	}
	return e
}

// label reads the name of a row.
func (d *decoder) label(v value) string {
	s, ok := v.text("a label", maxLabel)
	if ok && !labelText.MatchString(s) {
		v.bad("%s is not a label; want a name such as gcra, and :k=v for each parameter", v.shown())
		return ""
	}
	return s
}

// readRange reads an exact number or {min: , max: }.
func readRange(m entry) Range {
	r := Range{Measure: m.name, Min: math.Inf(-1), Max: math.Inf(1), Line: m.label.node.Line, Column: m.label.node.Column}
	if m.node.Kind != yaml.MappingNode {
		x, _ := m.number(0, maxMeasure)
		r.Min, r.Max = x, x
		return r
	}
	f, _ := m.fields("min", "max")
	least, hasMin := f.get("min")
	most, hasMax := f.get("max")
	if hasMin {
		r.Min, hasMin = least.number(0, maxMeasure)
	}
	if hasMax {
		r.Max, hasMax = most.number(0, maxMeasure)
	}
	switch {
	case len(f.entries) == 0:
		m.bad("neither end; want {min: …, max: …} or one of them")
	case hasMin && hasMax && r.Min > r.Max:
		m.bad("min %s is more than max %s; want min first", formatNumber(r.Min), formatNumber(r.Max))
	}
	return r
}

// parameters reads the parameters of each algorithm: numbers or words, kept as text.
func (d *decoder) parameters(v value) map[string]map[string]string {
	f, ok := v.mapping("algorithms and their parameters, such as {gcra: {burst: 100}}")
	if !ok {
		return nil
	}
	all := map[string]map[string]string{}
	for _, e := range f.entries {
		if !nameText.MatchString(e.name) || len(e.name) > maxName {
			e.label.bad("%s is not an algorithm's name; want small letters, digits and hyphens between them", quote(e.name))
			continue
		}
		inner, ok := e.mapping("parameters and their values, such as {burst: 100}")
		if !ok {
			continue
		}
		all[e.name] = map[string]string{}
		for _, p := range inner.entries {
			all[e.name][p.name] = d.parameter(p)
		}
	}
	return all
}

var (
	parameterName  = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,63}$`)
	parameterValue = regexp.MustCompile(`^[^:=\s]{1,64}$`)
)

func (d *decoder) parameter(p entry) string {
	if !parameterName.MatchString(p.name) {
		p.label.bad("%s is not a parameter's name; want small letters, digits, _ and -", quote(p.name))
	}
	number := p.isNumber() && numberText.MatchString(p.node.Value)
	if !number && !(p.isText() && parameterValue.MatchString(p.node.Value)) {
		p.bad("%s; want a number, or a word without blanks, : and =", p.shown())
	}
	return p.node.Value
}
