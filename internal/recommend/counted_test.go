package recommend

import (
	"strings"
	"testing"

	"ratelab/internal/costresult"
)

// What was counted comes before Redis commands where all have it, and not at all where one lacks it. A row with another
// capacity has its algorithm's figure.
func TestCountedInstructionsComeFirst(t *testing.T) {
	row := func(label string, counts ...float64) costresult.Row {
		r := costresult.Row{Algorithm: label}
		for _, n := range counts {
			r.Paths = append(r.Paths, costresult.Path{Instructions: n})
		}
		return r
	}
	counted := CountedOf(&costresult.Document{Valgrind: "3.19.0", Architecture: "amd64",
		Rows: []costresult.Row{row("gcra", 60000, 50000), row("fixed-window", 40000, 48000), row("none")}})
	of := func(label string, calls float64) *Candidate {
		return &Candidate{Algorithm: label, CallsAdmitting: &calls, Instructions: counted.of(label)}
	}
	dear, cheap := of("gcra:burst=5", 2), of("fixed-window", 3)
	if *dear.Instructions != 55000 || *cheap.Instructions != 44000 || counted.of("none") != nil {
		t.Fatalf("%v, %v, %v", *dear.Instructions, *cheap.Instructions, counted.of("none"))
	}
	if by := cheapest([]*Candidate{dear, cheap}); before(cheap, dear, by) >= 0 ||
		by[0].words(cheap, dear) != "it takes 44000 instructions a decision, gcra:burst=5 55000" {
		t.Errorf("the fewer instructions are not the cheaper: %s", by[0].words(cheap, dear))
	}
	if by := cheapest([]*Candidate{dear, cheap, of("mine", 1)}); before(dear, cheap, by) >= 0 {
		t.Error("where one has no count, commands do not decide")
	}
	if text := counted.Source.String(); !strings.Contains(text, "mean over all paths") {
		t.Error(text)
	}
}
