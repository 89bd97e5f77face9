//go:build unix

package load

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"golang.org/x/sys/unix"

	"ratelab/internal/limit"
	"ratelab/internal/redis"
	"ratelab/internal/script"
	"ratelab/internal/script/scripttest"
)

// sink answers at once.
type sink struct{ now func() time.Duration }

func (s sink) Call(limit.Request) (Outcome, error) {
	now := s.now()
	return Outcome{Decision: limit.Decision{Verdict: limit.Allowed}, Written: now, Replied: now}, nil
}

// BenchmarkPacer prints how late requests are handed over, by this pacer and by one that calls time.Sleep: medians of
// runs of a second. Five runs: go test -run '^$' -bench Pacer -benchtime 5x ./internal/load
func BenchmarkPacer(b *testing.B) {
	exact := NewClock(time.Now())
	naive := exact
	naive.Nap = time.Sleep
	for _, perSecond := range []int{1_000, 10_000} {
		for _, on := range []string{"sink", "server"} {
			for pacer, clock := range map[string]Stopwatch{"nap": exact, "sleep": naive} {
				b.Run(fmt.Sprintf("rate=%d/on=%s/pacer=%s", perSecond, on, pacer), func(b *testing.B) {
					callers := slices.Repeat([]Caller{sink{clock.Now}}, 8)
					if on == "server" {
						p := scripttest.Program(scripttest.Counting, "1000")
						_, _, callers = workers(b.Context(), b, p, 8, clock)
					}
					benchmarkPacer(b, clock, callers, perSecond)
				})
			}
		}
	}
}

func benchmarkPacer(b *testing.B, clock Stopwatch, callers []Caller, perSecond int) {
	figures := map[string][]float64{}
	for b.Loop() {
		stream := every(time.Second/time.Duration(perSecond), perSecond, "k")
		r, err := opened(b.Context(), stream, callers, Options{Clock: clock})
		if err != nil {
			b.Fatal(err)
		}
		d := r.Outcomes.Overall()
		for name, v := range map[string]int64{
			"lag_us_p50": d.Lag.ValueAtQuantile(50), "lag_us_p99": d.Lag.ValueAtQuantile(99),
			"wait_us_p50": d.Wait.ValueAtQuantile(50), "service_us_p50": d.Service.ValueAtQuantile(50),
		} {
			figures[name] = append(figures[name], float64(v))
		}
	}
	report(b, figures)
}

// report gives the median of each figure.
func report(b *testing.B, figures map[string][]float64) {
	b.ReportMetric(0, "ns/op") // the length of a run, which says nothing
	for name, values := range figures {
		b.ReportMetric(median(values), name)
	}
}

func median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}

// pooled calls a script as go-redis comes: a client, its pool, EvalSha.
type pooled struct {
	client *goredis.Client
	sha    string
	now    func() time.Duration
}

func (p pooled) Call(req limit.Request) (Outcome, error) {
	o := Outcome{Written: p.now()}
	keys := []string{"{" + req.Key + "}"}
	reply, err := p.client.EvalSha(context.Background(), p.sha, keys, 0, req.Cost, "1000").Int64Slice()
	if err != nil {
		return o, err
	}
	o.Replied, o.Decision.Verdict = p.now(), limit.Verdict(reply[0])
	return o, nil
}

// pinned calls it through a goredis.Conn of the worker's own, without deadlines, its arguments made once.
type pinned struct {
	conn *goredis.Conn
	args []any
	now  func() time.Duration
}

func (p pinned) Call(limit.Request) (Outcome, error) {
	o := Outcome{Written: p.now()}
	cmd := goredis.NewCmd(context.Background(), p.args...)
	if err := p.conn.Process(context.Background(), cmd); err != nil {
		return o, err
	}
	reply, err := cmd.Int64Slice()
	if err == nil {
		o.Replied, o.Decision.Verdict = p.now(), limit.Verdict(reply[0])
	}
	return o, err
}

// BenchmarkClosed prints the throughput of closed loops as parts of redis-benchmark's, which runs before and after
// each on the same server: through go-redis as it comes, through a connection of go-redis pinned to the worker, and
// ours; and what a call costs of the generator's processor time. The processors are the system's to choose, or the
// server's and its callers', redis-benchmark among them, are apart. Medians of rounds:
// go test -run '^$' -bench Closed -benchtime 5x ./internal/load
func BenchmarkClosed(b *testing.B) {
	for _, network := range []string{"unix", "tcp"} {
		for _, connections := range []int{50, 8, 1} {
			for _, place := range []string{"system", "apart"} {
				b.Run(fmt.Sprintf("over=%s/connections=%d/processors=%s", network, connections, place),
					func(b *testing.B) {
						benchmarkClosed(b, network, connections, place == "apart")
					})
			}
		}
	}
}

func benchmarkClosed(b *testing.B, network string, connections int, apart bool) {
	if _, err := exec.LookPath("redis-benchmark"); err != nil {
		b.Skip("no redis-benchmark on PATH")
	}
	options, pid := saturable(b, network)
	if apart {
		keepApart(b, pid)
	}
	clock := NewClock(time.Now())
	client := goredis.NewClient(options(connections))
	b.Cleanup(func() { client.Close() })
	p := scripttest.Program(scripttest.Counting, "1000")
	p.Decide.Keys = []script.Template{script.KeyIn("")}
	server := Server{Client: client, Open: func(ctx context.Context) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, network, options(1).Addr)
	}}
	target, err := Prepare(b.Context(), server, p, clock)
	if err != nil {
		b.Fatal(err)
	}
	sha := script.SHA1(p.Source)
	ways := map[string][]Caller{"ours": callersOf(b.Context(), b, target, connections), "pooled": nil, "pinned": nil}
	for range connections {
		ways["pooled"] = append(ways["pooled"], pooled{client, sha, clock.Now})
		lone := options(1)
		lone.ReadTimeout, lone.WriteTimeout = -2, -2
		own := goredis.NewClient(lone)
		b.Cleanup(func() { own.Close() })
		args := []any{"EVALSHA", sha, "1", "{k}", "0", "1", "1000"}
		ways["pinned"] = append(ways["pinned"], pinned{own.Conn(), args, clock.Now})
	}
	figures := map[string][]float64{}
	for b.Loop() {
		before := redisBenchmark(b, options(1), connections, sha)
		for _, name := range []string{"pooled", "ours", "pinned"} {
			var warm, r ClosedResult
			if err := errors.Join(Closed(b.Context(), clock, ways[name], 200*time.Millisecond, nil, &warm),
				Closed(b.Context(), clock, ways[name], time.Second, nil, &r)); err != nil {
				b.Fatal(err)
			}
			after := redisBenchmark(b, options(1), connections, sha)
			figures[name+"/redis-benchmark"] = append(figures[name+"/redis-benchmark"], 2*r.PerSecond()/(before+after))
			figures[name+"_cpu_us/call"] = append(figures[name+"_cpu_us/call"],
				r.Health.CPUShare*float64(r.Elapsed.Microseconds())/float64(r.Sent))
			figures["redis-benchmark/s"] = append(figures["redis-benchmark/s"], after)
			before = after
		}
	}
	report(b, figures)
}

// keepApart gives the server a processor of its own, and this process and those that it starts the others.
func keepApart(b *testing.B, pid int) {
	server, callers, ok := redis.Apart()
	if !ok {
		b.Skip("one processor only, or a system that does not let a program choose")
	}
	if err := errors.Join(redis.Confine(pid, []int{server}),
		redis.Confine(os.Getpid(), callers)); err != nil {
		b.Skip(err)
	}
	before := runtime.GOMAXPROCS(len(callers))
	b.Cleanup(func() {
		runtime.GOMAXPROCS(before)
		_ = redis.Confine(os.Getpid(), append(callers, server))
	})
}

// saturable starts a server on a unix socket and on loopback, and gives options for the one asked for, and its process.
func saturable(b *testing.B, network string) (options func(pool int) *goredis.Options, pid int) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	_, port, _ := net.SplitHostPort(addr)
	socket := filepath.Join(b.TempDir(), "s")
	server := exec.Command("redis-server", "--port", port, "--bind", "127.0.0.1", "--unixsocket", socket, "--save", "",
		"--appendonly", "no")
	if err := server.Start(); err != nil {
		b.Skip(err)
	}
	b.Cleanup(func() { _ = server.Process.Signal(unix.SIGTERM); _ = server.Wait() })
	if network == "unix" {
		addr = socket
	}
	options = func(pool int) *goredis.Options {
		return &goredis.Options{Network: network, Addr: addr, Protocol: 2, DisableIdentity: true, MaxRetries: -1,
			PoolSize: pool}
	}
	client := goredis.NewClient(options(1))
	defer client.Close()
	for try := 0; client.Ping(b.Context()).Err() != nil; try++ {
		if try == 200 {
			b.Fatal("the server does not answer")
		}
		time.Sleep(10 * time.Millisecond)
	}
	return options, server.Process.Pid
}

// redisBenchmark is the throughput, per second, that redis-benchmark reaches with the same script and arguments.
func redisBenchmark(b *testing.B, o *goredis.Options, connections int, sha string) float64 {
	args := []string{"-c", strconv.Itoa(connections), "-n", strconv.Itoa(40_000 + 1_000*connections), "--csv"}
	if o.Network == "unix" {
		args = append(args, "-s", o.Addr)
	} else {
		_, port, _ := net.SplitHostPort(o.Addr)
		args = append(args, "-p", port)
	}
	out, err := exec.Command("redis-benchmark", append(args, "EVALSHA", sha, "1", "{k}", "0", "1", "1000")...).Output()
	if err != nil {
		b.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	fields := strings.Split(lines[len(lines)-1], `","`)
	v, err := strconv.ParseFloat(fields[1], 64)
	if err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	return v
}
