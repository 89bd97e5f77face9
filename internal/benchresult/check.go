package benchresult

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"ratelab/internal/message"
	"ratelab/internal/result"
)

// Check adds up what must agree: requests with decisions, rounds with their sums, histograms with their counts, medians
// with their samples. An error names the first that does not.
func (r *Document) Check() error {
	if err := r.Header.check(result.Bench); err != nil {
		return err
	}
	scenarios := map[string]bool{}
	for i := range r.Runs {
		run := &r.Runs[i]
		if scenarios[run.Scenario] {
			return fmt.Errorf("scenario %s stands there twice", message.Quote(run.Scenario))
		}
		scenarios[run.Scenario] = true
		if err := run.check(); err != nil {
			return fmt.Errorf("%s, %w", message.Bare(run.Scenario), err)
		}
	}
	return r.checkCosts()
}

func (h *Header) check(form result.Form) error {
	switch {
	case h.SchemaVersion != form.Version:
		return fmt.Errorf("schema_version is %d, want %d", h.SchemaVersion, form.Version)
	case h.Kind != form.Kind:
		return fmt.Errorf("kind is %s, want %q", message.Quote(h.Kind), form.Kind)
	case h.Validity.Valid != (len(h.Validity.Reasons) == 0):
		return fmt.Errorf("valid is %t with %d reasons against it", h.Validity.Valid, len(h.Validity.Reasons))
	}
	return nil
}

func (r *Play) check() error {
	seen := map[string]bool{}
	for i := range r.Rows {
		row := &r.Rows[i]
		if seen[row.Algorithm] {
			return fmt.Errorf("%s stands there twice", message.Quote(row.Algorithm))
		}
		seen[row.Algorithm] = true
		if err := row.check(); err != nil {
			return fmt.Errorf("%s: %w", message.Bare(row.Algorithm), err)
		}
	}
	return nil
}

func (r *Limiter) check() error {
	o := &r.Open
	var accepted, rejected int64
	for _, round := range r.Rounds {
		accepted += round.Accepted
		rejected += round.Rejected
	}
	sums := []sum{
		{"offered", o.Offered, "sent + dropped", o.Sent + o.Dropped},
		{"sent", o.Sent, "accepted + rejected", o.Accepted + o.Rejected},
		{"accepted", o.Accepted, "the rounds'", accepted},
		{"rejected", o.Rejected, "the rounds'", rejected},
	}
	if e := r.Exact; e != nil {
		sums = append(sums, sum{"exact: offered", e.Offered, "admitted + rejected + errors", e.Admitted + e.Rejected + e.Errors})
	}
	if err := disagreement(sums); err != nil {
		return err
	}
	if err := o.checkHistograms(); err != nil {
		return err
	}
	var server []*float64
	for _, round := range r.Rounds {
		server = append(server, round.ServerUSPerCall)
	}
	return checkMedian("server_us_per_decision", o.ServerUSPerCall, medianOf(server))
}

// sum is a figure and what it must be.
type sum struct {
	name   string
	figure int64
	of     string
	want   int64
}

func disagreement(sums []sum) error {
	for _, s := range sums {
		if s.figure != s.want {
			return fmt.Errorf("%s is %d, and %s is %d", s.name, s.figure, s.of, s.want)
		}
		if s.figure < 0 {
			return fmt.Errorf("%s is %d, less than nothing", s.name, s.figure)
		}
	}
	return nil
}

// checkMedian compares a figure with the median that it should be, but for the last digits: a sum may have been made
// in another order.
func checkMedian(name string, figure, want *float64) error {
	switch {
	case figure == nil && want == nil:
		return nil
	case figure == nil || want == nil:
		return errors.New(name + " is there without its samples, or they without it")
	case math.Abs(*figure-*want) > 1e-9*math.Abs(*want):
		return fmt.Errorf("%s is %v, and the median of the rounds is %v", name, *figure, *want)
	}
	return nil
}

// check compares the whole of a closed loop with its samples; a histogram may miss what was out of its range.
func (m *Mix) check() error {
	if !slices.Contains(Mixes(), m.Mix) {
		return fmt.Errorf("no such mix %s; %s", message.Quote(m.Mix), message.OneOf(m.Mix, Mixes()))
	}
	var accepted, calls int64
	var throughput, server []*float64
	for i := range m.Samples {
		s := &m.Samples[i]
		if err := s.check(); err != nil {
			return err
		}
		accepted, calls = accepted+s.Accepted, calls+s.Calls
		throughput, server = append(throughput, &s.ThroughputPerS), append(server, s.ServerUSPerCall)
	}
	err := disagreement([]sum{
		{"accepted", m.Accepted, "the rounds'", accepted},
		{"accepted + rejected", m.Accepted + m.Rejected, "the rounds' calls", calls},
	})
	if err != nil {
		return err
	}
	if n := m.Service.count(); n > calls {
		return fmt.Errorf("service counts %d, and %d calls were made", n, calls)
	}
	if err := checkMedian("server_us_per_decision", m.ServerUSPerCall, medianOf(server)); err != nil || len(m.Samples) == 0 {
		return err
	}
	return checkMedian("throughput_per_s", &m.ThroughputPerS, medianOf(throughput))
}

func (s *Sample) check() error {
	if s.Accepted < 0 || s.Accepted > s.Calls {
		return fmt.Errorf("round %d: %d accepted of %d calls", s.Round, s.Accepted, s.Calls)
	}
	return nil
}

func (r *Document) checkCosts() error {
	algorithms := map[string]bool{}
	for i := range r.Costs {
		c := &r.Costs[i]
		if algorithms[c.Algorithm] {
			return fmt.Errorf("the cost of %s stands there twice", message.Quote(c.Algorithm))
		}
		algorithms[c.Algorithm] = true
		mixes := map[string]bool{}
		for j := range c.Mixes {
			m := &c.Mixes[j]
			if err := m.check(); err != nil {
				return fmt.Errorf("cost of %s, %s: %w", message.Bare(c.Algorithm), message.Bare(m.Mix), err)
			}
			if mixes[m.Mix] {
				return fmt.Errorf("cost of %s: %s stands there twice", message.Bare(c.Algorithm), m.Mix)
			}
			mixes[m.Mix] = true
		}
	}
	return nil
}
