package benchresult

import (
	"fmt"

	"ratelab/internal/message"
	"ratelab/internal/result"
)

// Check adds up what must agree. An error names the first that does not.
func (p *Paired) Check() error {
	if err := p.Header.check(result.Paired); err != nil {
		return err
	}
	names := map[string]bool{}
	for i := range p.Rows {
		row := &p.Rows[i]
		if names[row.Name] {
			return fmt.Errorf("%s stands there twice", message.Quote(row.Name))
		}
		names[row.Name] = true
		if err := row.check(); err != nil {
			return fmt.Errorf("%s: %w", message.Bare(row.Name), err)
		}
	}
	return nil
}

func (r *PairedRow) check() error {
	for _, side := range []*PairedSide{&r.Base, &r.Head} {
		for i := range side.Exact {
			e := &side.Exact[i]
			s := sum{"offered", e.Offered, "admitted + rejected + errors", e.Admitted + e.Rejected + e.Errors}
			if err := disagreement([]sum{s}); err != nil {
				return fmt.Errorf("%s: %w", message.Bare(e.Scenario), err)
			}
		}
	}
	for _, pairs := range [][]Pair{r.Pairs, r.Confirm} {
		for i := range pairs {
			if err := pairs[i].check(); err != nil {
				return fmt.Errorf("pair %d: %w", i+1, err)
			}
		}
	}
	return nil
}

func (p *Pair) check() error {
	if len(p.Controls) > 2 {
		return fmt.Errorf("%d controls; want one for each server", len(p.Controls))
	}
	for _, s := range append([]Sample{p.Base, p.Head}, p.Controls...) {
		if err := s.check(); err != nil {
			return err
		}
	}
	return nil
}
