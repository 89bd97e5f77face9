// Package cost counts what a decision costs a server: instructions, calls of its allocator, Redis commands, replicated
// bytes and memory, for each path through a script. A path is a state of the key and a limit.
//
// Two servers of the same program take part, both our own. One is native: on it, histories are decided in virtual time,
// which makes a path's state. The other runs under callgrind: it is given copies of that state, and then the requests
// that count, by the script as it is deployed. So the history of a day costs nothing, and no line of a wrapper is
// counted. Each reply is compared with what virtual time decides: a path that was not taken is an error.
package cost

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"ratelab/internal/callgrind"
	"ratelab/internal/costresult"
	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/redisserver"
	"ratelab/internal/replay"
	"ratelab/internal/result"
	"ratelab/internal/script"
	"ratelab/internal/waiting"
)

// Subject is a script, or one version of a script: several may differ in their source alone.
type Subject struct {
	Label string
	Under func(limit.Policy) (*lineup.Entry, error) // what it is under a limit
}

// Job is what is to be counted.
type Job struct {
	Subjects []Subject      // besides the control
	Limits   []limit.Policy // the first is the scenario's own
	States   []string       // nil: all
	InTurns  bool           // the subjects are to be compared with each other: see turn
	Server   string         // process or container, with a program or an image
	Version  string         // of the tool

	Now      func() time.Time
	Sleep    func(context.Context, time.Duration) error
	Stop     <-chan struct{}
	Progress func(where string, done, total int)
}

// InputError is what is wrong with the job.
type InputError = lineup.InputError

// run is a job under way.
type run struct {
	*Job
	counted     *callgrind.Server
	stage       *stage
	rows        [][]*lineup.Entry // by subject and limit
	doc         costresult.Document
	done, total int
	unseen      int64         // scripts that the server's statistics leave out: see align
	lead        time.Duration // how long before its instant a path is prepared
}

// errStopped ends what was under way when the job was told to stop.
var errStopped = errors.New("stopped")

// Run counts everything, or as much as there is time for until the job is told to stop: then the document is partial.
// Errors are an *InputError, a *callgrind.Missing, a *WrongPath, or those of the servers.
func (j *Job) Run(ctx context.Context) (*costresult.Document, error) {
	r := &run{Job: j, lead: leastLead}
	if err := r.enter(); err != nil {
		return nil, err
	}
	ctx, cancel := waiting.Of(ctx).Context(ctx)
	defer cancel()
	err := r.run(ctx)
	if waiting.Closed(j.Stop) && len(r.doc.Rows) > 0 && err != nil {
		r.doc.Partial, err = true, nil
	}
	if err != nil {
		return nil, err
	}
	return &r.doc, nil
}

// enter makes the entries, under every limit.
func (r *run) enter() error {
	var wrong lineup.Problems
	checkServer(r.Server, &wrong)
	r.rows = nil
	seen := map[string]bool{}
	for _, s := range append([]Subject{Control()}, r.Subjects...) {
		var row []*lineup.Entry
		for _, p := range r.Limits {
			e, err := s.Under(p)
			if err != nil {
				wrong.Bad(err)
				continue
			}
			e.Label = cmp.Or(s.Label, e.Label)
			row = append(row, e)
		}
		if len(row) == 0 {
			continue
		}
		if seen[row[0].Label] {
			wrong.Bad(fmt.Errorf("there would be two rows named %q; give the script another name in its binding",
				row[0].Label))
		}
		seen[row[0].Label] = true
		r.rows = append(r.rows, row)
	}
	return wrong.Err()
}

// run starts the servers, and ends them.
func (r *run) run(ctx context.Context) (err error) {
	if err := r.try(ctx); err != nil {
		return err
	}
	if r.counted, err = callgrind.Start(ctx, r.Server); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.counted.Close()) }()
	clock := replay.Clock{Now: r.Now, Sleep: r.Sleep}
	if r.stage, err = openStage(ctx, r.Server, clock); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.stage.close(ctx)) }()
	r.describe()
	if err := r.furnish(ctx); err != nil {
		return redisserver.Explain(err, r.counted.Server)
	}
	r.total = 1 + (len(r.rows)-1)*len(r.Limits)*len(r.states())
	return r.countAll(ctx)
}

// try lets users' scripts decide on a private server that is bounded, before anything waits for their replies.
func (r *run) try(ctx context.Context) error {
	var own []*lineup.Entry
	for _, row := range r.rows {
		if row[0].Program.Foreign {
			own = append(own, row[0])
		}
	}
	if len(own) == 0 {
		return nil
	}
	requests := make([]limit.Request, lineup.TrialRequests)
	for i := range requests {
		requests[i] = limit.Request{AtUS: int64(i), Key: template, Cost: 1}
	}
	return lineup.Try(ctx, own, r.Server, r.Now(), requests, replay.Clock{Now: r.Now, Sleep: r.Sleep})
}

func (r *run) describe() {
	s := r.counted
	r.doc = costresult.Document{
		SchemaVersion: result.Cost.Version, Kind: result.Cost.Kind,
		Tool:   result.Tool{Name: "bench", Version: r.Version},
		Server: result.Server{Kind: s.Kind, Name: s.Name, Version: s.Version, Transport: s.Transport},
		Image:  redisserver.Image(r.Server), Valgrind: s.Valgrind, Architecture: runtime.GOARCH,
	}
}

func (r *run) states() []string {
	if r.States == nil {
		return costresult.States()
	}
	return r.States
}

// countAll counts the control, and then the subjects: each by itself, or in turns. A row is in the document as soon as
// its first path is to be counted.
func (r *run) countAll(ctx context.Context) error {
	if err := r.countRows(ctx, r.rows[:1], r.Limits[:1], []string{costresult.Any}); err != nil {
		return err
	}
	subjects := r.rows[1:]
	if r.InTurns {
		return r.countRows(ctx, subjects, r.Limits, r.states())
	}
	for i := range subjects {
		if err := r.countRows(ctx, subjects[i:i+1], r.Limits, r.states()); err != nil {
			return err
		}
	}
	return nil
}

// countRows counts rows path by path, in one Lua.
func (r *run) countRows(ctx context.Context, rows [][]*lineup.Entry, limits []limit.Policy, states []string) error {
	if err := r.counted.Client.ScriptFlush(ctx).Err(); err != nil {
		return err
	}
	first := len(r.doc.Rows)
	for _, row := range rows {
		r.doc.Rows = append(r.doc.Rows, costresult.Row{Algorithm: row[0].Label, Parameters: row[0].Parameters,
			ScriptSHA1: script.SHA1(row[0].Program.Source)})
		if err := r.warm(ctx, row[0]); err != nil {
			return err
		}
	}
	to := r.doc.Rows[first:]
	for i := range limits {
		for _, state := range states {
			var all []*turn
			for n, row := range rows {
				all = append(all, newTurn(&to[n], row[i], state))
			}
			if err := r.countPath(ctx, all); err != nil {
				return err
			}
		}
	}
	for n := range to {
		to[n].Missing = joined(to[n].Missing, len(limits))
	}
	return nil
}

// joined is a row's missing paths, those that are missing under every limit for one reason told once.
func joined(all []costresult.Missing, limits int) []costresult.Missing {
	var out []costresult.Missing
	for _, m := range all {
		n := 0
		for _, o := range all {
			if o.State == m.State && o.Reason == m.Reason {
				n++
			}
		}
		if n == limits {
			m.Limit = nil
		}
		if !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}

// Check resolves every name of the job and runs nothing; its error is an *InputError with everything that is wrong.
func (j *Job) Check() error { return (&run{Job: j}).enter() }

// checkServer refuses the servers whose instructions cannot be counted, and those that others use.
func checkServer(spec string, wrong *lineup.Problems) {
	const instead = "take --redis process or --redis container"
	kind, _, _ := strings.Cut(spec, "=")
	switch {
	case spec == redisserver.KindEmbedded || spec == "model":
		wrong.Bad(fmt.Errorf("--redis %s: it is no redis-server, and its instructions say nothing about one; %s", spec,
			instead))
	case strings.Contains(spec, "://") && kind != redisserver.KindContainer && kind != redisserver.KindProcess:
		wrong.Bad(fmt.Errorf("--redis: a server that runs already cannot be counted, and others may use it; %s",
			instead))
	}
}
