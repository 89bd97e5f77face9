package accesslog

import (
	"slices"
	"testing"

	"ratelab/internal/limit"
)

// The parts of a log's keys have its requests, at their instants in the whole log.
func TestParts(t *testing.T) {
	trace := Trace{File: write(t, "t.csv", "time,key\n10,a\n11,b\n12.5,c\n13,a\n14,d\n15,e\n16,b\n")}
	var parts []limit.Request
	for trace.Part, trace.Parts = 0, 3; trace.Part < 3; trace.Part++ {
		part := requests(t, stream(trace))
		if len(part) == 7 {
			t.Errorf("part %d has all requests", trace.Part)
		}
		parts = append(parts, part...)
	}
	slices.SortFunc(parts, func(a, b limit.Request) int { return int(a.AtUS - b.AtUS) })
	if whole := requests(t, stream(Trace{File: trace.File})); !slices.Equal(parts, whole) {
		t.Errorf("parts %v, whole %v", parts, whole)
	}
}
