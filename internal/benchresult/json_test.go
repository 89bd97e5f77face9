package benchresult_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ratelab/internal/benchresult"
	"ratelab/internal/benchresult/benchresulttest"
	"ratelab/internal/longtest"
	"ratelab/internal/result"
)

func encoded(t testing.TB, r *benchresult.Document) string {
	t.Helper()
	var out strings.Builder
	if err := benchresult.WriteJSON(&out, r); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func encodedPair(t testing.TB, p *benchresult.Paired) string {
	t.Helper()
	var out strings.Builder
	if err := benchresult.WritePaired(&out, p); err != nil {
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
	first := encoded(t, example())
	back, err := benchresult.Read(save(t, "bench.json", first))
	if err != nil {
		t.Fatal(err)
	}
	if encoded(t, back) != first {
		t.Error("read and written again it is another document")
	}
	paired := encodedPair(t, benchresulttest.Paired(1.2))
	again, err := benchresult.ReadAny(save(t, "paired.json", paired))
	if err != nil {
		t.Fatal(err)
	}
	if encodedPair(t, again.(*benchresult.Paired)) != paired {
		t.Error("read and written again the comparison is another document")
	}
}

// Absent lists and histograms are written as empty ones, and the document in memory stays as it was.
func TestNullsAreWrittenAsEmpty(t *testing.T) {
	bare := &benchresult.Document{Header: fresh().Header}
	bare.Notes, bare.Validity.Reasons, bare.Settings.Sweep = nil, nil, nil
	bare.Runs = []benchresult.Play{{Scenario: "s",
		Rows: []benchresult.Limiter{{Identity: benchresult.Identity{Algorithm: "a"}}}}}
	text := encoded(t, bare)
	if got := strings.Count(text, "null"); got != 1 || !strings.Contains(text, `"exact": null`) {
		t.Errorf("%d nulls, want that of exact alone:\n%s", got, text)
	}
	if bare.Notes != nil || bare.Runs[0].Rows[0].Open.Latency.Accepted.Lag != nil {
		t.Error("writing changed the document")
	}
	if _, err := benchresult.Read(save(t, "bench.json", text)); err != nil {
		t.Error(err)
	}
}

// Laid out otherwise, or with a Windows checkout's line ends, it is the same document.
func TestLayoutIsNotSealed(t *testing.T) {
	text := encoded(t, small())
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(text)); err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{compact.String(), strings.ReplaceAll(text, "\n", "\r\n")} {
		if _, err := benchresult.Read(save(t, "bench.json", other)); err != nil {
			t.Error(err)
		}
	}
}

func TestReadAnyAndFolders(t *testing.T) {
	dir := t.TempDir()
	if _, err := benchresult.Read(dir); err == nil ||
		!strings.Contains(err.Error(), filepath.Join(dir, "bench.json")+": no such file") {
		t.Errorf("an empty folder: %v", err)
	}
	os.WriteFile(filepath.Join(dir, "paired.json"), []byte(encodedPair(t, benchresulttest.Paired(1))), 0o644)
	if doc, err := benchresult.ReadAny(dir); err != nil || doc.(*benchresult.Paired) == nil {
		t.Error(err)
	}
	os.WriteFile(filepath.Join(dir, "bench.json"), []byte(encoded(t, small())), 0o644)
	if doc, err := benchresult.ReadAny(dir); err != nil || doc.(*benchresult.Document) == nil {
		t.Error(err)
	}
	if _, err := benchresult.Read(dir); err != nil {
		t.Error(err)
	}
}

// What cannot be vouched for is refused in one line that names the file, the fault and the remedy.
func TestReadRefuses(t *testing.T) {
	good, pair := encoded(t, small()), encodedPair(t, benchresulttest.Paired(1))
	const original = "; take the file as bench wrote it, or measure again"
	const run = "; want a bench.json of bench run"
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", ": is empty" + run},
		{"text", "scenario,algorithm\n", ": is not a JSON document" + run},
		{"other JSON", `{"a": 1}`, ": is none of our results" + run},
		{"simulate", `{"schema_version": 2, "tool": {"name": "simulate"}, "runs": []}`,
			": is a result.json of simulate" + run},
		{"paired", pair, ": is a paired.json of bench compare --base --head" + run},
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
		_, err := benchresult.Read(path)
		var bad *result.BadFile
		if !errors.As(err, &bad) || !strings.HasPrefix(err.Error(), path+c.want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s:\n%v\nwant %s", c.name, err, path+c.want)
		}
	}
}

// Cut anywhere, a file is refused.
func TestEveryCutIsRefused(t *testing.T) {
	good := encodedPair(t, benchresulttest.Paired(1))
	for n := 0; n < len(good)-2; n += longtest.Of(97, 499) {
		if _, err := benchresult.ReadAny(save(t, "paired.json", good[:n])); err == nil {
			t.Fatalf("cut after %d of %d bytes it is taken", n, len(good))
		}
	}
}

// Of a number that JSON cannot say nothing is written.
func TestWriteRefuses(t *testing.T) {
	r := small()
	r.Runs[0].Rows[0].Open.AchievedPerS = math.NaN()
	var out strings.Builder
	if err := benchresult.WriteJSON(&out, r); err == nil || out.Len() > 0 {
		t.Errorf("%v after %d bytes", err, out.Len())
	}
}

func BenchmarkRead(b *testing.B) {
	text := encoded(b, benchresulttest.Example())
	path := save(b, "bench.json", text)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := benchresult.Read(path); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	r := benchresulttest.Example()
	b.SetBytes(int64(len(encoded(b, r))))
	b.ReportAllocs()
	for b.Loop() {
		encoded(b, r)
	}
}
