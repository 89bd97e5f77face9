package serverstats

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSpansAddUp(t *testing.T) {
	a := Delta{Known: true, EvalCalls: 2, EvalUsec: 10, NetInBytes: 7,
		Commands: map[string]CommandDelta{"get": {Calls: 2, Usec: 1}}}
	b := Delta{Known: true, EvalCalls: 3, EvalUsec: 20, NetInBytes: 1,
		Commands: map[string]CommandDelta{"get": {Calls: 1, Usec: 4}, "set": {Calls: 3}}}
	var sum Delta
	sum.Add(a)
	sum.Add(b)
	want := Delta{Known: true, EvalCalls: 5, EvalUsec: 30, NetInBytes: 8,
		Commands: map[string]CommandDelta{"get": {Calls: 3, Usec: 5}, "set": {Calls: 3}}}
	if diff := cmp.Diff(want, sum); diff != "" {
		t.Error(diff)
	}
	if a.Commands["get"].Calls != 2 {
		t.Error("the first span was changed")
	}
}

// A span that is not known makes the sum unknown, whichever came first.
func TestASumWithAnUnknownSpanIsUnknown(t *testing.T) {
	known := Delta{Known: true, EvalCalls: 2, Commands: map[string]CommandDelta{}}
	for _, spans := range [][]Delta{{known, {}}, {{}, known}, {known, {}, known}} {
		var sum Delta
		for _, d := range spans {
			sum.Add(d)
		}
		if sum.Known || sum.EvalCalls != 0 {
			t.Errorf("%v: %+v", spans, sum)
		}
	}
}
