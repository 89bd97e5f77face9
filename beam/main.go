package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3" // beamx imports the others
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ratelab/internal/accesslog"
	"ratelab/internal/atomicfile"
	"ratelab/internal/cli"
	"ratelab/internal/message"
	"ratelab/internal/report"
	"ratelab/internal/result"
)

// version is set by the linker.
var version = ""

const about = `Replay a log that outgrows one machine, on Apache Beam. The Go models decide, and the document is that of
simulate --redis model --trace. Lines are sorted by time however far apart they are; none is counted as late.
Exit codes: 0 ok, 1 an expectation missed, 2 usage or the log, 3 the runner, 130 interrupted.`

func main() {
	if slices.ContainsFunc(os.Args[1:], func(a string) bool { return a == "--worker" || a == "--worker=true" }) {
		flag.Parse()
		beam.Init() // does not return
	}
	os.Exit(program(cli.Interrupts(os.Exit), os.Args[1:], cli.Streams{Stdout: os.Stdout, Stderr: os.Stderr}))
}

// program runs the program with the given arguments and streams, and returns the exit code.
func program(ctx context.Context, args []string, s cli.Streams) int {
	return cli.Run(ctx, args, s, newRoot)
}

// app is the command with its flags.
type app struct {
	cli.Streams
	cli.Limiters
	cli.Traffic
	cli.Output
	shared string
	shards cli.Value[int]
	memory cli.Value[int64]
}

// shown are the flags of Beam that the help lists.
var shown = map[string]string{
	"runner":             "Beam's `RUNNER`: prism, flink, spark, dataflow or universal (default prism, in the process)",
	"endpoint":           "`HOST:PORT` of the runner's job service",
	"environment_type":   "where workers run: `LOOPBACK`, DOCKER, PROCESS or EXTERNAL",
	"environment_config": "`WHAT` runs there, such as an image",
	"parallelism":        "at most `N` tasks at once on Flink",
}

func newRoot(s cli.Streams) *cobra.Command {
	a := &app{Streams: s}
	c := &cobra.Command{Use: "ratelab-beam --trace GLOB --limit 100/1m", Version: cli.Version(version),
		Args: cobra.ArbitraryArgs, Long: about,
		RunE: func(c *cobra.Command, args []string) error { // a shell may have expanded a pattern
			a.Files = append(a.Files, args...)
			return a.play(c)
		}}
	a.AlgorithmsFlag(c)
	a.LimitFlags(c)
	a.Traffic.Register(c, s, false)
	fs := c.Flags()
	fs.StringVarP(&a.Folder, "out", "o", "results/latest", "`FOLDER` for result.json")
	a.ForceFlag(c)
	a.QuietFlag(c)
	fs.StringVar(&a.shared, "shared", "", "`FOLDER` such as gs://… to which workers can write (default that of --out)")
	a.shards, a.memory = cli.Count(0, 0, 1<<16), cli.Count[int64](1024, 1, 1<<20)
	fs.Var(&a.shards, "shards", "divide the keys into `N` shards (default by the log's size)")
	fs.Var(&a.memory, "shard-memory", "refuse a shard that takes more than `MB`")
	fs.Lookup("trace-skip").Hidden, fs.Lookup("trace-limit").Hidden = true, true // they are refused
	fs.AddGoFlagSet(flag.CommandLine)
	flag.CommandLine.VisitAll(func(f *flag.Flag) {
		about := shown[f.Name]
		fs.Lookup(f.Name).Usage, fs.Lookup(f.Name).Hidden = about, about == ""
	})
	return c
}

// play does the job.
func (a *app) play(c *cobra.Command) error {
	j, t, err := a.job(c.Context())
	if err == nil {
		err = cli.CheckFolder("--out", a.Folder, a.Force)
	}
	if err != nil {
		return err
	}
	files, requests, err := find(c.Context(), t, a.Files)
	if err != nil {
		return err
	}
	pieces, err := a.divide(j, files, requests)
	if err != nil {
		return err
	}
	if !a.Quiet {
		fmt.Fprintf(a.Stderr, "ratelab-beam: %s, about %s requests: %s, %s\n", message.Count(1+len(t.More), "file"),
			message.Grouped(requests), message.Count(len(pieces), "piece"), message.Count(j.Shards, "shard"))
	}
	// Prism keeps all batches several times, which takes about requestBytes per request.
	debug.SetGCPercent(int(min(max(40, 100*spareBytes/(requestBytes*requests+1)), 400)))
	doc, err := a.run(c, j, t, pieces)
	if err != nil {
		return err
	}
	err = os.MkdirAll(a.Folder, 0o755)
	if err == nil {
		err = atomicfile.Write(filepath.Join(a.Folder, "result.json"),
			func(w io.Writer) error { return result.Write(w, doc) })
	}
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	run := &doc.Runs[0]
	err = report.Simulated{}.WriteRun(a.Stdout, run, true, a.Terminal(a.Quiet))
	for _, e := range run.Expectations {
		if e.Met != nil && !*e.Met && err == nil {
			err = cli.Exit(cli.ExitMissed, fmt.Errorf("expectation missed: %s", report.Missed(e)))
		}
	}
	return err
}

// job returns the job that the flags describe, without the number of shards, and the format of the log.
func (a *app) job(ctx context.Context) (*Job, *accesslog.Trace, error) {
	if a.Files == nil || slices.Contains(a.Files, accesslog.StandardInput) {
		return nil, nil, cli.Usage("want files that workers can read: --trace 'logs/*.gz'")
	}
	choices, err := a.Choices()
	j := &Job{Version: cli.Version(version), BothRules: !a.ChoseRule()}
	for _, choice := range choices {
		j.Algorithms = append(j.Algorithms, choice.Label)
	}
	if err == nil {
		j.Instead, err = a.Instead()
	}
	if err != nil {
		return nil, nil, err
	}
	list, err := a.Scenarios(ctx, nil, j.Limit, nil)
	if err != nil {
		return nil, nil, err
	}
	t := *list[0].Trace()
	if t.Skip != 0 || t.Limit != 0 {
		return nil, nil, cli.Usage("--trace-skip and --trace-limit need the order of all requests, which is not " +
			"known here; leave them out")
	}
	t.File, t.More = "", nil
	j.Trace = t
	_, plan, err := j.plan(t, 0)
	if err != nil {
		return nil, nil, err
	}
	for _, l := range plan.Limiters {
		if l.Gateways != nil {
			return nil, nil, cli.Usage("%s: its gateways take turns over the requests of all keys; leave it out",
				l.Label)
		}
	}
	return j, &t, nil
}

// requestBytes is roughly the memory of a request in a shard. perShard is the intended number of requests per shard.
// fewShards are enough shards to keep one machine busy. There are at most mostPieces pieces, unless pieces would be
// larger than pieceBytes. spareBytes is the garbage allowed in this process.
const (
	requestBytes = 64
	spareBytes   = 256 << 20
	perShard     = 1 << 21
	fewShards    = 64
	mostPieces   = 4096
)

var pieceBytes int64 = 32 << 20

// divide splits the log into pieces, as JSON, and chooses the number of shards. It refuses too few shards.
func (a *app) divide(j *Job, files []*File, requests int64) (pieces []any, err error) {
	j.Most = min(a.memory.Value<<20/requestBytes, math.MaxUint32)
	if j.Shards = a.shards.Value; j.Shards == 0 {
		j.Shards = int(min(max(fewShards, requests/min(perShard, j.Most/4)), 1<<16))
	}
	if requests/int64(j.Shards) > j.Most {
		return nil, cli.Usage("--shards %d: a shard would have about %s requests, and --shard-memory %d is for %s; "+
			"want --shards %d or more", j.Shards, message.Grouped(requests/int64(j.Shards)), a.memory.Value,
			message.Grouped(j.Most), 2*requests/j.Most+1)
	}
	var size int64
	for _, f := range files {
		size += f.size
	}
	step := max(pieceBytes, size/mostPieces)
	for _, f := range files {
		for from := int64(0); f.cut && from < f.size; from += step {
			pieces = append(pieces, encode(Piece{*f, from, min(from+step, f.size)}))
		}
		if !f.cut {
			pieces = append(pieces, encode(Piece{*f, 0, 0}))
		}
	}
	return pieces, nil
}

// probe makes an empty file that a worker will overwrite, and returns a function that removes it.
func probe(ctx context.Context, path string) (remove func(), err error) {
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return nil, err
	}
	out, err := fs.OpenWrite(ctx, path)
	if err != nil {
		return nil, err
	}
	return func() {
		if r, ok := fs.(filesystem.Remover); ok {
			r.Remove(context.WithoutCancel(ctx), path)
		}
	}, out.Close()
}

// informed logs only the progress of the job, which has the level INFO. Warnings are dropped. So are errors, because
// run returns them in a shorter form.
type informed struct{ slog.Handler }

// Enabled implements slog.Handler.
func (informed) Enabled(_ context.Context, l slog.Level) bool { return l == slog.LevelInfo }

// run lets the runner that Beam's flags select decide, and makes the document from the workers' output.
func (a *app) run(c *cobra.Command, j *Job, t *accesslog.Trace, pieces []any) (*result.Document, error) {
	if self, err := os.Executable(); err == nil && runtime.GOOS == "linux" {
		flag.Set("worker_binary", self) // otherwise Beam would compile one
	}
	c.Flags().Visit(func(f *pflag.Flag) { // Beam checks there which flags were given
		if flag.Lookup(f.Name) != nil {
			flag.Set(f.Name, f.Value.String())
		}
	})
	for name, known := range map[string][]string{
		"runner":           {"prism", "flink", "spark", "dataflow", "universal"},
		"environment_type": {"loopback", "docker", "process", "external"},
	} {
		given := flag.Lookup(name).Value.String()
		if given != "" && !slices.Contains(known, strings.ToLower(given)) {
			return nil, cli.Usage("--%s %s: %s", name, message.Quote(given), message.OneOf(given, known))
		}
	}
	if at := *jobopts.Endpoint; c.Flags().Changed("endpoint") { // Beam would wait for minutes
		conn, err := net.DialTimeout("tcp", at, 10*time.Second)
		if err != nil {
			return nil, fmt.Errorf("--endpoint %s: no job service answers: %w", message.Quote(at), err)
		}
		conn.Close()
	}
	parts := fmt.Sprintf("%s/.parts-%d-%d", everywhere(cmp.Or(a.shared, a.Folder)), os.Getpid(), time.Now().UnixNano())
	remove, err := probe(c.Context(), parts)
	if err != nil {
		return nil, cli.Usage("want a --shared to which workers can write: %w", err)
	}
	defer remove()
	flag.CommandLine.Parse(nil)
	beam.Init()
	log, inside := slog.DiscardHandler, slices.Contains([]string{"", "prism"}, *runners.Runner)
	if !a.Quiet && !inside {
		fmt.Fprintf(a.Stderr, "ratelab-beam: asks the job service at %s\n", message.Quote(*jobopts.Endpoint))
		log = informed{slog.NewTextHandler(a.Stderr, nil)}
	}
	slog.SetDefault(slog.New(log))
	p, s := beam.NewPipelineWithRoot()
	build(s, j, pieces, parts)
	if err := beamx.Run(c.Context(), p); err != nil {
		if c.Context().Err() != nil {
			text := "nothing was written"
			if !inside {
				text += "; the cluster goes on with its job"
			}
			return nil, fmt.Errorf("%w: %s", message.ErrInterrupted, text)
		}
		text := err.Error() // the place in the pipeline, followed by the cause
		text = text[strings.LastIndex(text, " failed:\n")+1:]
		return nil, fmt.Errorf("the runner: %s", message.OneLine(strings.TrimPrefix(text, "failed:"), 2000))
	}
	in, _, err := open(c.Context(), parts)
	if err != nil {
		return nil, fmt.Errorf("--shared: %w", err)
	}
	defer in.Close()
	return j.document(in, *t)
}
