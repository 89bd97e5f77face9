package main

import (
	"time"

	"ratelab/internal/commandline"
	"ratelab/internal/scenario"
)

// progress shows how far a job is, over all of its scenarios: requests are what is counted, and how long those have
// taken that are behind says how long the rest will.
type progress struct {
	*commandline.Bar
	totals []int64 // requests, by scenario; nil where a trace tells only at its end
	sum    int64
	began  time.Time

	name   string
	behind int64 // requests of the scenarios before this one
}

// progressOf is that of a job with those scenarios.
func progressOf(bar *commandline.Bar, list []*scenario.Scenario) *progress {
	p := &progress{Bar: bar, began: time.Now()}
	for _, s := range list {
		n, known := s.Stream(s.Seed).Count()
		if !known {
			p.totals = nil
			break
		}
		p.totals, p.sum = append(p.totals, n), p.sum+n
	}
	return p
}

// Scenario begins one.
func (p *progress) Scenario(name string, number, of int, total int64) {
	p.name = commandline.NumberOf(name, number, of)
	if number > len(p.totals) {
		p.Start(p.name, total)
		return
	}
	p.behind = 0
	for _, n := range p.totals[:number-1] {
		p.behind += n
	}
	p.Requests(0)
}

// Requests moves it.
func (p *progress) Requests(done int64) {
	if p.totals == nil {
		p.Set(done)
		return
	}
	took, done := time.Since(p.began), min(p.behind+done, p.sum)
	if took < time.Second || done == 0 { // too early to tell
		p.Bar.Remaining(p.name, 0, 0)
		return
	}
	p.Bar.Remaining(p.name, took, time.Duration(float64(took)*float64(p.sum)/float64(done)))
}
