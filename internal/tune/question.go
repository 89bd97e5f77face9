package tune

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/limit"
	"ratelab/internal/result"
	"ratelab/internal/sheet"
)

// Question is what is asked.
type Question struct {
	Traffic    *Traffic
	Name       string // of the traffic
	Good       Good
	Wishes     Wishes
	Present    *limit.Policy // what the user has now; nil: nothing
	Algorithms []string      // nil: Default
	Who        bool          // ask only whom the present setting hits
	Notice     func(string)  // is told, after the first pass, that a sample saves nothing; nil: nobody is
}

// Default is the algorithms that are tried unless others are named: all but those that have no limit, delay what they
// admit, or are managed, which is no other limit.
func Default() (names []string) {
	for _, spec := range algorithms.All() {
		in, err := Setting{Algorithm: spec.Name, Policy: limit.Policy{Requests: 1, Window: time.Second}}.Instance()
		if err == nil && in.Init == nil && spec.Family != "floor" && spec.Family != "shaper" {
			names = append(names, spec.Name)
		}
	}
	return names
}

// ErrTraffic is what an error is where the traffic has nothing to tune for.
var ErrTraffic = errors.New("nothing to tune")

// Answer reads the traffic some times: once to see who is there, once for the exact curves, and once or more for the
// models. An error of the traffic is a *TrafficError, or an ErrTraffic.
func (q *Question) Answer() (*Document, error) {
	c, err := take(q.Traffic, q.Good)
	if err != nil {
		return nil, blamed(q.Name, err)
	}
	return q.answer(c)
}

// answer goes on from the first pass.
func (q *Question) answer(c *census) (*Document, error) {
	if q.Traffic.Sample != nil {
		if err := c.stratify(q.Wishes.planned()); err != nil {
			return nil, blamed(q.Name, err)
		}
	}
	d := q.document(c)
	if s := q.Traffic.Sample; s != nil && s.Share < 1 && c.strata.whole() && q.Notice != nil {
		q.Notice(c.sampling(q.Wishes.planned()).savesNothing(c.requests))
	}
	if q.Algorithms == nil {
		q.Algorithms = Default()
	}
	if q.Who {
		return d, q.findWho(c, d)
	}
	if d.Wishes.Of == Users && c.people == 1 {
		d.Wishes.Of = Requests
		d.Notes = append(d.Notes, "there is one good user, of whom a share says nothing: shares are of the requests")
	}
	grid := newGrid(c, q.Present)
	found, err := c.survey(grid)
	if err != nil {
		return nil, blamed(q.Name, err)
	}
	if found.all[fitted].Requests == 0 {
		return nil, fmt.Errorf("%w: %s: no request of a good user is in the fitted part, %s", ErrTraffic, q.Name,
			d.Traffic.Fitted)
	}
	if c.strata != nil {
		d.Sample = c.sampling(q.Wishes.planned())
	}
	d.needs(c, found)
	if err := q.play(c, d, grid, found); err != nil {
		return nil, renamed(q.Name, err)
	}
	d.judge()
	return d, d.configure()
}

// blamed is an error with the name of the traffic where it is about all of it.
func blamed(name string, err error) error {
	var traffic *TrafficError
	if err = renamed(name, err); errors.As(err, &traffic) {
		return err
	}
	return fmt.Errorf("%w: %s: %w", ErrTraffic, name, err)
}

// renamed is an error that says which traffic has changed, where it is one of that.
func renamed(name string, err error) error {
	var changed *ChangedError
	if !errors.As(err, &changed) {
		return err
	}
	changed.Name = name
	return &TrafficError{changed}
}

// document is what is known before anything has decided.
func (q *Question) document(c *census) *Document {
	d := &Document{SchemaVersion: result.Tune.Version, Kind: result.Tune.Kind, Wishes: q.Wishes,
		Good: GoodUsers{By: q.Good.Words, Most: c.most, Users: c.people},
		Traffic: Fitting{Name: q.Name, Requests: c.requests, Cost: c.cost, Keys: c.keys.Count(),
			DurationUS: c.lastUS + 1}}
	if n := len(q.Traffic.Streams); n > 1 {
		d.Traffic.Fitted = fmt.Sprintf("the first %d of %d seeds", c.fitsStreams, n)
		d.Traffic.HeldOut = fmt.Sprintf("the other %d", n-c.fitsStreams)
		return d
	}
	d.Traffic.Fitted = "the first " + sheet.Briefly(c.splitUS)
	d.Traffic.HeldOut = "the other " + sheet.Briefly(c.spans[heldOut])
	return d
}

// play has the models decide at all settings, then at some near the best of each algorithm, and makes rows of them.
func (q *Question) play(c *census, d *Document, grid *grid, found *surveyed) error {
	var all []Setting
	s := stepsFor(&d.Wishes)
	for _, name := range q.Algorithms {
		all = append(all, settings(name, found.all[fitted], s, &d.Wishes, q.Present)...)
	}
	nobody := &lane{model: func() limit.Numbered { return everything{} }}
	if err := q.try(c, d, found, all, nobody); err != nil {
		return err
	}
	d.Unlimited = nobody.both()
	c.tally.unlimited(&d.Unlimited)
	var near []Setting
	for _, name := range q.Algorithms {
		if best := d.best(func(r *Row) bool { return r.Algorithm == name }, d.promising); best != nil {
			near = append(near, d.Rows[*best].Setting().near(grid, found.all[fitted].Span)...)
		}
	}
	near = slices.DeleteFunc(near, func(s Setting) bool { return slices.Contains(all, s) })
	if err := q.try(c, d, found, near); err != nil {
		return err
	}
	slices.SortStableFunc(d.Rows, func(a, b Row) int { return inOrder(a.Setting(), b.Setting()) })
	return nil
}

// try makes rows of settings. The lanes run beside them.
func (q *Question) try(c *census, d *Document, found *surveyed, all []Setting, lanes ...*lane) error {
	beside := len(lanes)
	for _, one := range all {
		model, err := one.model()
		if err != nil {
			return err
		}
		lanes = append(lanes, &lane{model: model})
	}
	if err := c.run(lanes); err != nil {
		return err
	}
	for i, one := range all {
		r := Row{Algorithm: one.Algorithm, Limit: result.LimitOf(one.Policy), Subwindows: one.Subwindows,
			Both: lanes[beside+i].both(), Present: q.Present != nil && one.is(*q.Present)}
		if err := r.compare(found.played, lanes[beside+i].figures); err != nil {
			return err
		}
		d.Rows = append(d.Rows, r)
	}
	return nil
}

// promising is the order of rows near which others are tried: those that keep the wishes, then those that miss them
// by least.
func (d *Document) promising(a, b *Row) int {
	w := &d.Wishes
	keepsA, keepsB := w.keeps(&a.Fitted), w.keeps(&b.Fitted)
	switch {
	case keepsA && keepsB:
		return d.chosenFirst(a, b)
	case keepsA:
		return -1
	case keepsB:
		return 1
	}
	return cmp.Or(cmp.Compare(w.room(&b.Fitted), w.room(&a.Fitted)), d.chosenFirst(a, b))
}

// is reports whether a setting has the limit p.
func (s Setting) is(p limit.Policy) bool {
	return s.Policy.Requests == p.Requests && s.Policy.Window == p.Window &&
		(!s.IsBucket() || s.Policy.Capacity() == p.Capacity()) && s.Subwindows != manyParts
}

// both is the figures of all keys.
func (l *lane) both() Both {
	if l.now == parts {
		return Both{l.estimated[fitted], l.estimated[heldOut]}
	}
	return Both{l.figures[fitted], l.figures[heldOut]}
}

// everything is no limit.
type everything struct{}

// Decide admits.
func (everything) Decide(int64, string, int64) limit.Decision {
	return limit.Decision{Verdict: limit.Allowed}
}

// DecideNumbered admits.
func (everything) DecideNumbered(_, _, _ int64) limit.Decision {
	return limit.Decision{Verdict: limit.Allowed}
}

// Where a figure comes from.
const (
	curve = "curve"
	runs  = "runs"
)

// compare says which of the row's figures are on exact curves, and holds the run to them, both of the keys played.
func (r *Row) compare(curves [parts]*Curves, played [parts]Figures) error {
	r.UsersFrom, r.RequestsFrom = runs, runs
	for p, f := range played {
		users, requests := curves[p].at(r.Setting())
		if users != nil {
			r.UsersFrom = curve
		}
		if requests != nil && p == int(fitted) {
			r.RequestsFrom = curve
		}
		if users != nil && *users != f.UsersRefused || requests != nil && *requests != f.RequestsRefused {
			return fmt.Errorf("%s %s: the model refuses %d users and %d requests, and the exact curve says otherwise: "+
				"a mistake of this program", r.Algorithm, r.Setting().Limit(), f.UsersRefused, f.RequestsRefused)
		}
	}
	return nil
}

// at is how many users, and requests, a setting refuses where that is on a curve; nil where it is not.
func (c *Curves) at(s Setting) (users, requests *int64) {
	if s.Algorithm == "gcra" || s.Algorithm == "token-bucket" || s.Algorithm == "leaky-bucket" {
		for _, r := range c.Rates {
			if r.Rate.Requests == s.Policy.Requests && r.Rate.Window == s.Policy.Window {
				n := r.Users.Beyond(s.Policy.Capacity())
				return &n, nil
			}
		}
		return nil, nil
	}
	for _, w := range c.Windows {
		if w.Window != s.Policy.Window || !slices.Contains(exact, s.Algorithm) {
			continue
		}
		people, filled := w.of(s.Algorithm)
		n := people.Beyond(s.Policy.Requests)
		if users = &n; filled != nil {
			m := filled.Surplus(s.Policy.Requests)
			requests = &m
		}
	}
	return users, requests
}

// exact are the algorithms of windows that have curves.
var exact = []string{"fixed-window", "fixed-window-aligned", "sliding-window-log"}

// tabulated are the shares at which curves are given as numbers.
var tabulated = []float64{0, 0.001, 0.01, 0.05}

// needs gives the curves as numbers.
func (d *Document) needs(c *census, found *surveyed) {
	need := func(of func(*Curves) Distribution) (all []Need) {
		fit, held := of(found.all[fitted]), of(found.all[heldOut])
		for _, share := range tabulated {
			n := fit.Least(atMost(share, found.all[fitted].Users), Distribution.Beyond)
			one := Need{Share: share, Least: n, Refused: fit.Beyond(n), RefusedHeldOut: held.Beyond(n)}
			if c.tally != nil {
				one.Sampled = &NeedSampled{}
				for p, e := range [parts]*Estimate{&one.Sampled.Fitted, &one.Sampled.HeldOut} {
					*e = c.tally.proportion(part(p), of(found.heavy[p]).Beyond(n), of(found.light[p]).Beyond(n))
				}
			}
			all = append(all, one)
		}
		return all
	}
	for _, name := range exact {
		for i := range found.all[fitted].Windows {
			d.Windows = append(d.Windows, WindowNeed{name, found.all[fitted].Windows[i].Window.Microseconds(),
				need(func(c *Curves) Distribution {
					users, _ := c.Windows[i].of(name)
					return users
				})})
		}
	}
	for i, r := range found.all[fitted].Rates {
		d.Rates = append(d.Rates, RateNeed{r.Rate.Requests, r.Rate.WindowUS(),
			need(func(c *Curves) Distribution { return c.Rates[i].Users })})
	}
}
