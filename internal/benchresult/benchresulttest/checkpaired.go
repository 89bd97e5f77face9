package benchresulttest

import (
	"fmt"
	"slices"

	"ratelab/internal/benchresult"
	"ratelab/internal/result"
)

// CheckPaired is Check for two sides that were measured in turn.
func CheckPaired(p *benchresult.Paired) error {
	if err := checkHeader(&p.Header, result.Paired); err != nil {
		return err
	}
	return eachOnce(p.Rows, func(r *benchresult.PairedRow) string { return r.Name }, checkPairedRow)
}

func checkPairedRow(r *benchresult.PairedRow) error {
	for _, e := range slices.Concat(r.Base.Exact, r.Head.Exact) {
		if err := disagreement(exactSum(&e.Result)); err != nil {
			return fmt.Errorf("%s: %w", e.Scenario, err)
		}
	}
	for _, pairs := range [][]benchresult.Pair{r.Pairs, r.Confirm} {
		for i := range pairs {
			if err := checkPair(&pairs[i]); err != nil {
				return fmt.Errorf("pair %d: %w", i+1, err)
			}
		}
	}
	return nil
}

func checkPair(p *benchresult.Pair) error {
	if len(p.Controls) > 2 {
		return fmt.Errorf("%d controls; want one for each server", len(p.Controls))
	}
	for _, s := range append([]benchresult.Sample{p.Base, p.Head}, p.Controls...) {
		if err := checkSample(&s); err != nil {
			return err
		}
	}
	return nil
}
