package measure

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// filled has another number in every field.
func filled() *Figures {
	f := new(Figures)
	next := int64(1)
	var fill func(v reflect.Value)
	fill = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Int64:
			v.SetInt(next)
			next++
		case reflect.Float64:
			v.SetFloat(float64(next) + 0.5)
			next++
		case reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem())
		case reflect.Struct:
			for i := range v.NumField() {
				fill(v.Field(i))
			}
		}
	}
	fill(reflect.ValueOf(f).Elem())
	return f
}

// numbers are those in an object of JSON, by their way through it.
func numbers(into map[string]float64, way string, value any) {
	switch v := value.(type) {
	case float64:
		into[way] = v
	case map[string]any:
		for name, inner := range v {
			numbers(into, strings.TrimPrefix(way+"."+name, "."), inner)
		}
	}
}

// Every number that a row's JSON has is a measure, under the name by which it is found there and with that value. A
// measure of one word may do without a field: it is worked out of others, and written too. Two fields are no measures:
// they are only in JSON.
func TestEveryNumberIsAMeasure(t *testing.T) {
	f := filled()
	text, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	var object any
	if err := json.Unmarshal(text, &object); err != nil {
		t.Fatal(err)
	}
	written := map[string]float64{}
	numbers(written, "", object)
	for _, name := range Names(Written) {
		m, _ := Find(name)
		if _, field := written[name]; !field && !strings.Contains(name, ".") {
			continue
		}
		if v := m.Value(f); v.Number != written[name] || !v.Known {
			t.Errorf("%s is %v; its field holds %v", name, v, written[name])
		}
		delete(written, name)
	}
	delete(written, "excess")
	delete(written, "exact_cost")
	if len(written) > 0 {
		t.Errorf("no measure is declared for %v", written)
	}
}

// A row that has no such figures has no such values, and nothing panics.
func TestAMeasureMayBeAbsent(t *testing.T) {
	for _, s := range Subjects()[1:] {
		for i := range s.Measures {
			m := &s.Measures[i]
			if v := m.Value(new(Figures)); v.Known && m.Name != "clock_effect.peak_as_it_was" {
				t.Errorf("%s of an empty row is %v", m.Name, v)
			}
		}
	}
}

func TestDeclarationsAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Subjects() {
		for i := range s.Measures {
			m := &s.Measures[i]
			if m.Name == "" || m.Heading == "" || m.Help == "" || m.Unit == "" || m.Value == nil || m.In == 0 {
				t.Errorf("measure %q is declared without a name, unit, heading, help, place or value", m.Name)
			}
			if seen[m.Name] {
				t.Errorf("%s is declared twice", m.Name)
			}
			seen[m.Name] = true
			if m.In&(Table|Page) != 0 && s.Caption == "" && s != DecisionMeasures {
				t.Errorf("%s stands in a table without a title", m.Name)
			}
		}
	}
}
