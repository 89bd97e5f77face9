package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"ratelab/internal/benchresult"
	"ratelab/internal/benchresult/benchresulttest"
	"ratelab/internal/commandline"
	"ratelab/internal/longtest"
	"ratelab/internal/redisserver/redisservertest"
)

// shardsOf is how many processes make the load together.
const shardsOf = 8

// twoRules are scenarios of which one is dealt by the requests' numbers, since it has three keys, and one by its keys,
// of which there are 128 or more. No permit comes back in them: how many requests are admitted depends on no instant,
// and on what was admitted before the stretch, once.
var twoRules = map[string]string{
	"few-keys.yaml": `name: few-keys
question: Do eight processes ask for what one would?
limit: {requests: 40, per: 1h}
keys: {count: 3, distribution: sequential}
phases:
  - {name: before, duration: 1s, constant: 30}
  - {name: played, duration: 1s, constant: 600}
`,
	"many-keys.yaml": `name: many-keys
question: Do eight processes ask for what one would?
limit: {requests: 3, per: 1h}
keys: {count: 160, distribution: sequential}
phases:
  - {name: before, duration: 1s, constant: 160}
  - {name: played, duration: 1s, constant: 640}
`,
}

// Eight processes play two scenarios together on one server, and nothing of theirs stays there. All requests are
// offered, each once; as many are admitted as virtual time admits; and what is merged has in each bucket what the parts
// have together.
func TestEightProcesses(t *testing.T) {
	longtest.Skip(t, "eight processes measure for half a minute")
	s := redisservertest.Private(t)
	url := "unix://" + redisservertest.Socket(t, s)
	if err := s.Client.Set(t.Context(), "theirs", "stays", 0).Err(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	args := []string{"run"}
	for name, text := range twoRules {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	args = append(args, "few-keys.yaml", "many-keys.yaml", "-a", "gcra,token-bucket,fixed-window-aligned",
		"--redis", url, "--rounds", "2", "--from", "1s", "--warm-up", "20ms", "--connections", "4", "--out", "parts",
		"--run", "eight", "--quiet")
	runShards(t, dir, args)
	if keys := s.Client.Keys(t.Context(), "*").Val(); !slices.Equal(keys, []string{"theirs"}) {
		t.Errorf("on the server are %q", keys)
	}
	var paths []string
	for i := range shardsOf {
		paths = append(paths, filepath.Join(dir, "parts", fmt.Sprintf("bench-shard-%d-of-%d.json", i+1, shardsOf)))
	}
	parts, err := readParts(paths)
	if err != nil {
		t.Fatal(err)
	}
	merged := mergeByCommand(t, dir, paths)
	if err := benchresulttest.Check(merged); err != nil {
		t.Error(err)
	}
	for i := range merged.Runs {
		checkMerged(t, parts, merged, i)
	}
}

// runShards runs all shards at the same time. A busy machine may make them invalid, and no more.
func runShards(t *testing.T, dir string, args []string) {
	t.Helper()
	path, err := exec.LookPath("bench") // this test's own binary, see TestMain
	if err != nil {
		t.Fatal(err)
	}
	var ends sync.WaitGroup
	for i := range shardsOf {
		ends.Go(func() {
			c := exec.Command(path, append(slices.Clone(args), "--shard", fmt.Sprintf("%d/%d", i+1, shardsOf))...)
			c.Dir = dir
			var complaints bytes.Buffer
			c.Stderr = &complaints
			_ = c.Run() // the exit code tells
			code := c.ProcessState.ExitCode()
			t.Logf("shard %d: exit code %d\n%s", i+1, code, complaints.String())
			if code != commandline.ExitOK && code != commandline.ExitInconclusive {
				t.Errorf("shard %d ended with %d", i+1, code)
			}
		})
	}
	ends.Wait()
	if t.Failed() {
		t.FailNow()
	}
}

// mergeByCommand is what bench merge writes.
func mergeByCommand(t *testing.T, dir string, paths []string) *benchresult.Document {
	t.Helper()
	path, err := exec.LookPath("bench")
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "merged")
	c := exec.Command(path, append([]string{"merge", "--out", out}, paths...)...)
	table, _ := c.Output()
	t.Logf("bench merge: exit code %d\n%s", c.ProcessState.ExitCode(), table)
	found, err := benchresult.Read(out)
	if err != nil {
		t.Fatal(err)
	}
	if valid := c.ProcessState.ExitCode() == commandline.ExitOK; valid != found.Validity.Valid {
		t.Errorf("exit code %d, and valid is %t", c.ProcessState.ExitCode(), found.Validity.Valid)
	}
	for _, p := range paths {
		part, err := benchresult.ReadPart(p)
		if err != nil {
			t.Fatal(err)
		}
		if !part.Validity.Valid && found.Validity.Valid {
			t.Errorf("shard %v is invalid, and the whole is valid", part.Shard)
		}
	}
	return found
}

// checkMerged compares a scenario with its parts, each of whose counts is added here once more.
func checkMerged(t *testing.T, parts []benchresult.PartFile, merged *benchresult.Document, i int) {
	t.Helper()
	play := &merged.Runs[i]
	first := &parts[0].Plays[i]
	requests := map[string]int64{"few-keys": 600, "many-keys": 640}[play.Scenario]
	if first.Dealt.ByKey != (play.Scenario == "many-keys") || first.Dealt.Requests != requests {
		t.Errorf("%s: dealt %+v", play.Scenario, first.Dealt)
	}
	// three times 40, and 160 times 3, of which 30 and 160 were admitted before
	admitted := map[string]int64{"few-keys": 3*40 - 30, "many-keys": 160*3 - 160}[play.Scenario]
	for k, row := range play.Rows {
		want := admitted
		if row.Algorithm == benchresult.Control {
			want = requests
		}
		for _, round := range row.Rounds {
			if round.Accepted != want || round.Accepted+round.Rejected != requests {
				t.Errorf("%s %s round %d: %d accepted and %d rejected; want %d of %d", play.Scenario, row.Algorithm,
					round.Round, round.Accepted, round.Rejected, want, requests)
			}
		}
		rounds := int64(len(row.Rounds))
		if rounds != 2 || row.Open.Offered != rounds*requests || row.Open.Sent != rounds*requests {
			t.Errorf("%s %s: %d rounds, %d offered, %d sent; want %d a round", play.Scenario, row.Algorithm, rounds,
				row.Open.Offered, row.Open.Sent, requests)
		}
		sums := map[string][]int64{}
		for _, p := range parts {
			for _, round := range p.Plays[i].Rows[k].Rounds {
				for name, h := range histograms(&round.Latency) {
					for bucket, count := range h.Export().Counts {
						if sums[name] == nil {
							sums[name] = make([]int64, len(h.Export().Counts))
						}
						sums[name][bucket] += count
					}
				}
			}
		}
		for name, h := range histograms(&row.Open.Latency) {
			if !slices.Equal(h.Export().Counts, sums[name]) {
				t.Errorf("%s %s: %s is not bucket for bucket the sum of the parts", play.Scenario, row.Algorithm, name)
			}
		}
		var offered int64
		for _, cost := range row.Course.Offered {
			offered += cost
		}
		if offered != rounds*requests {
			t.Errorf("%s %s: its course has %d requests", play.Scenario, row.Algorithm, offered)
		}
		differs := row.Differences()
		response := row.Open.Latency.Accepted.Response
		t.Logf("%s %s: %d offered, %d accepted, %d rejected; %+v; exact %d of %d admitted; %.1f/s of %.1f/s; "+
			"response p50 %d µs, p99 %d µs", play.Scenario, row.Algorithm, row.Open.Offered, row.Open.Accepted,
			row.Open.Rejected, *differs, row.Exact.Admitted, row.Exact.Offered, row.Open.AchievedPerS,
			row.Open.IntendedPerS, response.ValueAtPercentile(50), response.ValueAtPercentile(99))
		if differs.OutsideLag != 0 {
			t.Errorf("%s %s: lag does not explain %d decisions", play.Scenario, row.Algorithm, differs.OutsideLag)
		}
	}
}

// histograms are those of both decisions, by their names.
func histograms(o *benchresult.Outcomes) map[string]*benchresult.Histogram {
	return map[string]*benchresult.Histogram{
		"accepted lag": o.Accepted.Lag, "accepted wait": o.Accepted.Wait, "accepted service": o.Accepted.Service,
		"accepted response": o.Accepted.Response, "rejected lag": o.Rejected.Lag, "rejected wait": o.Rejected.Wait,
		"rejected service": o.Rejected.Service, "rejected response": o.Rejected.Response,
	}
}
