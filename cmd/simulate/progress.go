package main

import (
	"fmt"
	"time"

	"ratelab/internal/cli"
	"ratelab/internal/message"
	"ratelab/internal/scenario"
)

// progress shows the progress of a job over all its scenarios. It counts requests, and estimates the remaining time
// from the elapsed time.
type progress struct {
	*cli.Bar
	began       time.Time
	sum         int64 // requests of all scenarios; 0 if a trace's number is still unknown
	name        string
	behind, own int64 // requests of the previous scenarios, and of the current one
}

// progressOf returns the progress of a job with the given scenarios.
func progressOf(bar *cli.Bar, list []*scenario.Scenario) *progress {
	p := &progress{Bar: bar, began: time.Now()}
	for _, s := range list {
		n, known := s.Stream(s.Seed).Count()
		if !known {
			p.sum = 0
			break
		}
		p.sum += n
	}
	return p
}

// Scenario begins the next scenario.
func (p *progress) Scenario(name string, number, of int, total int64) {
	if p.name = name; of > 1 {
		p.name = fmt.Sprintf("%d/%d %s", number, of, name)
	}
	p.behind, p.own = p.behind+p.own, total
	p.Requests(0)
}

// Requests updates the display.
func (p *progress) Requests(done int64) {
	took, done := time.Since(p.began), p.behind+done
	switch {
	case p.sum == 0:
		p.Show(fmt.Sprintf("%s, %s requests", p.name, message.Grouped(done)), 0, 0)
	case took < time.Second || done == 0: // too early for an estimate
		p.Show(p.name, 0, 0)
	default:
		p.Show(p.name, took, time.Duration(float64(took)*float64(p.sum)/float64(min(done, p.sum))))
	}
}
