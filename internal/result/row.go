package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"ratelab/internal/measure"
)

// plainRow is a Row without the derived measures.
type plainRow Row

// MarshalJSON writes the row's fields, and then the declared measures that have no field.
func (r Row) MarshalJSON() ([]byte, error) {
	text, err := encode(plainRow(r))
	if err != nil {
		return nil, err
	}
	for _, m := range derived() {
		v := m.Value(&r.Figures)
		if !v.Known {
			continue
		}
		number, err := json.Marshal(v.Number)
		if err != nil {
			return nil, fmt.Errorf("measure %s: %w", m.Name, err)
		}
		text = fmt.Appendf(text[:len(text)-1], ",%q:%s}", m.Name, number)
	}
	return text, nil
}

// UnmarshalJSON reads the output of MarshalJSON. It refuses fields that are neither the row's nor a measure's.
func (r *Row) UnmarshalJSON(text []byte) error {
	if list := derived(); len(list) > 0 {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(text, &fields); err != nil {
			return err
		}
		for _, m := range list {
			delete(fields, m.Name)
		}
		var err error
		if text, err = json.Marshal(fields); err != nil {
			return err
		}
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	return decoder.Decode((*plainRow)(r))
}

func encode(v any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

// derived returns the written measures without a field in the row. Their names have no point.
func derived() []*measure.Measure {
	var list []*measure.Measure
	for _, s := range measure.Subjects() {
		for _, m := range s.Within(measure.Written) {
			if !strings.Contains(m.Name, ".") && !slices.Contains(rowFields, m.Name) {
				list = append(list, m)
			}
		}
	}
	return list
}

// rowFields are the names of a row's fields.
var rowFields = jsonNames(reflect.TypeFor[Row]())

func jsonNames(of reflect.Type) []string {
	var names []string
	for _, field := range reflect.VisibleFields(of) {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
