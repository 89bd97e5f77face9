package main

import (
	"slices"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"ratelab/internal/bench"
	"ratelab/internal/cli"
	"ratelab/internal/load"
)

// jobOf is the job that a command line asks for, and the names of its scenarios.
func jobOf(t *testing.T, args ...string) (*bench.Job, []string) {
	t.Helper()
	var f runFlags
	c := &cobra.Command{}
	f.register(c, cli.Streams{})
	if err := c.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	job, err := f.job(t.Context(), c.Flags().Args())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range job.Scenarios {
		names = append(names, s.Name)
	}
	return job, names
}

// What no flag says is as the package that measures would have it.
func TestDefaults(t *testing.T) {
	job, names := jobOf(t)
	if !slices.Equal(names, []string{"extreme-case-1"}) || job.Algorithms != nil || job.Server != "" ||
		job.Limit != nil || job.Seed != nil {
		t.Errorf("%v %v %q %v %v", names, job.Algorithms, job.Server, job.Limit, job.Seed)
	}
	if job.Rounds != bench.DefaultRounds || job.Wish != (load.Wish{}) || job.WarmUp != bench.DefaultWarmUp ||
		job.Connections != bench.DefaultConnections || job.RepeatInvalid != 0 {
		t.Errorf("%+v", job)
	}
	if err := job.Check(); err != nil || job.Saturate {
		t.Error(err, job.Saturate)
	}
}

// Every flag reaches the job.
func TestFlagsReachTheJob(t *testing.T) {
	job, names := jobOf(t, "poisson", "-a", "gcra:burst=5", "--redis", "process", "--seed", "7", "--limit", "3/1s",
		"--burst", "2", "--script", "mine.lua",
		"--rounds", "9", "--for", "3s", "--warm-up", "0s", "--connections", "6", "--repeat-invalid", "4", "--saturate")
	if !slices.Equal(names, []string{"poisson"}) || len(job.Algorithms) != 1 ||
		job.Algorithms[0].Label != "gcra:burst=5" || !slices.Equal(job.Scripts, []string{"mine.lua"}) {
		t.Errorf("%v %v %v", names, job.Algorithms, job.Scripts)
	}
	if job.Server != "process" || *job.Seed != 7 || job.Limit.Requests != 3 || job.Limit.Burst != 2 {
		t.Errorf("%q %v %v", job.Server, *job.Seed, job.Limit)
	}
	if job.Rounds != 9 || job.Wish.For != 3*time.Second || job.WarmUp != 0 || job.Connections != 6 ||
		job.RepeatInvalid != 4 || !job.Saturate {
		t.Errorf("%+v", job)
	}
}

// The quick run has another scenario, which it plays whole: its limit is that of the scenario.
func TestQuick(t *testing.T) {
	job, names := jobOf(t, "--quick")
	if !slices.Equal(names, []string{"ten-times-over"}) || job.Algorithms != nil || job.Rounds != 2 ||
		job.Wish != (load.Wish{}) || job.Limit != nil {
		t.Errorf("%v %+v", names, job)
	}
	job, names = jobOf(t, "poisson", "--quick", "--rounds", "4")
	if !slices.Equal(names, []string{"poisson"}) || job.Rounds != 4 || job.Wish != (load.Wish{}) {
		t.Errorf("%v %+v", names, job)
	}
}
