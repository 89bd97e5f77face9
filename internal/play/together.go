package play

import (
	"context"
	"errors"
	"time"
)

// Together is what several processes do that play the same stretch on one server at the same time, each some of its
// requests, on the same keys. One of them is the first: it aims, decides what comes before the stretch, and makes keys
// ready. The others use its keys.
type Together interface {
	// First reports whether this process is the first.
	First() bool
	// Whole is all that is played by all.
	Whole() *Part
	// Aim waits until all are there, and gives what the first one's aim says.
	Aim(ctx context.Context, aim func() Aim) (Aim, error)
	// End waits until all have ended an attempt, and gives what holds for all: late if one was, the longest time that
	// it took to get ready.
	End(ctx context.Context, e Ending) (Ending, error)
}

// Aim is when and where a play begins.
type Aim struct {
	OriginNS int64         `json:"origin_ns"` // of the scenario, on the server's clock, since 1970
	Shift    time.Duration `json:"shift"`     // of the clients' clocks
	Prefix   string        `json:"prefix"`    // of the keys
}

// Ending is how an attempt went.
type Ending struct {
	Late    bool          `json:"late"` // it was not ready in time
	Stopped bool          `json:"stopped"`
	Took    time.Duration `json:"took"` // to get ready
}

// preparationOfAll is how long several processes need to get ready that share a machine.
const preparationOfAll = 400 * time.Millisecond

// follows reports whether another process made the keys ready.
func (p *player) follows() bool { return p.Together != nil && !p.Together.First() }

// aimTogether fixes the origin, for all who play.
func (p *player) aimTogether(ctx context.Context, spare time.Duration) error {
	if p.Together == nil {
		p.aim(spare)
		return nil
	}
	a, err := p.Together.Aim(ctx, func() Aim {
		p.aim(spare)
		return Aim{OriginNS: p.onServer(0).UnixNano(), Shift: p.shift}
	})
	if err != nil {
		return err
	}
	p.origin = time.Unix(0, a.OriginNS).Sub(p.Clock.Origin) - p.ahead
	p.shift, p.Prefix = a.Shift, a.Prefix
	return nil
}

// endTogether makes of an attempt what it is for all who play: late if one of them was. Nobody deletes a key before.
func (p *player) endTogether(ctx context.Context, played *Played, err error) (*Played, error) {
	if p.Together == nil || err != nil && !errors.Is(err, errLate) {
		return played, err
	}
	all, failed := p.Together.End(ctx, Ending{Late: err != nil, Stopped: err == nil && played.Stopped, Took: p.took})
	switch {
	case failed != nil:
		return nil, failed
	case all.Late:
		p.took = all.Took
		return nil, errLate
	}
	return played, nil
}

// whole is what is played by all.
func (p *player) whole() *Part {
	if p.Together == nil {
		return p.part
	}
	return p.Together.Whole()
}

// introducedByFirst are the keys that the first process makes ready, before the stretch or for it.
func (p *player) introducedByFirst() ([]string, error) {
	keys := p.keys(mostIntroduced)
	if p.entry.Program.Init == nil {
		return nil, nil
	}
	seen := map[string]bool{}
	for q, err := range p.part.Before() {
		if err != nil {
			return nil, err
		}
		if !seen[q.Key] {
			seen[q.Key] = true
			keys = append(keys, q.Key)
		}
	}
	return keys, nil
}
