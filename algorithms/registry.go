package algorithms

import (
	"maps"
	"slices"
	"strings"
)

var registered = map[string]*Algorithm{}

// register makes an algorithm known; each file calls it on its first lines.
func register(s Algorithm) bool {
	if registered[s.Name] != nil {
		panic("algorithm registered twice: " + s.Name)
	}
	for _, p := range s.Parameters {
		if find(rowParameters, p.Name) != nil {
			panic("algorithm " + s.Name + ": every row has the parameter " + p.Name + "; take another name")
		}
	}
	registered[s.Name] = &s
	return true
}

// All gives every algorithm: none, the floor, first, and the others by name.
func All() (all []Algorithm) {
	for _, name := range Names() {
		all = append(all, *registered[name])
	}
	return all
}

// Defaults gives every algorithm with its default parameters, in the order of All.
func Defaults() (all []Choice) {
	for _, name := range Names() {
		all = append(all, Choice{Label: name, Algorithm: registered[name], set: map[string]string{}})
	}
	return all
}

// Names gives every algorithm's name, in the order of All.
func Names() []string {
	key := func(name string) string {
		if registered[name].Family == "floor" {
			return ""
		}
		return name
	}
	return slices.SortedFunc(maps.Keys(registered), func(a, b string) int { return strings.Compare(key(a), key(b)) })
}
