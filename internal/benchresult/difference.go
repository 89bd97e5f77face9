package benchresult

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// difference names the fields in which two values of one type differ, as their JSON has them: version: "7.0.15" and
// "8.0.2".
func difference(a, b any) string {
	x, y := fields(a), fields(b)
	var all []string
	for _, name := range slices.Sorted(maps.Keys(x)) {
		if !bytes.Equal(x[name], y[name]) {
			all = append(all, fmt.Sprintf("%s: %s and %s", name, x[name], y[name]))
		}
	}
	return strings.Join(all, "; ")
}

func fields(v any) map[string]json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	var all map[string]json.RawMessage
	_ = json.Unmarshal(data, &all) // an object, by what it is called for
	return all
}
