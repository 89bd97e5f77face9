package counting

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/limiter"
	"ratelab/internal/redis"
	"ratelab/internal/replay"
	"ratelab/internal/result"
	"ratelab/internal/run"
)

// Job is what is to be counted. Several limiters are compared with each other.
type Job struct {
	Limiters []*limiter.Spec // several may differ in their source alone
	Limits   []limit.Policy  // the first is the scenario's own
	States   []string        // nil: all
	Server   string          // process or container, with a program or an image
	Within   time.Duration   // for the paths of a limit; those that are not counted then are left out; 0: no bound

	replay.Clock
	Progress func(where string, done, total int)
}

// Counted is what decisions of the limiters take, counted on each path.
type Counted struct {
	Kind  string // of the server, as in package redis
	Paths []Path
}

// Path is a way through scripts: the state of a key, under a limit.
type Path struct {
	State string
	Limit result.Limit
	Name  string    // of the path: its state, and its limit where there are several
	Of    []Figures // of each limiter
}

// Figures are means over the decisions that were counted, of several rounds those of the least count.
type Figures struct {
	Missing   string // why there are none
	Uncounted bool   // the script may have the path, but it could not be counted

	Instructions float64 // of the whole server, from reading the request to writing the reply
	Commands     float64 // that the script issues
	BytesPerKey  *int64  // of the key with its name, after the decisions; nil where there is none
}

// counter is a job under way.
type counter struct {
	*Job
	counted  *server
	native   *redis.Server // on it states are made
	found    Counted
	done     int
	unseen   int64         // scripts that the server's statistics leave out: see align
	lead     time.Duration // how long before its instant a path is prepared
	late     int           // attempts whose requests came too late, since one that did not
	deadline time.Time     // when the time for the paths of a limit is over
}

// Run counts everything. Errors are a *Missing, message.ErrInterrupted, those of limiter.Spec.At, or those of the
// servers.
func (j *Job) Run(ctx context.Context) (*Counted, error) {
	r := &counter{Job: j, lead: leastLead}
	if r.States == nil {
		r.States = States()
	}
	if err := r.run(ctx); err != nil {
		return nil, cmp.Or(context.Cause(ctx), err)
	}
	return &r.found, nil
}

// run starts the servers, counts, and ends them.
func (r *counter) run(ctx context.Context) (err error) {
	if r.counted, err = start(ctx, r.Server); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.counted.Close()) }()
	if r.native, err = redis.Start(ctx, r.Server, redis.WithDirectTransport()); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.native.Close()) }()
	r.found.Kind = r.counted.Kind
	if err := r.furnish(ctx); err != nil {
		return redis.Explain(err, r.counted.Server)
	}
	for i, policy := range r.Limits {
		limiters, changed := make([]*limiter.Limiter, len(r.Limiters)), make([]*limiter.Limiter, len(r.Limiters))
		for n, s := range r.Limiters {
			if limiters[n], err = s.At(policy); err == nil && i == 0 {
				err = r.warm(ctx, limiters[n])
			}
			changed[n], _ = s.At(limiter.Changed(policy)) // nil: it has no such limit
			if err != nil {
				return err
			}
		}
		r.deadline = r.Now().Add(r.Within)
		for _, state := range r.States {
			if err := r.countPath(ctx, limiters, changed, state); err != nil {
				return err
			}
		}
	}
	return nil
}

// Rows that are compared take turns, path by path: what differs from one minute of a server to the next is the same for
// all of them then, and each is counted over as many decisions.
//
// Rows that are compared are counted in two rounds, and in a third where they are neither as near to each other as a
// script is to itself, nor so far apart that there is no doubt. The least of each row's counts is taken: what comes
// between, such as an allocator that has to grow, takes more instructions and never less.
const (
	near        = 0.004
	far         = 0.1
	leastRounds = 2
	mostRounds  = 3
)

// A row whose requests came too late is counted again; after so many times in a row over half as many copies of a key,
// which takes all rows anew, and after so many attempts in a row not at all.
const (
	patient  = 3
	attempts = 20
)

// countPath counts a path of all rows that have it, and notes why the others have no figures.
func (r *counter) countPath(ctx context.Context, limiters, changed []*limiter.Limiter, state string) error {
	where := fmt.Sprintf("%s at %v", state, limiters[0].Policy)
	if r.Progress != nil {
		r.Progress("instructions of "+where, r.done, len(r.Limits)*len(r.States))
	}
	r.done++
	all := make([]*path, len(limiters))
	keys := decisions
	for i, e := range limiters {
		all[i] = pathOf(e, changed[i], state)
		keys = min(keys, all[i].keys)
		if r.timeIsOver() && all[i].Missing == "" {
			all[i].Figures = Figures{Missing: fmt.Sprintf("--within %v was over", r.Within), Uncounted: true}
		}
	}
	for r.late = 0; ; {
		failed, err := r.rounds(ctx, all, keys)
		switch {
		case err == nil:
			r.note(all, state, keys)
			return nil
		case errors.Is(err, errDisturbed) && r.unseen < mostUnseen:
		case failed.tooLate(err) && r.late < attempts && !r.timeIsOver():
			keys = max(1, keys/2)
		case errors.Is(err, errWrong), errors.Is(err, errLate), errors.Is(err, errDisturbed):
			failed.Figures = Figures{Missing: err.Error(), Uncounted: true}
		case errors.Is(err, context.Canceled):
			return err
		default:
			return fmt.Errorf("%s, %s: %w", r.Limiters[slices.Index(all, failed)].Name, where, err)
		}
	}
}

// timeIsOver reports whether the time for the paths of this limit is over.
func (r *counter) timeIsOver() bool { return r.Within > 0 && !r.Now().Before(r.deadline) }

// rounds counts all rows that have the path, each round in the other order than the last, until that is enough. The
// error is that of the row that is told.
func (r *counter) rounds(ctx context.Context, all []*path, keys int) (*path, error) {
	for _, p := range all {
		p.counts = nil
	}
	for round := 1; ; round++ {
		there := slices.DeleteFunc(slices.Clone(all), func(p *path) bool { return p.Missing != "" })
		if round%2 == 0 {
			slices.Reverse(there)
		}
		for _, p := range there {
			if err := r.inTime(ctx, p, keys); err != nil {
				return p, err
			}
		}
		if len(there) < 2 || round == mostRounds || round == leastRounds && clear(there) {
			return nil, nil
		}
	}
}

// inTime counts a row's path once, and again where its requests came too late: what has been counted so far stays. It
// gives up where fewer copies of a key may help.
func (r *counter) inTime(ctx context.Context, p *path, keys int) error {
	for {
		err := r.attempt(ctx, p, keys)
		if !p.tooLate(err) {
			r.late = 0
			return err
		}
		if r.late++; r.late >= attempts || r.timeIsOver() || keys > 1 && r.late%patient == 0 {
			return err
		}
	}
}

// tooLate reports whether an attempt may have failed because the machine was too slow.
func (p *path) tooLate(err error) bool {
	return errors.Is(err, errLate) || errors.Is(err, errWrong) && p.clocked
}

// clear reports whether each row's count is near to the next larger one, or far from it.
func clear(all []*path) bool {
	var counts []float64
	for _, p := range all {
		if p.Missing == "" {
			counts = append(counts, slices.Min(p.counts))
		}
	}
	slices.Sort(counts)
	for i := 1; i < len(counts); i++ {
		if less, more := counts[i-1], counts[i]; more > less*(1+near) && more < less*(1+far) {
			return false
		}
	}
	return true
}

// note writes a path down that was counted over so many copies of a key.
func (r *counter) note(all []*path, state string, keys int) {
	found := Path{State: state, Limit: result.LimitOf(all[0].Policy), Name: state}
	if len(r.Limits) > 1 {
		found.Name += " at " + found.Limit.String()
	}
	for _, p := range all {
		if p.Missing == "" {
			p.Instructions = slices.Min(p.counts) / float64(keys*len(p.costs))
		}
		found.Of = append(found.Of, p.Figures)
	}
	r.found.Paths = append(r.found.Paths, found)
}

// CheckServer refuses the servers whose instructions cannot be counted, and those that are given.
func CheckServer(spec string, wrong *run.Problems) {
	const instead = "take --redis process or --redis container"
	kind, _, _ := strings.Cut(spec, "=")
	switch {
	case spec == redis.KindEmbedded || spec == run.ModelServer:
		wrong.Bad(fmt.Errorf("--redis %s: it is no redis-server, and its instructions say nothing about one; %s", spec,
			instead))
	case strings.Contains(spec, "://") && kind != redis.KindContainer && kind != redis.KindProcess:
		wrong.Bad(fmt.Errorf("--redis: a server that runs already cannot be counted, and others may use it; %s",
			instead))
	}
}
