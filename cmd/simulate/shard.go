package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"ratelab/internal/atomicfile"
	"ratelab/internal/commandline"
	"ratelab/internal/message"
	"ratelab/internal/result"
	"ratelab/internal/simulate"
)

// ofTheWhole are flags about what is made of all shards together.
var ofTheWhole = []string{"format", "columns", "charts", "all", "bench", "decisions"}

// checkShard refuses what a shard alone cannot have.
func (f *flags) checkShard() error {
	for _, name := range ofTheWhole {
		if f.shard.Of > 0 && f.FirstGiven(func(given string) bool { return given == name }) != "" {
			if name == "decisions" || name == "bench" {
				return commandline.Usage("--%s: goes with a whole run, and not with --shard", name)
			}
			return commandline.Usage("--%s: goes with simulate merge, which puts the shards together, and not with "+
				"--shard", name)
		}
	}
	return nil
}

// shard does the job for one shard of its keys. Its file is written whole or not at all.
func (a *app) shard(ctx context.Context, f *flags, args []string, job *simulate.Job) error {
	name := fmt.Sprintf("shard-%d-of-%d.json", f.shard.Number, f.shard.Of)
	if err := commandline.RefuseForeign("--out", f.Folder, name); err != nil {
		return err
	}
	giveBack, err := commandline.MakeFolder("--out", f.Folder)
	if err != nil {
		return err
	}
	bar := a.NewBar(f.Quiet)
	job.Progress = progressOf(bar, job.Scenarios)
	part, err := job.RunPart(ctx, f.shard.Shard)
	bar.Finish()
	if err != nil {
		giveBack()
		if errors.Is(err, simulate.ErrStopped) {
			return fmt.Errorf("%w: %s was not written", commandline.ErrInterrupted,
				message.Path(filepath.Join(f.Folder, name)))
		}
		return err
	}
	part.Command = f.again(args)
	if err := commandline.RefuseForeign("--out", f.Folder, name); err != nil { // it came during the run
		return err
	}
	path := filepath.Join(f.Folder, name)
	write := func(w io.Writer) error { return result.WriteSealed(w, part) }
	if err := atomicfile.Write(path, write); err != nil {
		return commandline.Exit(commandline.ExitHarness, fmt.Errorf("--out: %w", err))
	}
	if !f.Quiet {
		fmt.Fprintf(a.Stderr, "simulate: %s is shard %v; simulate merge makes one result of all %d\n",
			message.Path(path), f.shard.Shard, f.shard.Of)
	}
	return nil
}
