package script

import (
	"reflect"
	"slices"
)

// change is what stands in a template's place from an instant on.
type change struct {
	then    []part
	fromUS  int64 // since 1970, as the script's clock shows it
	everyUS int64 // both take turns in periods of that length; 0: for good
}

// partsAt are the template's parts at a time.
func (t Template) partsAt(nowUS int64) []part {
	c := t.changed
	if c == nil || nowUS < c.fromUS || c.everyUS > 0 && (nowUS-c.fromUS)/c.everyUS%2 == 1 {
		return t.parts
	}
	return c.then
}

// Changing is a program that is called as another one from an instant on, in µs since 1970, as when its limit changes.
// Where everyUS is more than 0 the two take turns, each for so long. Both must have one source.
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

// Changes reports whether any call of the program is one of another program's.
func (p *Program) Changes() bool {
	return slices.ContainsFunc(slices.Concat(p.Decide.Keys, p.Decide.Args),
		func(t Template) bool { return t.changed != nil })
}
