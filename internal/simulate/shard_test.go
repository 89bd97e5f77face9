package simulate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ratelab/internal/longtest"
	"ratelab/internal/replay"
	"ratelab/internal/report"
	"ratelab/internal/result"
	"ratelab/internal/scenario"
)

// sharded is the job in n shards, each written to a file, read back and put together, the last one first.
func sharded(t testing.TB, folder string, n int, newJob func() *Job) *Result {
	t.Helper()
	var files []PartFile
	for i := n; i > 0; i-- {
		file, err := partFile(t, folder, newJob(), replay.Shard{Number: i, Of: n})
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	merged, err := Merge(files)
	if err != nil {
		t.Fatal(err)
	}
	return merged
}

func partFile(t testing.TB, folder string, j *Job, shard replay.Shard) (PartFile, error) {
	t.Helper()
	part, err := j.RunPart(t.Context(), shard)
	if err != nil {
		return PartFile{}, err
	}
	var text bytes.Buffer
	if err := result.WriteSealed(&text, part); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, fmt.Sprintf("shard-%d-of-%d.json", shard.Number, shard.Of))
	if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return ReadPart(path)
}

// sameResult compares documents to the byte, and the courses of their charts.
func sameResult(want, got *Result) string {
	var a, b bytes.Buffer
	if err := errors.Join(report.WriteJSON(&a, &want.Document), report.WriteJSON(&b, &got.Document)); err != nil {
		return err.Error()
	}
	if diff := cmp.Diff(strings.Split(a.String(), "\n"), strings.Split(b.String(), "\n")); diff != "" {
		return diff
	}
	for i := range want.Charts {
		x, y := want.Charts[i], got.Charts[i]
		diff := cmp.Diff(x.Traffic, y.Traffic) + cmp.Diff(x.Reference, y.Reference) +
			cmp.Diff(x.Algorithms, y.Algorithms)
		if diff != "" {
			return diff
		}
	}
	return ""
}

// Shards of random scenarios, put together, are one run to the byte.
func TestShardsOfAScenarioAreOneRun(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s, err := scenario.Parse("drawn.yaml", []byte(drawScenario(r)))
		if err != nil {
			r.Fatal(err)
		}
		compareShards(t, r, func() *Job { return job(s) })
	})
}

// Those of random logs, too, whatever their keys are and whatever is known of their times.
func TestShardsOfALogAreOneRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.csv")
	rapid.Check(t, func(r *rapid.T) {
		log := strings.Builder{}
		log.WriteString("at,who\n")
		at := int64(1_700_000_000_000)
		gap := rapid.SampledFrom([]int64{0, 30, 1000, 60_000}).Draw(r, "longest gap")
		names := rapid.SampledFrom([][]string{{"a"}, {"a", "b", "ключ"}, {"é", "😀", "a", "b", "c", "d", "<&>"}}).
			Draw(r, "names")
		for range rapid.IntRange(1, 120).Draw(r, "lines") {
			at += rapid.Int64Range(0, gap).Draw(r, "gap")
			fmt.Fprintf(&log, "%d,%s\n", at, rapid.SampledFrom(names).Draw(r, "who"))
		}
		if err := os.WriteFile(path, []byte(log.String()), 0o644); err != nil {
			r.Fatal(err)
		}
		compareShards(t, r, func() *Job {
			s := written(t, "name: logged\nquestion: What is admitted?\nlimit: {requests: 3, per: 1s}\n"+
				"phases: [{pause: true, duration: 1s, name: all}]\n")
			s.Phases = traceOf(path)
			return job(s)
		})
	})
}

func compareShards(t *testing.T, r *rapid.T, newJob func() *Job) {
	labels := []string{"gcra", "fixed-window", "sliding-window-counter", "leaky-bucket", "token-bucket:burst=2"}
	own := func() *Job {
		j := newJob()
		j.Algorithms = choices(t, labels...)
		return j
	}
	n := rapid.SampledFrom([]int{1, 2, 3, 8}).Draw(r, "shards")
	var files []PartFile
	for i := range n {
		part, err := own().RunPart(t.Context(), replay.Shard{Number: i + 1, Of: n})
		if err != nil {
			r.Fatal(err)
		}
		files = append(files, PartFile{fmt.Sprint(i + 1), part})
	}
	merged, err := Merge(files)
	if err != nil {
		r.Fatal(err)
	}
	if diff := sameResult(run(t, own()), merged); diff != "" {
		r.Fatalf("one run (-), %d shards (+):\n%s", n, diff)
	}
}

func drawScenario(r *rapid.T) string {
	arrivals := rapid.SampledFrom([]string{"constant: 40", "poisson: 60/s", "burst: 30", "ramp: {from: 1/s, to: 80/s}",
		"pause: true"})
	text := fmt.Sprintf(`name: drawn
question: What do shards add up to?
limit: {requests: %d, per: %s, burst: %d, contract: %s}
seed: %d
keys: %s
cost: %s
`, rapid.IntRange(1, 9).Draw(r, "requests"), rapid.SampledFrom([]string{"1s", "200ms", "1m"}).Draw(r, "per"),
		rapid.IntRange(1, 9).Draw(r, "burst"), rapid.SampledFrom([]string{"window", "bucket"}).Draw(r, "contract"),
		rapid.IntRange(0, 99).Draw(r, "seed"),
		rapid.SampledFrom([]string{"{count: 1}", "{count: 3}", "{count: 40, distribution: zipf, exponent: 1.1}",
			"{count: 9, distribution: hot, hot: {keys: 1, share: 0.8}}"}).Draw(r, "keys"),
		rapid.SampledFrom([]string{"1", "{uniform: [1, 4]}"}).Draw(r, "cost"))
	if rapid.Bool().Draw(r, "outage") {
		text += "server_outage: [{at: 300ms, for: 400ms}]\n"
	}
	text += "phases:\n"
	for i := range rapid.IntRange(1, 3).Draw(r, "phases") {
		text += fmt.Sprintf("  - {name: phase %d, duration: 1s, %s}\n", i, arrivals.Draw(r, "arrivals"))
	}
	return text + "expect:\n  - {algorithm: gcra, admitted: {min: 5}}\n" +
		"  - {algorithm: fixed-window, overshoot: {max: 2}}\n"
}

// The built-in scenarios that are played key by key are, with every row that is.
func TestShardsOfBuiltInScenariosAreOneRun(t *testing.T) {
	all, err := scenario.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range all {
		if s.Reactive() || i%3 > 0 && !longtest.All() {
			continue
		}
		newJob := func() *Job {
			j := job(s)
			j.Algorithms = choices(t, "gcra", "leaky-bucket", "token-bucket-debt")
			return j
		}
		if diff := sameResult(run(t, newJob()), sharded(t, t.TempDir(), 3, newJob)); diff != "" {
			t.Errorf("%s: one run (-), 3 shards (+):\n%s", s.Name, diff)
		}
	}
}

// Parts that do not belong together are refused by name, and by what is different.
func TestPartsOfTwoJobsAreNotPutTogether(t *testing.T) {
	s := evenly(t, "one", 30, "keys: {count: 5}")
	folder := t.TempDir()
	part := func(number int, change func(*Part)) PartFile {
		j := job(s)
		j.Algorithms = choices(t, "gcra", "none")
		file, err := partFile(t, folder, j, replay.Shard{Number: number, Of: 2})
		if err != nil {
			t.Fatal(err)
		}
		if change != nil {
			change(file.Part)
		}
		file.Path = fmt.Sprintf("%d.json", number)
		return file
	}
	for want, change := range map[string]func(*Part){
		"2.json: is of the version newer, and 1.json of test; make all": func(p *Part) { p.Tool.Version = "newer" },
		"2.json: is shard 2/3, and 1.json is 1/2; name all":             func(p *Part) { p.Shard.Of = 3 },
		"2.json: is shard 1/2, as 1.json is; name each shard once":      func(p *Part) { p.Shard.Number = 1 },
		"2.json: has 2 scenarios, and 1.json has 1; make all": func(p *Part) {
			p.Runs = append(p.Runs, p.Runs[0])
		},
		"2.json: is of the scenario other, and 1.json of one;": func(p *Part) { p.Runs[0].Scenario = "other" },
		"2.json: read another log than 1.json":                 func(p *Part) { p.Runs[0].Found.All.Digest.Low++ },
		"2.json: is of the rows [gcra none:limit=1], and 1.json of [gcra none];": func(p *Part) {
			p.Runs[0].Rows[1].Algorithm = "none:limit=1"
		},
		"one: gcra: offered 31 is not admitted": func(p *Part) { p.Runs[0].Found.Lanes[0].Counts.Offered++ },
		"one: the shards have 31 requests of 30": func(p *Part) {
			f := p.Runs[0].Found
			for _, tally := range append(f.Lanes, f.Reference) {
				tally.Counts.Offered++
				tally.Counts.Rejected++
				tally.Counts.OfferedCost++
			}
		},
	} {
		_, err := Merge([]PartFile{part(1, nil), part(2, change)})
		var bad *InputError
		if !errors.As(err, &bad) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v; want %s", err, want)
		}
	}
	_, err := Merge([]PartFile{part(2, nil)})
	if want := "shard 1/2 is missing; run simulate again with --shard 1/2, and name its file, too"; err == nil ||
		err.Error() != want {
		t.Errorf("%v; want %s", err, want)
	}
}

// A part that was made by hand lacks what it must have, and is refused before anything goes by it.
func TestAPartThatLacksSomethingIsRefused(t *testing.T) {
	whole, err := job(evenly(t, "one", 3, "")).RunPart(t.Context(), replay.Shard{Number: 1, Of: 1})
	if err != nil {
		t.Fatal(err)
	}
	for i, change := range []func(*Part){
		func(p *Part) { p.Shard.Number = 0 },
		func(p *Part) { p.Shard.Number = 2 },
		func(p *Part) { p.Runs = nil },
		func(p *Part) { p.Runs[0].Found = nil },
		func(p *Part) { p.Runs[0].Found.Reference = nil },
		func(p *Part) { p.Runs[0].Found.Lanes[2] = nil },
		func(p *Part) { p.Runs[0].Found.Lanes = nil },
	} {
		text, _ := json.Marshal(whole)
		bad := new(Part)
		if err := json.Unmarshal(text, bad); err != nil {
			t.Fatal(err)
		}
		change(bad)
		path := filepath.Join(t.TempDir(), "bad.json")
		var sealed bytes.Buffer
		if err := result.WriteSealed(&sealed, bad); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, sealed.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		var refused *result.BadFile
		if _, err := ReadPart(path); !errors.As(err, &refused) {
			t.Errorf("change %d: %v", i, err)
		}
	}
}

// A shard that is stopped is none: nothing could be added to it.
func TestAStoppedShardIsNone(t *testing.T) {
	stop := make(chan struct{})
	j := job(evenly(t, "long", 200_000, "keys: {count: 50}"))
	j.Algorithms, j.Stop = choices(t, "gcra"), stop
	j.Progress = stopper(func() { close(stop) })
	part, err := j.RunPart(t.Context(), replay.Shard{Number: 1, Of: 2})
	if !errors.Is(err, ErrStopped) || part != nil || !strings.HasPrefix(err.Error(), "long: stopped") {
		t.Errorf("part %v, error %v", part, err)
	}
}
