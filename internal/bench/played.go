package bench

import (
	"iter"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/traffic"
)

// played is the beginning of a scenario's traffic: the requests that are due until most. Virtual time and the wall
// clock decide the same.
type played struct {
	stream *traffic.Stream
	most   time.Duration
}

// Requests yields the requests in order, and afresh each time.
func (p *played) Requests() iter.Seq2[limit.Request, error] {
	return func(yield func(limit.Request, error) bool) {
		for q, err := range p.stream.Requests() {
			if err == nil && q.AtUS > p.most.Microseconds() || !yield(q, err) {
				return
			}
		}
	}
}

// Duration is the scenario's, or most where that is less. A trace's is not known before its end; one that was cut
// never gets there, and is as long as the cut.
func (p *played) Duration() (time.Duration, bool) {
	own, known := p.stream.Duration()
	if !known {
		return p.most, false
	}
	return min(own, p.most), true
}

// longest is Duration, and for a trace the most that it can be.
func (p *played) longest() time.Duration {
	d, _ := p.Duration()
	return d
}

// keys are the first distinct keys, no more than most.
func (p *played) keys(most int) ([]string, error) {
	seen := map[string]bool{}
	var all []string
	for q, err := range p.Requests() {
		if err != nil {
			return nil, err
		}
		if seen[q.Key] {
			continue
		}
		if len(all) == most {
			break
		}
		seen[q.Key] = true
		all = append(all, q.Key)
	}
	return all, nil
}

// first are the first requests of what is played, no more than most.
func (p *played) first(most int) ([]limit.Request, error) {
	var all []limit.Request
	for q, err := range p.Requests() {
		if err != nil {
			return nil, err
		}
		if all = append(all, q); len(all) == most {
			break
		}
	}
	return all, nil
}
