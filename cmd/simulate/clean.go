package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ratelab/internal/alive"
	"ratelab/internal/commandline"
	"ratelab/internal/message"
	"ratelab/internal/redisserver"
	"ratelab/internal/registry"
	"ratelab/internal/waiting"
)

// guestKinds are the values of --redis for which there is something to clean.
const guestKinds = "redis://HOST:PORT, rediss://HOST:PORT or unix:///SOCKET"

const aboutClean = `Delete what runs that were killed left on your server.

A run on a server that others use too begins each of its keys with ratelab: and an id of its own,
and deletes them at its end. While it lives it is in the server's registry, the keys ratelab:runs
and ratelab:run:ID, with its host, its process and the time until which it promises to live. One
that was killed deletes nothing; its keys expire by and by, and the next run of simulate or bench on
that server deletes them first. This command does so at once, and shows what there is.

A run is dead when its process has ended, as far as that can be seen from here, and otherwise when
its time has passed by the server's clock, at most five minutes after its last sign of life. Keys of
living runs, and all that does not begin with ratelab: and a dead run's id, stay.`

const examplesClean = `  simulate clean --redis redis://staging:6379 --dry-run   show what dead runs left
  simulate clean --redis redis://staging:6379             delete it
  simulate clean --redis redis://staging:6379 --all       also what no registry knows of`

const closingClean = `Without anything to delete it says so, and that is no error. It goes through the server's keys with
SCAN in steps of a millisecond or so; Ctrl-C ends it in between, and what is left is there for the
next time.

Exit codes: 0 ok · 2 usage · 3 no server, or a call that failed · 130 interrupted.
`

// cleanFlags are those of clean.
type cleanFlags struct {
	*commandline.Groups
	redis  string
	dryRun bool
	all    bool
}

func (f *cleanFlags) register(c *cobra.Command) {
	f.Groups = commandline.NewGroups(c)
	f.Add("What to clean", func(fs *pflag.FlagSet) {
		fs.StringVar(&f.redis, "redis", "", "`SERVER`: "+guestKinds+"; needed")
		fs.BoolVar(&f.all, "all", false,
			"also keys of runs that are not in the registry, because its entry has expired or an\n"+
				"older version wrote them: be sure that none of those runs")
		fs.BoolVar(&f.dryRun, "dry-run", false, "show it, and delete nothing")
	})
	f.Complete(c, map[string][]string{"redis": {"redis://"}})
}

// check refuses servers on which nothing is ever left.
func (f *cleanFlags) check() error {
	if err := f.Empty(); err != nil {
		return err
	}
	kind, _, _ := strings.Cut(f.redis, "=")
	switch {
	case f.redis == "":
		return commandline.Usage("clean: say with --redis which server; want %s", guestKinds)
	case slices.Contains([]string{redisserver.KindEmbedded, redisserver.KindProcess, redisserver.KindContainer,
		"model"}, kind):
		return commandline.Usage("--redis %s: ends with its run, and leaves nothing to clean; want %s", kind,
			guestKinds)
	}
	return nil
}

// clean deletes what dead runs left.
func (a *app) clean() *cobra.Command {
	var f cleanFlags
	c := &cobra.Command{
		Use:     "clean --redis SERVER [flags]",
		Short:   "Delete what runs that were killed left on your server",
		Long:    aboutClean,
		Example: examplesClean,
		Args:    commandline.NoArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.cleanServer(cmd.Context(), &f) },
	}
	c.DisableFlagsInUseLine = true
	f.register(c)
	commandline.Help(c, f.Groups, closingClean)
	return c
}

// cleanServer shows what there is to clean, deletes it, and prints what became of it.
func (a *app) cleanServer(ctx context.Context, f *cleanFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	ctx, cancel := waiting.Of(ctx).Context(ctx)
	defer cancel()
	s, err := redisserver.Start(ctx, f.redis, redisserver.WithoutEntry())
	if err != nil {
		return a.endOf(commandline.ServerFlag(err, "redis", guestKinds))
	}
	defer s.Close()
	found, err := find(ctx, s, f.all)
	if err != nil {
		return a.endOf(redisserver.Explain(err, s))
	}
	remove := registry.Clean
	if f.dryRun {
		remove = registry.Count
	}
	keys, err := remove(ctx, s.Client, found.dead)
	if printed := commandline.Print(a.Stdout, found.report(keys, f.dryRun, err != nil)); printed != nil {
		return fmt.Errorf("standard output: %w", printed)
	}
	return a.endOf(redisserver.Explain(err, s))
}

// endOf is err, as an interrupt where that has caused it.
func (a *app) endOf(err error) error {
	if errors.Is(err, context.Canceled) && a.stopped() {
		return commandline.ErrInterrupted
	}
	return err
}

// remains are the dead runs of a server, and how many living ones there are.
type remains struct {
	dead  []registry.Run
	alive int
}

// find looks into the registry, and, if all, for keys that are not in it.
func find(ctx context.Context, s *redisserver.Server, all bool) (remains, error) {
	runs, now, err := registry.Runs(ctx, s.Client)
	var found remains
	for _, r := range runs {
		if r.Dead(now) {
			found.dead = append(found.dead, r)
		} else {
			found.alive++
		}
	}
	if err == nil && all {
		var strays []registry.Run
		strays, err = registry.Strays(ctx, s.Client)
		found.dead = append(found.dead, strays...)
	}
	return found, err
}

// report is a table of the dead runs with their keys, and a line on what was done.
func (m remains) report(keys map[string]int64, dryRun, unfinished bool) string {
	living := ""
	if m.alive > 0 {
		living = fmt.Sprintf("; %s alive, whose keys stay", isOrAre(m.alive))
	}
	if len(m.dead) == 0 {
		return "nothing to clean" + living + "\n"
	}
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "run\thost\tprocess\tprogram\tbegan (UTC)\tlast alive (UTC)\tkeys")
	var sum int64
	for _, r := range m.dead {
		sum += keys[r.ID]
		fmt.Fprintf(t, "%s\t%d\n", strings.Join(described(r), "\t"), keys[r.ID])
	}
	t.Flush() // into memory
	what := "deleted"
	switch {
	case dryRun:
		what = "would be deleted:"
	case unfinished:
		what = "not finished: deleted"
	}
	fmt.Fprintf(&b, "%s %s of %s%s\n", what, message.Count(sum, "key"), message.Count(int64(len(m.dead)), "dead run"),
		living)
	return b.String()
}

// described are the columns before the keys. Of a run that is not in the registry nothing is known.
func described(r registry.Run) []string {
	columns := []string{r.ID, "-", "-", "-", "-", "-"}
	if r.Process != (alive.Process{}) {
		columns[1], columns[2], columns[3] = message.Bare(r.Host), strconv.Itoa(r.Process.PID), message.Bare(r.Program)
	}
	if !r.Began.IsZero() {
		columns[4] = r.Began.UTC().Format(time.DateTime)
	}
	if !r.End.IsZero() {
		columns[5] = r.LastSeen().UTC().Format(time.DateTime)
	}
	return columns
}

func isOrAre(runs int) string {
	if runs == 1 {
		return "1 run is"
	}
	return fmt.Sprintf("%d runs are", runs)
}
