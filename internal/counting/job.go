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

// Job describes what to count. Several limiters are compared with each other.
type Job struct {
	Limiters []*limiter.Spec // may differ only in their source
	Limits   []limit.Policy  // the first is the scenario's own
	States   []string        // nil: all
	Server   string          // process or container, with a program or an image
	Within   time.Duration   // the time for the paths of one limit; later paths are left out; 0: any time

	replay.Clock
	Progress func(where string, done, total int)
}

// Counted has the instructions and commands of the limiters' decisions, for each path.
type Counted struct {
	Kind  string // of the server, as in package redis
	Paths []Path
}

// Path is one way through the scripts: a state of the key under a limit.
type Path struct {
	State string
	Limit result.Limit
	Name  string    // the state, and the limit if there are several
	Of    []Figures // one per limiter
}

// Figures are means over the counted decisions. The round with the fewest instructions counts.
type Figures struct {
	Missing   string // why there are no figures
	Uncounted bool   // the script may have this path, but counting failed

	Instructions float64 // of the whole server, from reading the request to writing the reply
	Commands     float64 // issued by the script
	BytesPerKey  *int64  // of the key with its name, after the decisions; nil if there is no key
}

// counter is a job in progress.
type counter struct {
	*Job
	counted  *server
	native   *redis.Server // makes the states
	found    Counted
	done     int
	unseen   int64         // scripts that are missing in the server's statistics: see align
	lead     time.Duration // how long before its instant a path is prepared
	late     int           // consecutive attempts whose requests came too late
	deadline time.Time     // when the time for the paths of the current limit ends
}

// Run counts everything. It returns a *Missing, message.ErrInterrupted, an error of limiter.Spec.At, or an error of a
// server.
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

// run starts the servers, counts, and stops the servers.
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
	if err := r.fill(ctx); err != nil {
		return redis.Explain(err, r.counted.Server)
	}
	for i, policy := range r.Limits {
		limiters, changed := make([]*limiter.Limiter, len(r.Limiters)), make([]*limiter.Limiter, len(r.Limiters))
		for n, s := range r.Limiters {
			if limiters[n], err = s.At(policy); err == nil && i == 0 {
				err = r.warm(ctx, limiters[n])
			}
			changed[n], _ = s.At(limiter.Changed(policy)) // nil: there is no such limit
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

// The compared limiters take turns on each path. So slow changes of the server affect all of them equally. All of them
// are counted over the same number of decisions.
//
// They are counted in two rounds. There is a third round if two counts are neither as close as two counts of the same
// script nor clearly different. The least count of each limiter is used, because disturbances, such as a growing
// allocator, only add instructions.
const (
	near        = 0.004
	far         = 0.1
	leastRounds = 2
	mostRounds  = 3
)

// If the requests are too late, the limiter is counted again. After each patient attempts in a row, the number of
// copies of the key is halved, and all limiters start again. After attempts in a row, the path is not counted.
const (
	patient  = 3
	attempts = 20
)

// countPath counts a path for all limiters that have it. For the other limiters, it records the reason.
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

// timeIsOver reports whether the time for the paths of the current limit has ended.
func (r *counter) timeIsOver() bool { return r.Within > 0 && !r.Now().Before(r.deadline) }

// rounds counts all limiters that have the path, until the counts are clear. Each round reverses the order. If a count
// fails, rounds returns its path and the error.
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

// inTime counts a path once for one limiter. If the requests are too late, it tries again, and keeps the earlier
// counts. It returns the error if fewer copies of the key may help.
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

// clear reports whether each two neighbouring counts are either near each other or far apart.
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

// note records the figures of a path. keys is the number of copies of the key over which it was counted.
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

// CheckServer adds an error for a server whose instructions cannot be counted, or that already runs.
func CheckServer(spec string, wrong *run.Problems) {
	const instead = "use --redis process or --redis container"
	kind, _, _ := strings.Cut(spec, "=")
	switch {
	case spec == redis.KindEmbedded || spec == run.ModelServer:
		wrong.Bad(fmt.Errorf("--redis %s: not a redis-server, so its instructions say nothing about one; %s", spec,
			instead))
	case strings.Contains(spec, "://") && kind != redis.KindContainer && kind != redis.KindProcess:
		wrong.Bad(fmt.Errorf("--redis: the instructions of a server that already runs cannot be counted; %s",
			instead))
	}
}
