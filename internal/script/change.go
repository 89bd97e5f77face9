package script

import (
	"reflect"
	"slices"
)

// change replaces a template's parts from an instant on.
type change struct {
	then    []part
	fromUS  int64 // since 1970, on the script's clock
	everyUS int64 // old and new parts alternate, each for this time; 0: the new parts stay
}

// partsAt returns the template's parts at a time.
func (t Template) partsAt(nowUS int64) []part {
	c := t.changed
	if c == nil || nowUS < c.fromUS || c.everyUS > 0 && (nowUS-c.fromUS)/c.everyUS%2 == 1 {
		return t.parts
	}
	return c.then
}

// Changing returns a program that is called as p until fromUS, in µs since 1970, and then as other. It describes, for
// example, a change of the limit. If everyUS is more than 0, the two alternate, each for everyUS. Both programs must
// have the same source.
func (p *Program) Changing(other *Program, fromUS, everyUS int64) *Program {
	both := *p
	join := func(a, b []Template) []Template {
		a = slices.Clone(a)
		for i := range a {
			if !reflect.DeepEqual(a[i].parts, b[i].parts) {
				a[i].changed = &change{b[i].parts, fromUS, everyUS}
			}
		}
		return a
	}
	both.Decide = Call{join(p.Decide.Keys, other.Decide.Keys), join(p.Decide.Args, other.Decide.Args)}
	return &both
}

// Changes reports whether the program's calls change at some instant: see Changing.
func (p *Program) Changes() bool {
	return slices.ContainsFunc(slices.Concat(p.Decide.Keys, p.Decide.Args),
		func(t Template) bool { return t.changed != nil })
}
