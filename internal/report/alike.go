package report

import (
	"reflect"
	"slices"
)

// AlikeMark stands before the name of a row that decides as the one above it, and alikeNote says so.
const (
	AlikeMark = "= "
	alikeNote = "=: decides every request as the row above; what it promises and takes is its own"
)

// Alike are the rows by what they do, each group at its first one's place: those that decided every request alike, and
// let it through at the same moment. The floor is no contestant, and stands by itself.
func (r *Run) Alike() [][]*Row {
	var groups [][]*Row
	for i := range r.Results {
		row := &r.Results[i]
		like := func(group []*Row) bool { return row.isAlike(group[0]) }
		if g := slices.IndexFunc(groups, like); g >= 0 {
			groups[g] = append(groups[g], row)
		} else {
			groups = append(groups, []*Row{row})
		}
	}
	return groups
}

func (r *Row) isAlike(o *Row) bool {
	return r.DecisionsDigest != "" && r.DecisionsDigest == o.DecisionsDigest &&
		!IsFloor(r.Algorithm) && !IsFloor(o.Algorithm) && reflect.DeepEqual(r.Shaping, o.Shaping) &&
		slices.Equal(r.MostAdmitted, o.MostAdmitted)
}
