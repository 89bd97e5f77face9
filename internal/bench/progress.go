package bench

import "time"

// progress tells a Progress, if there is one, what is under way.
type progress struct {
	to          Progress
	done, total time.Duration
	next        time.Duration // what the step of now takes
}

func newProgress(to Progress, total time.Duration) *progress { return &progress{to: to, total: total} }

// step begins a step that takes about so long.
func (p *progress) step(name string, takes time.Duration) {
	p.done += p.next
	p.next = takes
	p.total = max(p.total, p.done+takes)
	if p.to != nil {
		p.to.Step(name, p.done, p.total)
	}
}

// more says that there will be more to do than was thought.
func (p *progress) more(d time.Duration) { p.total += d }
