// Package change says whether a changed script still decides as it did before, and what its decisions take: both
// versions decide the same requests at the same instants, in virtual time, each on a server of its own. It measures no
// time, so that any machine gives the same answer. Against a limit it holds nothing: that is simulate's business.
package change

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/redisserver"
	"ratelab/internal/replay"
	"ratelab/internal/result"
	"ratelab/internal/scenario"
	"ratelab/internal/script"
	"ratelab/internal/virtualtime"
	"ratelab/internal/waiting"
)

// The two sides, as indexes.
const (
	base = iota
	head
)

// sideNames are what the sides are called.
var sideNames = [2]string{"base", "head"}

// Job is what to compare. All fields are required but for those that say otherwise.
type Job struct {
	Base, Head *lineup.Candidate
	Scenarios  []*scenario.Scenario // plain ones; nil: the built-in ones that are
	Limits     []limit.Policy       // at each of them Generated requests are generated; nil: none
	Seed       *uint64              // of all traffic; nil: the scenarios' own, and 1
	Verdicts   bool                 // whether a request is admitted is all that is compared
	Work       bool                 // more commands, and more keys without a TTL, are a fault as well

	Server        string // a spec of redisserver.Start
	AllowEviction bool   // the user's server may be one that evicts keys

	Version  string
	Clock    replay.Clock
	Stop     <-chan struct{}                   // closed: end early; nil: nobody stops it
	Progress func(name string, number, of int) // nil: nobody listens
	Notice   func(line string)                 // the same
}

// contest is one traffic with both sides.
type contest struct {
	name    string
	policy  limit.Policy
	start   time.Time
	traffic replay.Traffic
	sides   [2]*lineup.Entry
	skipped string // why neither side can be called under its limit; "" where both can
}

// Run compares. The error is an *InputError of lineup, or what kept the harness from running; a script that decides
// otherwise is none. Told to stop it gives what there is, as partial.
func (j *Job) Run(ctx context.Context) (*Document, error) {
	contests, err := j.plan()
	if err != nil {
		return nil, err
	}
	doc := j.document(contests)
	if err := j.try(ctx, contests); err != nil {
		return nil, err
	}
	var servers [2]*redisserver.Server
	for i := range servers {
		s, err := redisserver.Start(ctx, j.Server, redisserver.WithPoolSize(2),
			redisserver.WithEviction(j.AllowEviction), redisserver.WithNotices(j.Notice))
		if err != nil {
			return nil, err
		}
		defer s.Close() // what is compared is in; what is left of a server of ours ends with the process
		servers[i] = s
	}
	doc.Server = result.Server{Kind: servers[base].Kind, Name: servers[base].Name, Version: servers[base].Version,
		Transport: servers[base].Transport}
	for i, c := range contests {
		if waiting.Closed(j.Stop) {
			doc.Partial = true
			break
		}
		if j.Progress != nil {
			j.Progress(c.name, i+1, len(contests))
		}
		if c.skipped != "" {
			doc.Notes = append(doc.Notes, fmt.Sprintf("%s is left out: %s", c.name, c.skipped))
			continue
		}
		row, err := j.compare(ctx, c, servers)
		if err != nil {
			return nil, lineup.Blamed(err)
		}
		doc.Rows = append(doc.Rows, *row)
	}
	doc.judge()
	return doc, nil
}

// plan resolves the job; the error, an *InputError, has everything that is wrong with it.
func (j *Job) plan() ([]*contest, error) {
	var wrong lineup.Problems
	all, named := j.Scenarios, j.Scenarios != nil
	if !named {
		builtin, err := scenario.Builtin()
		if err != nil {
			return nil, err
		}
		all = slices.DeleteFunc(builtin, func(s *scenario.Scenario) bool { return !s.Plain() })
	}
	var contests []*contest
	for _, s := range all {
		if !s.Plain() {
			wrong.Bad(fmt.Errorf("%s: with clients that react, clocks or faults the two sides would not meet the same "+
				"requests; leave it to simulate", s.Name))
			continue
		}
		seed := s.Seed
		if j.Seed != nil {
			seed = *j.Seed
		}
		c := &contest{name: s.Name, policy: s.Limit, start: s.Start, traffic: s.Stream(seed)}
		c.enter(j, func(of *lineup.Candidate) (*lineup.Entry, error) { return of.In(s) }, named, &wrong)
		contests = append(contests, c)
	}
	for _, p := range j.Limits {
		seed := uint64(1)
		if j.Seed != nil {
			seed = *j.Seed
		}
		c := &contest{name: fmt.Sprintf("generated at %v", p), policy: p, start: scenario.DefaultStart,
			traffic: generated{policy: p, seed: seed, requests: Generated}}
		c.enter(j, func(of *lineup.Candidate) (*lineup.Entry, error) { return of.Under(p) }, false, &wrong)
		contests = append(contests, c)
	}
	if wrong.Err() == nil && !slices.ContainsFunc(contests, func(c *contest) bool { return c.skipped == "" }) {
		wrong.Bad(errors.New("nothing to compare: " + contests[0].skipped))
	}
	return contests, wrong.Err()
}

// enter makes both entries. Where neither side can be called under a limit that nobody named, the contest is skipped.
func (c *contest) enter(j *Job, entry func(*lineup.Candidate) (*lineup.Entry, error), named bool,
	wrong *lineup.Problems) {
	var failed [2]error
	for i, candidate := range []*lineup.Candidate{j.Base, j.Head} {
		c.sides[i], failed[i] = entry(candidate)
	}
	if failed[base] != nil && failed[head] != nil && !named && !unusable(j.Base) && !unusable(j.Head) {
		c.skipped = failed[head].Error()
		return
	}
	for i, err := range failed {
		if err != nil {
			wrong.Bad(fmt.Errorf("--%s: %w", sideNames[i], err))
		}
	}
}

// unusable reports whether a candidate cannot be called under any limit, such as one without a binding.
func unusable(c *lineup.Candidate) bool {
	_, err := c.Under(limit.Policy{Requests: 100, Window: time.Minute})
	return err != nil
}

// try lets both scripts decide on a bounded server first.
func (j *Job) try(ctx context.Context, contests []*contest) error {
	for _, c := range contests {
		if c.skipped != "" {
			continue
		}
		requests, err := lineup.FirstRequests(c.traffic)
		if err != nil {
			return err
		}
		var own []*lineup.Entry
		for _, e := range c.sides {
			if e.File != "" {
				own = append(own, e)
			}
		}
		if len(own) == 0 {
			return nil
		}
		return lineup.Try(ctx, own, j.Server, c.start, requests, j.Clock)
	}
	return nil
}

// inBatch is how many requests are decided on both sides before they are compared.
const inBatch = 2048

// compare has both sides decide one traffic.
func (j *Job) compare(ctx context.Context, c *contest, servers [2]*redisserver.Server) (*Row, error) {
	var sides [2]*lineup.Virtual
	var err error
	for i, e := range c.sides {
		sides[i], err = e.On(ctx, lineup.NewWatch(ctx, servers[i]), lineup.Times{Start: c.start}, j.Clock)
		if err != nil {
			return nil, err
		}
	}
	p := pair{contest: c, sides: sides, verdicts: j.Verdicts,
		row: &Row{Traffic: c.name, Limit: result.LimitOf(c.policy)}}
	err = p.play(ctx)
	var left [2]virtualtime.Left
	for i, v := range sides {
		if err == nil {
			left[i], err = v.Left(ctx, p.lastUS)
		}
		if closed := v.Close(context.WithoutCancel(ctx)); err == nil {
			err = closed
		}
	}
	if err != nil {
		return nil, err
	}
	for i, into := range []*Spent{&p.row.Base, &p.row.Head} {
		into.Admitted = p.admitted[i]
		into.RedisCalls = sides[i].Calls().Total
		into.KeysWithoutTTL = left[i].WithoutTTL
	}
	return p.row, nil
}

// pair is both sides under way.
type pair struct {
	*contest
	sides    [2]*lineup.Virtual
	verdicts bool
	row      *Row
	admitted [2]int64
	lastUS   int64
}

// play sends all requests past both sides.
func (p *pair) play(ctx context.Context) error {
	requests := make([]limit.Request, 0, inBatch)
	for q, err := range p.traffic.Requests() {
		if err != nil {
			return &replay.TrafficError{Err: err}
		}
		requests = append(requests, q)
		if len(requests) == inBatch {
			if err := p.decide(ctx, requests); err != nil {
				return err
			}
			requests = requests[:0]
		}
	}
	return p.decide(ctx, requests)
}

// decide has both sides decide a batch, at the same time, and compares.
func (p *pair) decide(ctx context.Context, requests []limit.Request) error {
	if len(requests) == 0 {
		return nil
	}
	var decisions [2][]limit.Decision
	group, ctx := errgroup.WithContext(ctx)
	for i, v := range p.sides {
		decisions[i] = make([]limit.Decision, len(requests))
		group.Go(func() error {
			if err := v.Decide(ctx, requests, decisions[i]); err != nil {
				return &replay.LaneError{Label: sideNames[i], Err: err}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, q := range requests {
		p.judge(q, decisions[base][i], decisions[head][i])
	}
	p.lastUS = requests[len(requests)-1].AtUS
	return nil
}

// judge compares what the two sides answer to a request.
func (p *pair) judge(q limit.Request, was, is limit.Decision) {
	p.row.Requests++
	for i, d := range []limit.Decision{was, is} {
		if d.Verdict == limit.Allowed {
			p.admitted[i]++
		}
	}
	first := false
	switch {
	case was.Verdict != is.Verdict || was.DelayUS != is.DelayUS:
		p.row.DecidedOtherwise++
		first = p.row.DecidedOtherwise == 1
	case !p.verdicts && (was.Remaining != is.Remaining || was.RetryAfterUS != is.RetryAfterUS):
		p.row.ToldOtherwise++
		first = p.row.ToldOtherwise == 1 && p.row.DecidedOtherwise == 0
	}
	if first {
		p.row.First = &Difference{Number: p.row.Requests, AtUS: q.AtUS, Key: q.Key, Cost: q.Cost, Base: answer(was),
			Head: answer(is)}
	}
}

func answer(d limit.Decision) Answer {
	return Answer{Allowed: int(d.Verdict), Remaining: d.Remaining, RetryAfterUS: d.RetryAfterUS, DelayUS: d.DelayUS}
}

// document is what there is before anything is compared.
func (j *Job) document(contests []*contest) *Document {
	doc := &Document{SchemaVersion: result.Change.Version, Kind: result.Change.Kind,
		Tool: result.Tool{Name: "simulate", Version: j.Version}, Verdicts: j.Verdicts, Work: j.Work,
		Base: Side{Name: j.Base.Name}, Head: Side{Name: j.Head.Name}, Rows: []Row{}, Notes: []string{}}
	for _, c := range contests {
		if c.skipped == "" {
			doc.Base.ScriptSHA1 = script.SHA1(c.sides[base].Program.Source)
			doc.Head.ScriptSHA1 = script.SHA1(c.sides[head].Program.Source)
			break
		}
	}
	return doc
}
