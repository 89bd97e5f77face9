package cost

import (
	"slices"
	"strings"
	"testing"

	"ratelab/internal/callgrind"
)

// The order in which rows are counted, each letter one count. What is near or far after two rounds is not counted
// again; what is neither has three, each in the other order than the last. A row that has no such path takes no turn.
func TestTurns(t *testing.T) {
	for _, c := range []struct {
		name   string
		counts map[string][]int64 // of each row, in the order of its rounds
		want   string
	}{
		{"alone", map[string][]int64{"a": {1000}}, "a"},
		{"the same", map[string][]int64{"a": {1000, 1000}, "b": {1004, 1004}}, "abba"},
		{"dearer", map[string][]int64{"a": {1000, 1000, 1000}, "b": {1020, 1020, 1020}}, "abbaab"},
		{"far dearer", map[string][]int64{"a": {1000, 1000}, "b": {1110, 1110}}, "abba"},
		{"disturbed", map[string][]int64{"a": {1020, 1000}, "b": {1000, 1001}}, "abba"},
		{"dearer, and disturbed", map[string][]int64{"a": {1020, 1000, 1000}, "b": {1020, 1020, 1020}}, "abbaab"},
		{"two in doubt, one far", map[string][]int64{"a": {1000, 1000, 1000}, "b": {1200, 1200, 1200},
			"c": {1020, 1020, 1020}}, "abccbaabc"},
		{"none of one", map[string][]int64{"a": {1000}, "b": nil}, "a"},
	} {
		var all []*turn
		for _, label := range []string{"a", "b", "c"} {
			if counts, is := c.counts[label]; is {
				one := &turn{state: label}
				if counts == nil {
					one.path.missing = "there is none"
				}
				all = append(all, one)
			}
		}
		var order strings.Builder
		for one := next(all); one != nil && order.Len() < 20; one = next(all) {
			order.WriteString(one.state)
			count := c.counts[one.state][len(one.counts)]
			one.counts = append(one.counts, callgrind.Counts{Instructions: count})
		}
		if order.String() != c.want {
			t.Errorf("%s: %s, want %s", c.name, order.String(), c.want)
		}
	}
}

// A decision's figures are those of the round that counted least.
func TestTheLeastCountIsAPathsFigure(t *testing.T) {
	one := &turn{found: &scene{commands: 2}}
	for _, n := range []int64{4100, 4000, 9000} {
		one.counts = append(one.counts, callgrind.Counts{Instructions: n, Allocations: n / 100})
	}
	if p := one.figures(40); p.Instructions != 100 || *p.Allocations != 1 || p.Decisions != 40 || p.Commands != 2 {
		t.Errorf("%+v", p)
	}
	one.counts = slices.Repeat([]callgrind.Counts{{Instructions: 4000}}, 3)
	if p := one.figures(40); p.Allocations != nil {
		t.Errorf("%v allocations of a server that names none", *p.Allocations)
	}
}
