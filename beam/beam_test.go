package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ratelab/internal/accesslog"
	"ratelab/internal/cli"
	"ratelab/internal/limit"
	"ratelab/internal/result"
	"ratelab/internal/run"
	"ratelab/internal/scenario"
)

func TestMain(m *testing.M) {
	flag.Parse()
	pieceBytes = 20_000 // a file has several pieces
	os.Exit(m.Run())
}

// writeLine writes the line of a request.
type writeLine func(at time.Time, client string, number int) string

// logFile writes a log of 3000 requests, some of whose lines are up to three seconds late.
func logFile(t *testing.T, name string, seed uint64, header string, line writeLine) string {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 0))
	at := time.Date(2024, 5, 17, 10, 5, 30, 0, time.UTC)
	var text bytes.Buffer
	w := io.WriteCloser(struct {
		io.Writer
		io.Closer
	}{&text, io.NopCloser(&text)})
	if strings.HasSuffix(name, ".gz") {
		w = gzip.NewWriter(&text)
	}
	io.WriteString(w, header)
	for i := range 3000 {
		at = at.Add(time.Duration(r.ExpFloat64()*3e4) * time.Microsecond)
		late := time.Duration(0)
		if i > 0 && r.IntN(7) == 0 {
			late = time.Duration(r.Int64N(3e6)) * time.Microsecond
		}
		io.WriteString(w, line(at.Add(-late), fmt.Sprintf("10.0.0.%d", r.IntN(4+i%50)), i)+"\n")
	}
	w.Close()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func combined(at time.Time, client string, i int) string {
	if i%500 == 77 {
		client = "-"
	}
	return fmt.Sprintf(`%s - - [%s] "GET /%d HTTP/1.1" 200 %d "-" "agent"`, client,
		at.Format("02/Jan/2006:15:04:05 -0700"), i%9, i)
}

func csv(at time.Time, client string, i int) string {
	return fmt.Sprintf("%s,%s:%d,%d", at.Format(time.RFC3339Nano), client, i, 1+i%3)
}

// csvToo has other costs at the same instants.
func csvToo(at time.Time, client string, i int) string { return csv(at, client, i+1) }

func withBad(at time.Time, client string, i int) string {
	if i%400 == 399 {
		return "no request"
	}
	return csv(at, client, i)
}

func jsonl(at time.Time, client string, _ int) string {
	return fmt.Sprintf(`{"ts": %d.%06d, "ip": %q}`, at.Unix(), at.Nanosecond()/1000, client)
}

// beamed is the document of the command, and what it says.
func beamed(t *testing.T, args ...string) (document, said string, code int) {
	t.Helper()
	folder := t.TempDir()
	var stdout, stderr bytes.Buffer
	code = program(t.Context(), append(args, "-q", "-o", folder), cli.Streams{Stdout: &stdout, Stderr: &stderr})
	text, err := os.ReadFile(filepath.Join(folder, "result.json"))
	if (err == nil) != (code == 0) {
		t.Errorf("code %d, and %v", code, err)
	}
	if left, _ := filepath.Glob(filepath.Join(folder, ".parts*")); left != nil {
		t.Errorf("%v are left", left)
	}
	return string(text), stderr.String(), code
}

// simulated is the document of simulate --redis model, but for lines out of order, which it counts.
func simulated(t *testing.T, trace accesslog.Trace, p limit.Policy, j *Job) string {
	t.Helper()
	ask, _, err := j.plan(trace, 0)
	if err != nil {
		t.Fatal(err)
	}
	ask.Scenarios, ask.OtherRule = []*scenario.Scenario{scenario.FromTrace(trace, p)}, j.BothRules
	found, err := ask.Run(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	only := &found.Document.Runs[0]
	only.Notes = slices.DeleteFunc(only.Notes, func(note string) bool {
		return strings.Contains(note, " out of order ")
	})
	var text bytes.Buffer
	if err := result.Write(&text, &found.Document); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// The document is that of simulate to the byte: of cut, packed, several and disordered logs, in every format.
func TestTheDocumentIsThatOfSimulate(t *testing.T) {
	const header = "time,client,cost\n"
	several := []string{logFile(t, "a.log", 1, "", combined), logFile(t, "b.log", 1, "", combined),
		logFile(t, "c.log.gz", 2, "", combined)}
	all := "gcra,sliding-window-buckets,leaky-bucket,fixed-window-aligned"
	for name, c := range map[string]struct {
		files []string
		trace accesslog.Trace
		args  string
	}{
		"combined, both rules": {several[:1], accesslog.Trace{}, all},
		"several files":        {several, accesslog.Trace{SkipKey: "-"}, all + " --trace-skip-key -"},
		"at once": {several, accesslog.Trace{WithinSecond: accesslog.AtStart},
			all + " --within-second at_once"},
		"costs": {[]string{logFile(t, "d.csv", 3, header, csv), logFile(t, "c.csv", 3, header, csvToo)},
			accesslog.Trace{Cost: "cost", Speed: 2},
			all + " --trace-cost cost --trace-speed 2 --contract bucket"},
		"bad lines": {[]string{logFile(t, "d.csv", 4, header, withBad)}, accesslog.Trace{Bad: 7},
			"gcra --trace-bad 7"},
		"JSON":        {[]string{logFile(t, "e.jsonl", 5, "", jsonl)}, accesslog.Trace{}, "gcra --shards 3"},
		"one key":     {several[2:], accesslog.Trace{Key: "none"}, all + " --trace-key none"},
		"every model": {[]string{logFile(t, "f.csv", 6, header, csv)}, accesslog.Trace{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := limit.Policy{Requests: 20, Window: time.Minute}
			j := &Job{BothRules: c.trace.WithinSecond == ""}
			j.Limit, j.Version = &p, cli.Version("")
			if strings.Contains(c.args, "bucket --") || strings.HasSuffix(c.args, "--contract bucket") {
				contract := limit.ByBucket
				j.Contract = &contract
			}
			args := []string{"--limit", "20/1m"}
			c.trace.File, c.trace.More = c.files[0], c.files[1:]
			for _, file := range c.files {
				args = append(args, "--trace", file)
			}
			if words := strings.Fields(c.args); len(words) > 0 {
				j.Algorithms = strings.Split(words[0], ",")
				args = append(append(args, "-a"), words...)
			}
			got, said, code := beamed(t, args...)
			if want := simulated(t, c.trace, p, j); got != want {
				t.Errorf("code %d, %s\n%s", code, said, difference(got, want))
			}
		})
	}
}

// difference shows the first lines that differ.
func difference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d\ngot  %s\nwant %s", i+1, a[i], b[i])
		}
	}
	return "one is longer"
}

// A runner may try a piece or a shard again, on whatever machine, and hand on what they made in any order.
func TestAPieceOrAShardThatIsTriedAgain(t *testing.T) {
	ctx := context.Background()
	p := limit.Policy{Requests: 20, Window: time.Minute}
	j := &Job{BothRules: true, Instead: run.Instead{Limit: &p}, Algorithms: []string{"gcra"}}
	trace := accesslog.Trace{}
	one, other := logFile(t, "a.log", 1, "", combined), logFile(t, "b.log.gz", 2, "", combined)
	t.Chdir(filepath.Dir(one))
	files, _, err := find(ctx, &trace, []string{"a.log", other})
	t.Chdir(t.TempDir()) // as a worker elsewhere
	if err != nil {
		t.Fatal(err)
	}
	pieces, err := (&app{shards: cli.Count(5, 0, 5), memory: cli.Count[int64](1, 1, 1)}).divide(j, files, 1)
	if err != nil || len(pieces) < 3 {
		t.Fatal(len(pieces), err)
	}
	document := func(fails bool) string {
		batches, times, lines := map[int][][]byte{}, map[int]string{}, []string(nil)
		again := func(work func(emit func(int, []byte), tell func(string))) {
			if fails {
				func() {
					defer func() { recover() }()
					dies := func() { panic("the worker is killed") }
					work(func(int, []byte) { dies() }, func(string) { dies() })
				}()
			}
			work(func(shard int, b []byte) { batches[shard] = append(batches[shard], slices.Clone(b)) },
				func(text string) { lines = append(lines, text) })
		}
		reader, decider := &readFn{*j}, &decideFn{*j}
		for _, piece := range pieces {
			again(func(emit func(int, []byte), tell func(string)) {
				err = reader.ProcessElement(ctx, piece.(string), emit, tell)
			})
		}
		(&timesFn{j.Shards}).ProcessElement(0, inAnyOrder(lines, fails), func(shard int, s string) { times[shard] = s })
		for shard, list := range batches {
			again(func(_ func(int, []byte), tell func(string)) {
				err = decider.ProcessElement(ctx, shard, inAnyOrder(list, fails),
					inAnyOrder([]string{times[shard]}, fails), tell)
			})
		}
		doc, failed := j.document(strings.NewReader(strings.Join(lines, "\n")), trace)
		if err != nil || failed != nil {
			t.Fatal(err, failed)
		}
		var out bytes.Buffer
		result.Write(&out, doc)
		return out.String()
	}
	if _, err := j.document(strings.NewReader(""), trace); err == nil {
		t.Error("workers that write into another folder are not noticed")
	}
	if got, want := document(true), document(false); got != want {
		t.Error(difference(got, want))
	}
}

// Requests are not lost without a word where a log is cut off while it is read.
func TestAFileThatBecomesShorter(t *testing.T) {
	log := logFile(t, "a[1].log", 1, "", combined)
	files, _, err := find(t.Context(), &accesslog.Trace{}, []string{log})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(log, 50_000); err != nil {
		t.Fatal(err)
	}
	in, err := (&Piece{*files[0], 40_000, 60_000}).open(t.Context())
	if err == nil {
		io.Copy(io.Discard, in)
	}
	if err != nil || in.failed == nil {
		t.Error(err, "and it was read as if it were whole")
	}
}

// inAnyOrder iterates over a list.
func inAnyOrder[E any](list []E, shuffled bool) func(*E) bool {
	list = slices.Clone(list)
	if shuffled {
		rand.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
	}
	return func(e *E) bool {
		if len(list) == 0 {
			return false
		}
		*e, list = list[0], list[1:]
		return true
	}
}

// What cannot be done is refused in one line.
func TestRefusals(t *testing.T) {
	log, table := logFile(t, "a.log", 1, "", combined), logFile(t, "b.csv", 2, "time,client,cost\n", withBad)
	quoted := logFile(t, "c.csv", 3, "at,who,agent\n", func(at time.Time, client string, i int) string {
		return fmt.Sprintf("%d,%s,\"%d\nlines\"", at.Unix(), client, i)
	})
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	same := filepath.Join(t.TempDir(), "same.csv")
	os.WriteFile(same, []byte("at,who\n"+strings.Repeat("1700000000,a\n", 1<<20+1)), 0o600)
	for args, want := range map[string]string{
		"--trace " + same + " --trace-key who": "2 a shard: more than 1,048,576 requests carry the same second; want",
		"--trace nothing*.log":                 "2 --trace nothing*.log: no file has such a name; want",
		"--trace " + log + " --trace " + table: "2 " + log + " is combined, and " + table +
			" is csv; want",
		"--trace " + table:                                          "2 " + table + `:401: "no request": 1 field; want 3`,
		"--trace " + table + " --trace-bad 6":                       "2 " + table + ":401: ",
		"--trace " + quoted + " --trace-key who":                    "2 " + quoted + ": quoted fields continue over",
		"--trace " + log + " --shard-memory 0":                      `2 --shard-memory "0": want`,
		"--trace " + log + " --shards 1000000":                      `2 --shards "1000000": want`,
		"--trace " + log + " --shared /proc/nothing":                "2 want a --shared to which workers can",
		"--trace " + log + " --shared foo://x":                      "2 want a --shared to which workers can",
		"--trace " + log + " --environment_type NONE":               `2 --environment_type "NONE": want`,
		"--trace " + filepath.Dir(log):                              "2 " + filepath.Dir(log) + ": not a regular file",
		"--trace " + pipe:                                           "2 " + pipe + ": not a regular file",
		"--trace " + log + " --trace-limit 5":                       "2 --trace-skip and --trace-limit need",
		"--trace " + log + " -a fixed-window:nodes=2":               "2 fixed-window:nodes=2: its gateways",
		"--trace " + log + " --runner sparc":                        `2 --runner "sparc": did you mean "spark"?`,
		"--trace " + log + " --runner flink --endpoint 127.0.0.1:1": `3 --endpoint "127.0.0.1:1": no job service`,
		"": "2 want files that workers can read",
	} {
		for _, name := range []string{"runner", "endpoint", "environment_type"} {
			flag.Set(name, "")
		}
		_, said, code := beamed(t, append(strings.Fields(args), "--limit", "20/1m")...)
		got := fmt.Sprintf("%d %s", code, strings.TrimPrefix(said, "ratelab-beam: "))
		if !strings.HasPrefix(got, want) || strings.Count(got, "\n") != 1 {
			t.Errorf("%s: %s\nwant %s", args, got, want)
		}
	}
}
