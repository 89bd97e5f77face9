package main

import "ratelab/internal/commandline"

// progress shows a bar for each scenario.
type progress struct{ *commandline.Bar }

// Scenario begins a bar.
func (p progress) Scenario(name string, number, of int, total int64) {
	p.Start(commandline.NumberOf(name, number, of), total)
}

// Requests moves it.
func (p progress) Requests(done int64) { p.Set(done) }
