package accesslog

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/longtest"
	"ratelab/internal/traffic"
)

// write puts a trace into a file of its own.
func write(t testing.TB, name, content string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func zipped(t testing.TB, content string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// stream is a trace as the only phase.
func stream(trace Trace) *traffic.Stream {
	return traffic.Compile(1, []traffic.Phase{{Name: "trace", Trace: trace}})
}

// requests plays a stream to its end and holds it to what limit.Request promises.
func requests(t testing.TB, s *traffic.Stream) (all []limit.Request) {
	t.Helper()
	for r, err := range s.Requests() {
		if err != nil {
			t.Fatal(err)
		}
		if r.Cost < 1 || r.Key == "" || r.AtUS < 0 || len(all) > 0 && r.AtUS < all[len(all)-1].AtUS {
			t.Fatalf("request %+v after %d others", r, len(all))
		}
		all = append(all, r)
	}
	return all
}

// play gives a trace's requests as "at_us key cost" lines.
func play(t testing.TB, trace Trace) (lines []string, s *traffic.Stream) {
	t.Helper()
	s = stream(trace)
	for _, r := range requests(t, s) {
		lines = append(lines, fmt.Sprint(r.AtUS, " ", r.Key, " ", r.Cost))
	}
	return lines, s
}

func expectLines(t *testing.T, got []string, want string) {
	t.Helper()
	if w := strings.Fields(strings.ReplaceAll(want, " ", "·")); !slices.Equal(got,
		strings.Split(strings.ReplaceAll(strings.Join(w, "\n"), "·", " "), "\n")) {
		t.Errorf("requests\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
}

const accessLog = `10.0.0.1 - - [17/May/2015:10:05:03 +0000] "GET /a HTTP/1.1" 200 2326 "-" "curl/8"
10.0.0.2 - jo [17/May/2015:10:05:03 +0000] "POST /b?x=\"1\" HTTP/1.1" 404 - "http://x/" "Mozilla \"5\""

2001:db8::1 - mary ann [17/May/2015:12:05:04 +0200] "GET /a HTTP/1.1" 200 12
`

func TestCombinedLog(t *testing.T) {
	file := write(t, "access.log", accessLog)
	for key, want := range map[string][3]string{
		"":       {"10.0.0.1", "10.0.0.2", "2001:db8::1"},
		"client": {"10.0.0.1", "10.0.0.2", "2001:db8::1"},
		"user":   {"-", "jo", "mary ann"},
		"method": {"GET", "POST", "GET"},
		"path":   {"/a", "/b", "/a"},
		"status": {"200", "404", "200"},

		"client+path":          {"10.0.0.1|/a", "10.0.0.2|/b", "2001:db8::1|/a"},
		"method + user+status": {"GET|-|200", "POST|jo|404", "GET|mary ann|200"},
	} {
		got, _ := play(t, Trace{File: file, Key: key})
		// Two requests share the first second; the third comes a second later, its two hours of zone taken off.
		want := []string{"0 " + want[0] + " 1", "0 " + want[1] + " 1", "1000000 " + want[2] + " 1"}
		if !slices.Equal(got, want) {
			t.Errorf("key %q: %q, want %q", key, got, want)
		}
	}
	agents := write(t, "agents.log", accessLog[:strings.Index(accessLog, "\n\n")])
	got, _ := play(t, Trace{File: agents, Key: "agent"})
	expectLines(t, got, "0 curl/8 1\n0 Mozilla·\\\"5\\\" 1")
}

func TestCSV(t *testing.T) {
	for name, content := range map[string]string{
		"commas": "when,who,in,out\n2023-11-16 18:15:46.6805900,ann,1,2\n2023-11-16 " +
			"18:15:46.7000009,\"bob, jr.\",10,20\n",
		"semicolons": "when;who;in;out\n2023-11-16 18:15:46.6805900;ann;1;2\n2023-11-16 " +
			"18:15:46.7000009;bob, jr.;10;20\n",
		"tabs and CRLF": "when\twho\tin\tout\r\n2023-11-16 18:15:46.6805900\tann\t1\t2\r\n2023-11-16 " +
			"18:15:46.7000009\tbob, jr.\t10\t20\r\n",
		"a byte order mark": "\ufeffwhen,who,in,out\n2023-11-16 18:15:46.6805900,ann,1,2\n2023-11-16 " +
			"18:15:46.7000009,\"bob, jr.\",10,20",
		"a field of two lines": "when,who,in,out,note\n2023-11-16 18:15:46.6805900,ann,1,2,\"two\n\"\"lines\"\"\"\n" +
			"2023-11-16 18:15:46.7000009,\"bob, jr.\",10,20,\n",
		"blank lines": "\n when,who ,in,out\n\n2023-11-16 18:15:46.6805900,ann,1,2\n  \n2023-11-16 " +
			"18:15:46.7000009,\"bob, jr.\",10,20\n\n",
		"zones, and the same µs": "when,who,in,out\n2023-11-16T19:15:46.680590+01:00,ann,1,2\n" +
			"2023-11-16T18:15:46.700000999Z,\"bob, jr.\",10,20\n",
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := play(t, Trace{File: write(t, "t.csv", content), Time: "when", Key: "who", Cost: "in + out"})
			expectLines(t, got, "0 ann 3\n19410 bob,·jr. 30")
		})
	}
}

func TestJSONLines(t *testing.T) {
	file := write(t, "t.jsonl", `{"at": 1700000000.25, "req": {"user": "ann", "n": 3}, "a+b": 4}
{"at": 1700000001, "req": {"user": 42, "n": 1}, "a+b": 5, "more": [1, {}]}
`)
	got, s := play(t, Trace{File: file, Time: "at", Key: "req.user", Cost: "req.n"})
	expectLines(t, got, "0 ann 3\n750000 42 1")
	got, _ = play(t, Trace{File: file, Time: "at", Cost: "a+b"}) // a field of that very name is not a sum
	expectLines(t, got, "0 k0 4\n750000 k0 5")
	want := []string{"t.jsonl: the format was guessed to be jsonl", "t.jsonl: times were read as seconds since 1970"}
	if got := s.Notes(); !slices.Equal(got, want) {
		t.Errorf("notes %q, want %q", got, want)
	}
}

func TestTimestamps(t *testing.T) {
	at := func(text string) time.Time {
		v, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	cases := []struct {
		text  string
		want  time.Time
		whole bool
	}{
		{"2023-11-16T18:15:46Z", at("2023-11-16T18:15:46Z"), true},
		{"2023-11-16 18:15:46.6805909", at("2023-11-16T18:15:46.680590Z"), false}, // 100 ns are cut
		{"2023-11-16t18:15:46.5-07:30", at("2023-11-17T01:45:46.5Z"), false},
		{"2024-02-29T00:00:00+0100", at("2024-02-28T23:00:00Z"), true},
		{"17/May/2015:10:05:03 -0100", at("2015-05-17T11:05:03Z"), true},
		{"1700000000", at("2023-11-14T22:13:20Z"), true},
		{"1700000000.1234567", at("2023-11-14T22:13:20.123456Z"), false},
		{"1700000000123", at("2023-11-14T22:13:20.123Z"), false},
		{"1700000000123.4567", at("2023-11-14T22:13:20.123456Z"), false},
		{"1700000000123456", at("2023-11-14T22:13:20.123456Z"), false},
		{"1700000000123456789", at("2023-11-14T22:13:20.123456Z"), false},
		{"0", at("1970-01-01T00:00:00Z"), true},
		{"2023-11-16T18:15:46.000Z", at("2023-11-16T18:15:46Z"), true},
		{"2023-11-16T18:15:46.0000001Z", at("2023-11-16T18:15:46Z"), false},
		{"2023-11-16 18:15:46,250 UTC", at("2023-11-16T18:15:46.25Z"), false},
		{"2016-12-31T23:59:60.25Z", at("2017-01-01T00:00:00.25Z"), false}, // a leap second
		{"01/Jan/2017:05:29:60 +0530", at("2017-01-01T00:00:00Z"), true},
		{"2023-11-16 18:15:46+00", at("2023-11-16T18:15:46Z"), true},
		{"2023-11-16 18:15:46 +0100", at("2023-11-16T17:15:46Z"), true},
		{"06/Feb/2009:12:14:14.655", at("2009-02-06T12:14:14.655Z"), false},
		{"1.700000000125e+09", at("2023-11-14T22:13:20.125Z"), false},
		{"1.7E9", at("2023-11-14T22:13:20Z"), true},
		{"1700000000000", at("2023-11-14T22:13:20Z"), true},
		{"1700000000000000001", at("2023-11-14T22:13:20Z"), false},
		{"1700000000,5", at("2023-11-14T22:13:20.5Z"), false},
	}
	for _, c := range cases {
		var s stamps
		got, err := s.parse([]byte(c.text))
		if err != nil || got.us != c.want.UnixMicro() || got.whole != c.whole {
			t.Errorf("%s: %d whole=%v, %v; want %d whole=%v", c.text, got.us, got.whole, err, c.want.UnixMicro(),
				c.whole)
		}
	}
}

// TestWithinSecond: a key's requests of one whole second are spread evenly over it, whatever other keys do and whether
// other times have fractions.
func TestWithinSecond(t *testing.T) {
	file := write(t, "t.csv", "t,k\n10,a\n10,b\n10,a\n10.000,a\n10.4,c\n10.4,c\n10,a\n11,a\n")
	trace := Trace{File: file, Format: CSV, Time: "t", Key: "k"}

	got, s := play(t, trace)
	expectLines(t, got, "0 a 1\n0 b 1\n250000 a 1\n400000 c 1\n400000 c 1\n500000 a 1\n750000 a 1\n1000000 a 1")
	if d, _ := s.Duration(); d != 2*time.Second || s.Spread() != 4 {
		t.Errorf("duration %v, want 2s: the last second belongs to the trace; %d spread, want 4", d, s.Spread())
	}
	trace.WithinSecond = AtStart
	got, s = play(t, trace)
	expectLines(t, got, "0 a 1\n0 b 1\n0 a 1\n0 a 1\n0 a 1\n400000 c 1\n400000 c 1\n1000000 a 1")
	if s.Spread() != 0 {
		t.Errorf("%d spread, want none", s.Spread())
	}
}

func TestSkipLimitAndSpeed(t *testing.T) {
	file := write(t, "t.csv", "t,k\n10.0,a\n20.0,b\n30.5,c\n40.0,d\n")
	got, s := play(t, Trace{File: file, Time: "t", Key: "k", Skip: 1, Limit: 2, Speed: 10})
	expectLines(t, got, "0 b 1\n1050000 c 1") // the first request taken is the phase's start
	if d, known := s.Duration(); d != 1050001*time.Microsecond || !known {
		t.Errorf("duration %v, %v", d, known)
	}
}

// TestDurationCutsATrace, and the next phase begins where the duration ends, not the trace.
func TestDurationCutsATrace(t *testing.T) {
	trace := Trace{File: write(t, "t.csv", "t\n10.0\n11.0\n12.0\n"), Time: "t"}
	s := traffic.Compile(1, []traffic.Phase{{Name: "trace", Trace: trace, Duration: 2 * time.Second},
		{Name: "b", Arrivals: traffic.Burst{Size: 1}}})
	var at []int64
	for _, r := range requests(t, s) {
		at = append(at, r.AtUS)
	}
	if want := []int64{0, 1e6, 2e6}; !slices.Equal(at, want) { // 12.0 is outside [0, 2s): the last is the burst
		t.Errorf("requests at %v, want %v", at, want)
	}
}

// TestOutOfOrderLines are sorted, equal times in the order of the file, and counted.
func TestOutOfOrderLines(t *testing.T) {
	got, s := play(t, Trace{File: write(t, "t.csv", "t,k\n100.5,a\n160.5,b\n100.6,c\n100.5,d\n130.1,e\n300.1,f\n"),
		Time: "t", Key: "k"})
	expectLines(t, got, "0 a 1\n0 d 1\n100000 c 1\n29600000 e 1\n60000000 b 1\n199600000 f 1")
	if n := s.Notes(); n[len(n)-1] != "t.csv: 3 of 6 lines were out of order and were sorted" {
		t.Errorf("notes %q", n)
	}
}

// TestSortWindowIsBounded: entries leave it by their number, too, and still in order.
func TestSortWindowIsBounded(t *testing.T) {
	var r reorder
	for i := range int64(sortLines) {
		if err := r.push(entry{at: 5 + i%3, line: i}); err != nil || r.ready() {
			t.Fatalf("entry %d: %v, ready %v", i, err, r.ready())
		}
	}
	if err := r.push(entry{at: 6, line: sortLines}); err != nil || !r.ready() {
		t.Fatalf("%v, ready %v", err, r.ready())
	}
	if e := r.pop(); e.at != 5 || e.line != 0 || r.ready() {
		t.Errorf("released %+v, ready %v", e, r.ready())
	}
}

func TestGzipIsToldByContent(t *testing.T) {
	plain, _ := play(t, Trace{File: write(t, "access.log", accessLog)})
	for _, name := range []string{"access.log.gz", "access.log"} {
		got, _ := play(t, Trace{File: write(t, name, zipped(t, accessLog))})
		if !slices.Equal(got, plain) {
			t.Errorf("%s: %v, want %v", name, got, plain)
		}
	}
	// Logs that were rotated and joined are several gzip members.
	got, _ := play(t, Trace{File: write(t, "two.gz", zipped(t, accessLog[:87])+zipped(t, accessLog[87:]))})
	if !slices.Equal(got, plain) {
		t.Errorf("two members: %v, want %v", got, plain)
	}
}

// longLog writes n lines of a combined log, 500 per second, from 3000 clients.
func longLog(n int) string {
	var b strings.Builder
	start := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range n {
		fmt.Fprintf(&b, "10.0.%d.%d - - [%s] \"GET /item/%d HTTP/1.1\" 200 2326 \"https://example.org/start\" "+
			"\"Mozilla/5.0 (X11; Linux x86_64)\"\n",
			i*7%3000/256, i*7%3000%256,
			start.Add(time.Duration(i/500)*time.Second).Format("02/Jan/2006:15:04:05 -0700"), i%977)
	}
	return b.String()
}

// TestMemoryDoesNotGrowWithTheTrace: a million lines are played in a few megabytes, most of which are blocks that are
// parsed ahead.
func TestMemoryDoesNotGrowWithTheTrace(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // for each processor a block is parsed ahead
	lines := longtest.Of(1_000_000, 100_000)
	file := write(t, "long.log.gz", zipped(t, longLog(lines)))
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before, n, most := heap(), 0, int64(0)
	s := stream(Trace{File: file})
	for _, err := range s.Requests() {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n%50_000 == 0 {
			most = max(most, heap()-before)
		}
	}
	if n != lines || most > 16<<20 {
		t.Errorf("%d requests; the heap grew by %d bytes, want at most 16 MB", n, most)
	}
}
