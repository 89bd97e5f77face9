package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"

	"ratelab/internal/atomicfile"
	"ratelab/internal/bench"
	"ratelab/internal/benchresult"
	"ratelab/internal/commandline"
	"ratelab/internal/meeting"
	"ratelab/internal/message"
)

// defaultRun is the name of a run of shards where none is given.
const defaultRun = "default"

// runName is what a run of shards may be called.
var runName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)

// ofTheLoop are flags of the closed loops, and ofTheWhole are those about what is made of all shards together.
var (
	ofTheLoop  = []string{"segment", "sweep", "no-sweep", "no-memory"}
	ofTheWhole = []string{"format", "charts"}
)

// checkShard refuses what does not go with --shard, and what goes with it alone.
func (f *runFlags) checkShard() error {
	if f.shard.Of == 0 {
		for _, name := range []string{"run", "wait"} {
			if f.Given(name) {
				return commandline.Usage("--%s: goes with --shard", name)
			}
		}
		return nil
	}
	for _, name := range ofTheLoop {
		if f.Given(name) {
			return commandline.Usage("--%s: is of the closed loops, in which each call waits for the one before, so "+
				"that nothing can be dealt to shards; leave it out, or --shard", name)
		}
	}
	for _, name := range ofTheWhole {
		if f.Given(name) {
			return commandline.Usage("--%s: goes with bench merge, which puts the shards together, and not with "+
				"--shard", name)
		}
	}
	if !runName.MatchString(f.run) {
		return commandline.Usage("--run %s: want letters, digits, ., _ and -, such as the job's name",
			message.Quote(f.run))
	}
	return nil
}

// shardFile is the name of a shard's file.
func shardFile(s commandline.Shard) string {
	return fmt.Sprintf("bench-shard-%d-of-%d.json", s.Number, s.Of)
}

// measureShard does the job for one shard. Its file is written whole or not at all.
func (a *app) measureShard(ctx context.Context, f *runFlags, job *bench.Job) error {
	job.Shard, job.Meeting, job.Wait = f.shard.Shard, f.run, f.wait.Value
	if err := job.CheckShard(); err != nil {
		return err
	}
	name := shardFile(f.shard)
	path := filepath.Join(f.Folder, name)
	if err := commandline.RefuseForeign("--out", f.Folder, name); err != nil {
		return err
	}
	giveBack, err := commandline.MakeFolder("--out", f.Folder)
	if err != nil {
		return err
	}
	part, err := watched(a, f.Quiet, func(p bench.Progress) (*benchresult.Part, error) {
		job.Progress, job.Notice = p, a.Notices("bench", f.Quiet)
		return job.RunShard(ctx)
	})
	if err != nil {
		giveBack()
		return a.shardFault(err, path)
	}
	if err := commandline.RefuseForeign("--out", f.Folder, name); err != nil { // it came during the run
		return err
	}
	write := func(w io.Writer) error { return benchresult.WritePart(w, part) }
	if err := atomicfile.Write(path, write); err != nil {
		return commandline.Exit(commandline.ExitHarness, fmt.Errorf("--out: %w", err))
	}
	if !f.Quiet {
		fmt.Fprintf(a.Stderr, "bench: %s is shard %v; bench merge makes one result of all %d\n", message.Path(path),
			f.shard.Shard, f.shard.Of)
	}
	return invalid(part.Validity)
}

// shardFault words why there is no part.
func (a *app) shardFault(err error, path string) error {
	var refused *meeting.Refusal
	switch {
	case errors.Is(err, bench.ErrShardStopped):
		return fmt.Errorf("%w: %s was not written, and the other shards give up", commandline.ErrInterrupted,
			message.Path(path))
	case errors.As(err, &refused):
		return commandline.Usage("--shard: %w", err)
	}
	if err = serverFault(err); commandline.ExitCode(err) == commandline.ExitHarness {
		// a server of its own would not do
		text := strings.Replace(err.Error(), ", or let --redis process (redis-server on PATH) or --redis container "+
			"(Docker) do it", "", 1)
		return commandline.Exit(commandline.ExitHarness, errors.New(text))
	}
	return err
}
