package result_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ratelab/internal/longtest"
	"ratelab/internal/result"
	"ratelab/internal/result/benchmarktest"
)

func encoded(t testing.TB, r *result.Benchmark) string {
	t.Helper()
	var out strings.Builder
	if err := result.Write(&out, r); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// save puts text into a file of this name.
func save(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestWhatWasWrittenIsReadBack(t *testing.T) {
	first := encoded(t, benchmarktest.Once())
	back, err := result.ReadBenchmark(save(t, "bench.json", first))
	if err != nil {
		t.Fatal(err)
	}
	if encoded(t, back) != first {
		t.Error("read and written again it is another document")
	}
}

// Absent lists and histograms are written as empty ones, and the document in memory stays as it was.
func TestNullsAreWrittenAsEmpty(t *testing.T) {
	bare := &result.Benchmark{Header: benchmarktest.Fresh().Header}
	bare.Notes, bare.Validity.Reasons, bare.Settings.Sweep = nil, nil, nil
	bare.Runs = []result.BenchRun{{Scenario: "s",
		Rows: []result.BenchRow{{Identity: result.Identity{Algorithm: "a"}}}}}
	text := encoded(t, bare)
	if got := strings.Count(text, "null"); got != 1 || !strings.Contains(text, `"exact": null`) {
		t.Errorf("%d nulls, want that of exact alone:\n%s", got, text)
	}
	if bare.Notes != nil || bare.Runs[0].Rows[0].Open.Latency.Accepted.Lag != nil {
		t.Error("writing changed the document")
	}
	if _, err := result.ReadBenchmark(save(t, "bench.json", text)); err != nil {
		t.Error(err)
	}
}

// Laid out otherwise, or with a Windows checkout's line ends, it is the same document.
func TestLayoutIsNotSealed(t *testing.T) {
	text := encoded(t, benchmarktest.Small())
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(text)); err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{compact.String(), strings.ReplaceAll(text, "\n", "\r\n")} {
		if _, err := result.ReadBenchmark(save(t, "bench.json", other)); err != nil {
			t.Error(err)
		}
	}
}

func TestReadOfFolders(t *testing.T) {
	dir := t.TempDir()
	if _, err := result.ReadBenchmark(dir); err == nil ||
		!strings.Contains(err.Error(), filepath.Join(dir, "bench.json")+": no such file") {
		t.Errorf("an empty folder: %v", err)
	}
	os.WriteFile(filepath.Join(dir, "bench.json"), []byte(encoded(t, benchmarktest.Small())), 0o644)
	if _, err := result.ReadBenchmark(dir); err != nil {
		t.Error(err)
	}
}

// What cannot be vouched for is refused in one line that names the file, the fault and the remedy.
func TestReadRefuses(t *testing.T) {
	good := encoded(t, benchmarktest.Small())
	const original = "; take the file as bench wrote it, or measure again"
	const run = "; want a bench.json of bench run"
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", ": is empty" + run},
		{"text", "scenario,algorithm\n", ": is not a JSON document" + run},
		{"other JSON", `{"a": 1}`, ": is none of our results" + run},
		{"simulate", `{"schema_version": 2, "tool": {"name": "simulate"}, "runs": []}`,
			": is a result.json of simulate" + run},
		{"kind", strings.Replace(good, `"bench"`, `"bunch"`, 1), `: is of kind "bunch"` + run},
		{"newer", strings.Replace(good, `"schema_version": 2`, `"schema_version": 3`, 1),
			": is a bench.json of bench run with schema_version 3, where this program reads 2; use the version of " +
				"bench that wrote it, or a newer one"},
		{"older", strings.Replace(good, `"schema_version": 2`, `"schema_version": 1`, 1),
			": is a bench.json of bench run with schema_version 1, where this program reads 2; measure again, or use " +
				"the version of bench that wrote it"},
		{"no version", strings.Replace(good, `"schema_version": 2`, `"schema_version": "one"`, 1),
			`: is a bench.json of bench run with schema_version \"one\", where this program reads 2` + original},
		{"edited", strings.Replace(good, `"cores": 2`, `"cores": 3`, 1),
			": it was edited or damaged: it is not what its checksum is of" + original},
		{"no checksum", good[:strings.LastIndex(good, ",")] + "}",
			": it was edited or damaged: it has no checksum" + original},
		{"two documents", good + good, ":"},
		{"cut", "{\n  \"schema_version\": 2,\n  \"kind\": \"be",
			":3:14: it was cut short: the JSON ends too early" + original},
		{"broken", "{\n  \"schema_version\": 2,\n  \"kind\" \"bench\"\n}",
			":3:10: broken JSON: invalid character '\"' after object key" + original},
	} {
		path := save(t, "bench.json", c.text)
		_, err := result.ReadBenchmark(path)
		var bad *result.BadFile
		if !errors.As(err, &bad) || !strings.HasPrefix(err.Error(), path+c.want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s:\n%v\nwant %s", c.name, err, path+c.want)
		}
	}
}

// Cut anywhere, a file is refused.
func TestEveryCutIsRefused(t *testing.T) {
	good := encoded(t, benchmarktest.Small())
	for n := 0; n < len(good)-2; n += longtest.Of(97, 499) {
		if _, err := result.ReadBenchmark(save(t, "bench.json", good[:n])); err == nil {
			t.Fatalf("cut after %d of %d bytes it is taken", n, len(good))
		}
	}
}

// Of a number that JSON cannot say nothing is written.
func TestWriteRefuses(t *testing.T) {
	r := benchmarktest.Small()
	r.Runs[0].Rows[0].Open.AchievedPerS = math.NaN()
	var out strings.Builder
	if err := result.Write(&out, r); err == nil || out.Len() > 0 {
		t.Errorf("%v after %d bytes", err, out.Len())
	}
}

func BenchmarkRead(b *testing.B) {
	text := encoded(b, benchmarktest.Example())
	path := save(b, "bench.json", text)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := result.ReadBenchmark(path); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	r := benchmarktest.Example()
	b.SetBytes(int64(len(encoded(b, r))))
	b.ReportAllocs()
	for b.Loop() {
		encoded(b, r)
	}
}
