package algorithms

import "sort"

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
func All() []Algorithm {
	var all []Algorithm
	for _, name := range Names() {
		all = append(all, *registered[name])
	}
	return all
}

// Names gives every algorithm's name, in the order of All.
func Names() []string {
	var names []string
	for name := range registered {
		names = append(names, name)
	}
	sort.Slice(names, func(i, j int) bool {
		a, b := registered[names[i]], registered[names[j]]
		if floor := a.Family == "floor"; floor != (b.Family == "floor") {
			return floor
		}
		return a.Name < b.Name
	})
	return names
}
