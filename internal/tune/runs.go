package tune

import (
	"runtime"
	"sync"

	"ratelab/internal/limit"
)

// Figures are what a setting does with one part of the traffic.
type Figures struct {
	Users           int64 `json:"users"`         // good ones with any request
	UsersRefused    int64 `json:"users_refused"` // of these, who is ever refused
	Requests        int64 `json:"requests"`      // of good users
	RequestsRefused int64 `json:"requests_refused"`
	OfferedCost     int64 `json:"offered_cost"` // of everybody
	AdmittedCost    int64 `json:"admitted_cost"`
	WorstSecond     int64 `json:"worst_second"` // the most cost that leaves for the backend in any second
	// where keys are sampled, so that what is refused and admitted is estimated
	Sampled *Sampled `json:"sampled,omitempty"`
}

// lane is one setting that a model plays, a fresh one for each stretch of traffic.
type lane struct {
	model   func() limit.Numbered
	limiter limit.Numbered
	seen    set
	refused set
	load    load
	figures [parts]Figures // of the keys that are played

	// where keys are sampled
	now       part
	of        []refusals // by key: what it is refused in the part in hand
	estimated [parts]Figures
}

// decide has the lane's model decide what belongs to one stretch of traffic.
func (l *lane) decide(c *census, batch []moment) {
	if l.limiter == nil {
		l.limiter = l.model()
	}
	if len(batch) > 0 {
		l.until(c, batch[0].part)
	}
	for i := range batch {
		m := &batch[i]
		f := &l.figures[m.part]
		d := l.limiter.DecideNumbered(c.traffic.StartUS+m.AtUS, m.number, m.Cost)
		f.OfferedCost += m.Cost
		if d.Allowed() {
			f.AdmittedCost += m.Cost
			l.load.add(m.AtUS, d.DelayUS, m.Cost)
		} else if l.of != nil {
			l.of[m.number].cost += m.Cost
		}
		if !c.isGood(m.number) {
			continue
		}
		f.Requests++
		if !l.seen.has(m.number) {
			l.seen.add(m.number)
			f.Users++
		}
		if d.Allowed() {
			continue
		}
		isNew := !l.refused.has(m.number)
		f.RequestsRefused++
		if isNew {
			l.refused.add(m.number)
			f.UsersRefused++
		}
		if l.of != nil {
			l.of[m.number].requests++
			if isNew {
				l.of[m.number].users++
			}
		}
	}
}

// until ends the parts before p: of sampled keys it estimates what they say of all.
func (l *lane) until(c *census, p part) {
	if c.strata == nil {
		return
	}
	if l.of == nil {
		l.of = make([]refusals, c.players())
	}
	for ; l.now < p; l.now++ {
		l.estimated[l.now] = c.tally.estimated(l.now, l.figures[l.now], l.of, c.isGood)
		clear(l.of)
	}
}

// rest ends a stretch of a part.
func (l *lane) rest(p part) {
	l.load.rest()
	l.figures[p].WorstSecond = max(l.figures[p].WorstSecond, l.load.most)
	l.load.most, l.limiter = 0, nil
	clear(l.seen)
	clear(l.refused)
}

// batchSize is how many requests all lanes decide before the next ones.
const batchSize = 8192

// mostStates bounds how many keys all models of a pass may hold, and with it the memory: about a GB.
const mostStates = 8_000_000

// run has the models decide, as many at once as memory allows: the traffic is read once for each such group.
func (c *census) run(lanes []*lane) error {
	group := min(max(1, int(mostStates/c.players())), len(lanes))
	for len(lanes) > 0 {
		n := min(group, len(lanes))
		if err := c.pass(lanes[:n]); err != nil {
			return err
		}
		lanes = lanes[n:]
	}
	return nil
}

// batch is requests of one stretch of traffic.
type batch struct {
	moments []moment
	ends    bool // the stretch, after these
	part    part
}

// pass reads the traffic once, and while it reads the lanes decide what was read before.
func (c *census) pass(lanes []*lane) error {
	ready, free, done := make(chan batch, 1), make(chan []moment, 2), make(chan struct{})
	go func() {
		for b := range ready {
			each(lanes, func(l *lane) { l.take(c, b) })
			free <- b.moments[:0]
		}
		close(done)
	}()
	free <- make([]moment, 0, batchSize)
	moments := make([]moment, 0, batchSize)
	send := func(ends bool, p part) {
		ready <- batch{moments, ends, p}
		moments = <-free
	}
	err := c.play(func(m moment) error {
		if moments = append(moments, m); len(moments) == batchSize {
			send(false, m.part)
		}
		return nil
	}, func(p part) error {
		send(true, p)
		return nil
	})
	close(ready)
	<-done
	if err == nil {
		each(lanes, func(l *lane) {
			l.until(c, parts)
			l.of = nil
		})
	}
	return err
}

// take decides a batch.
func (l *lane) take(c *census, b batch) {
	l.decide(c, b.moments)
	if b.ends {
		l.rest(b.part)
	}
}

// each works on the lanes with all processors. No two share anything that changes.
func each(lanes []*lane, work func(*lane)) {
	var group sync.WaitGroup
	next := make(chan *lane, len(lanes))
	for _, l := range lanes {
		next <- l
	}
	close(next)
	for range min(runtime.GOMAXPROCS(0), len(lanes)) {
		group.Go(func() {
			for l := range next {
				work(l)
			}
		})
	}
	group.Wait()
}
