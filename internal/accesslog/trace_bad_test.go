package accesslog

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ratelab/internal/longtest"
	"ratelab/internal/message"
)

// badTraces are files that cannot be played, and what is said about each. DIR stands for the file's folder.
var badTraces = []struct {
	name    string
	file    string
	content string
	trace   Trace
	want    string
}{
	{"no format", "t.log", "Nov 16 10:00:00 host sshd: hello\n", Trace{},
		`DIR/t.log:1: no format can be guessed from "Nov 16 10:00:00 host sshd: hello"; want ` + formatsWanted},
	{"an empty file", "t.log", "\n \n", Trace{}, `DIR/t.log: the file is empty; want a trace`},
	{"all skipped", "t.csv", "t,k\n1,a\n", Trace{Time: "t", Skip: 5},
		`DIR/t.csv: no requests are left after skip 5; want at least one`},
	{"a header alone", "t.csv", "t,k\n", Trace{Time: "t"},
		`DIR/t.csv: no requests in it; want at least one`},
	{"carriage returns alone", "a.log", strings.ReplaceAll(accessLog, "\n", "\r"), Trace{},
		`DIR/a.log:1: "10.0.0.1 - - [17/May/2015:10:05:03 +0000] \"GET /a HTTP/1.1\" "…: a carriage return within the line; want lines that end in line feeds, as tr '\r' '\n' <FILE writes them`},
	{"no #Fields", "iis.log", "#Software: IIS\n2024-05-17 10:05:00 192.0.2.1 GET\n", Trace{},
		`DIR/iis.log:2: "2024-05-17 10:05:00 192.0.2.1 GET": no line #Fields: before it; want one that names the fields`},
	{"no CSV after all", "error.log", "05-17 [error] 7: excess, by \"x\", client: 192.0.2.1\n", Trace{},
		`DIR/error.log:1: " by \"x\"": a quote inside an unquoted field; want "…" around the whole field; if it is not CSV, ` +
			`want ` + formatsWanted},
	{"zstd", "t.zst", "\x28\xb5\x2f\xfd....", Trace{},
		`DIR/t.zst: this is zstd data; unpack it first (gzip is read as it is)`},
	{"a zip archive", "t.zip", "PK\x03\x04....", Trace{},
		`DIR/t.zip: this is a zip archive; unpack it first (gzip is read as it is)`},
	{"UTF-16", "t.csv", "\xff\xfet\x00", Trace{}, `DIR/t.csv: this is UTF-16 text; want UTF-8`},

	{"a garbled line", "a.log", accessLog + "what\x1b[2J is this\n", Trace{Format: Combined},
		`DIR/a.log:5: "what\x1b[2J is this": not a line of a combined log; want: client ident user [time] "request" status bytes`},
	{"a wrong day", "a.log", `1.1.1.1 - - [31/Feb/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 1`, Trace{},
		`DIR/a.log:1: time "31/Feb/2015:10:05:03 +0000": want a time such as 17/May/2015:10:05:03 +0000`},
	{"a log without agents", "a.log", `1.1.1.1 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 1`,
		Trace{Key: "agent"},
		`DIR/a.log:1: "200 1": the line has no agent; want a combined log, or another key`},
	{"a key that a log lacks", "a.log", accessLog, Trace{Key: "referer"},
		`DIR/a.log:1: key: "referer" is not a field of a combined log; want one of client, user, method, path, status, host, agent, forwarded, or several joined by +`},
	{"a cost that a log lacks", "a.log", accessLog, Trace{Cost: "bytes"},
		`DIR/a.log:1: cost: "bytes": a combined log has no cost; leave the field out`},

	{"a part of a key that a log lacks", "a.log", accessLog, Trace{Key: "client+pth"},
		`DIR/a.log:1: key: "pth" is not a field of a combined log; did you mean "path"? want one of client, user, method, path, status, host, agent, forwarded, or several joined by +`},
	{"a key with nothing after the plus", "a.log", accessLog, Trace{Key: "client+"},
		`DIR/a.log:1: key: "" is not a field of a combined log; want one of client, user, method, path, status, host, agent, forwarded, or several joined by +`},
	{"several fields that a log lacks", "a.log", accessLog, Trace{Key: "ip", Time: "t"},
		`DIR/a.log:1: key: "ip" is not a field of a combined log; want one of client, user, method, path, status, host, agent, forwarded, or several joined by +
DIR/a.log:1: time: "t": a combined log has its own time; leave the field out, or name its layout: time:%d.%m.%Y %H:%M:%S`},

	{"no time column", "t.csv", "when,who\n1,a\n", Trace{},
		`DIR/t.csv:1: time: no column or field is a known time; want --trace-time, or time in a scenario, with one of "when", "who"; if it is not CSV, ` +
			`want ` + formatsWanted},
	{"an unknown column", "t.csv", "when,who\n1,a\n", Trace{Time: "when", Key: "client"},
		`DIR/t.csv:1: key: no column "client" in the header; want one of "when", "who"`},
	{"a part of a key without a column", "t.csv", "when,who\n1,a\n", Trace{Time: "when", Key: "who+what"},
		`DIR/t.csv:1: key: no column "what" in the header; want one of "when", "who"`},
	{"a part of a key without a field", "t.jsonl", `{"t": 1, "who": "a"}`, Trace{Time: "t", Key: "who+what"},
		`DIR/t.jsonl:1: no field "what"; want it in every line; there are "t", "who"`},
	{"a column twice", "t.csv", "t,t\n1,2\n", Trace{Time: "t"},
		`DIR/t.csv:1: time: column "t" is in the header twice; want names that are unique`},
	{"a field short", "t.csv", "t,k\n1,a\n2\n", Trace{Time: "t"},
		`DIR/t.csv:3: "2": 1 field; want 2, as in the header`},
	{"cut short", "t.csv", "t,k\n1,a\n2", Trace{Time: "t"},
		`DIR/t.csv:3: "2": 1 field; want 2, as in the header; the file ends within this line: is it cut short, or still ` +
			`being written? --trace-bad 1, or bad: 1 in a scenario, leaves the line out`},
	{"an open quote", "t.csv", "t,k\n1,\"a\n2,b\n", Trace{Time: "t"},
		`DIR/t.csv:2: a quote is never closed: "1,\"a\n2,b"; want "" for each quote inside quotes`},
	{"a stray quote", "t.csv", "t,k\n1,a\"b\"\n", Trace{Time: "t"},
		`DIR/t.csv:2: "a\"b\"": a quote inside an unquoted field; want "…" around the whole field`},
	{"a half-quoted field", "t.csv", "t,k\n1,\"a\"b\n", Trace{Time: "t"},
		`DIR/t.csv:2: "\"a\"b": text after or before a quoted field; want "…" around the whole field`},
	{"no time", "t.csv", "t,k\nNaN,a\n", Trace{Time: "t"},
		`DIR/t.csv:2: time "NaN": want RFC 3339 (2023-11-16T18:15:46.68Z), 2023-11-16 18:15:46, Apache's 17/May/2015:10:05:03 +0000, or a number since 1970; or its layout, such as --trace-time 't:%d.%m.%Y %H:%M:%S'`},
	{"before 1970", "t.csv", "t,k\n1969-12-31T23:59:59Z,a\n", Trace{Time: "t"},
		`DIR/t.csv:2: time "1969-12-31T23:59:59Z": want a time within 1970 to 2100`},
	{"a number with a huge exponent", "t.csv", "t\n1700000000\n1.7e999999999\n", Trace{Format: CSV, Time: "t"},
		`DIR/t.csv:3: time "1.7e999999999": want a number of seconds since 1970`},
	{"a leap second in the middle of an hour", "t.csv", "t,k\n2016-12-31T23:58:60Z,a\n", Trace{Time: "t"},
		`DIR/t.csv:2: time "2016-12-31T23:58:60Z": want a time such as 2023-11-16T18:15:46.68Z or 2023-11-16 18:15:46; or its layout, such as --trace-time 't:%d.%m.%Y %H:%M:%S'`},
	{"two kinds of time", "t.csv", "t,k\n2016-12-31T23:59:00Z,a\n1483228800,b\n", Trace{Time: "t"},
		`DIR/t.csv:3: time "1483228800": want a time such as 2023-11-16T18:15:46.68Z or 2023-11-16 18:15:46`},
	{"absurdly late", "t.csv", "t\n1700000000\n999999999999\n", Trace{Format: CSV, Time: "t"},
		`DIR/t.csv:3: time "999999999999": want a time within 1970 to 2100` + otherUnit},
	{"a cost of nothing", "t.csv", "t,c\n1,0\n", Trace{Time: "t", Cost: "c"},
		`DIR/t.csv: no requests in it; want at least one`},
	{"a cost below nothing", "t.csv", "t,c\n1,-4\n", Trace{Time: "t", Cost: "c"},
		`DIR/t.csv:2: cost "-4": want a whole number from 0 to 1000000000`},
	{"half a cost", "t.csv", "t,c\n1,1.5\n", Trace{Time: "t", Cost: "c"},
		`DIR/t.csv:2: cost "1.5": want a whole number from 0 to 1000000000; give costs and limits in a smaller unit`},
	{"an enormous cost", "t.csv", "t,c\n1,2000000000\n", Trace{Time: "t", Cost: "c"},
		`DIR/t.csv:2: cost "2000000000": want a whole number from 0 to 1000000000`},
	{"no cost", "t.csv", "t,c\n1,\n", Trace{Time: "t", Cost: "c"},
		`DIR/t.csv:2: cost "": want a whole number from 0 to 1000000000`},
	{"a sum too large", "t.csv", "t,a,b\n1,600000000,600000000\n", Trace{Time: "t", Cost: "a+b"},
		`DIR/t.csv:2: cost 1200000000: want a whole number from 0 to 1000000000`},
	{"an empty key", "t.csv", "t,k\n1,\n", Trace{Time: "t", Key: "k"},
		`DIR/t.csv:2: the key is empty; want something that names the client`},
	{"a key that is not text", "t.csv", "t,k\n1,a\x00b\n", Trace{Time: "t", Key: "k"},
		`DIR/t.csv:2: key "a\x00b": it has control characters or is not UTF-8; want text`},
	{"a key that is not UTF-8", "t.csv", "t,k\n2,\xff\n", Trace{Time: "t", Key: "k"},
		`DIR/t.csv:2: key "\xff": it has control characters or is not UTF-8; want text`},
	{"an endless key", "t.csv", "t,k\n1," + strings.Repeat("x", 5000) + "\n", Trace{Time: "t", Key: "k"},
		`DIR/t.csv:2: key "` + strings.Repeat("x", 60) + `"…: 5000 bytes long; want at most 4096`},

	{"a template that fits no line", "a.log", accessLog, Trace{Format: `$remote_addr | $user [$time_local] $status`},
		`DIR/a.log:1: "10.0.0.1 - - [17/May/2015:10:05:03 +0000] \"GET /a HTTP/1.1\" "…: no " | " where the template has it; want lines as $remote_addr | $user [$time_local] $status`},
	{"a name that a template lacks", "a.log", accessLog,
		Trace{Format: `$ip - $user [$time_local] "$request"`, Key: "remote_addr"},
		`DIR/a.log:1: key: "remote_addr" is not in the template; want one of ip, user, time_local, request, method, path`},
	{"two formats", "a.log", accessLog + "{}\n", Trace{},
		`DIR/a.log:5: "{}": not a line of a combined log; want: client ident user [time] "request" status bytes`},
	{"no client before the time", "a.log",
		"2024-05-17T10:05:00Z - [17/May/2024:10:05:00 +0000] \"GET / HTTP/1.1\" 200 5\n", Trace{},
		`DIR/a.log:1: "2024-05-17T10:05:00Z - [17/May/2024:10:05:00 +0000] \"GET / H"…: no client; want an address before the time, or a template such as --trace-format ` + exampleTemplate},
	{"a JSON array", "t.json", "[{\"t\": 1}]\n", Trace{},
		`DIR/t.json:1: a JSON array; want one object per line, as jq -c '.[]' FILE writes them`},
	{"other fields in the middle", "i.log",
		"#Fields: date time c-ip\n2024-05-17 10:05:00 192.0.2.1\n#Fields: time date c-ip\n", Trace{},
		`DIR/i.log:3: "#Fields: time date c-ip": other fields than before; want a file of its own for each`},
	{"a compact date", "t.csv", "at,client\n20240517100500,192.0.2.1\n", Trace{},
		`DIR/t.csv:2: time "20240517100500": want a time within 1970 to 2100` + strings.NewReplacer("seconds", "milliseconds", " t:", " at:").Replace(otherUnit)},

	{"not an object", "t.jsonl", "{\"t\": 1}\n[1]\n", Trace{Time: "t"},
		`DIR/t.jsonl:2: "[1]": not a JSON object; want one {…} per line, as jq -c . FILE writes them`},
	{"an object of many lines", "t.json", "{\n\"t\": 2\n}\n", Trace{},
		`DIR/t.json:1: "{": not a JSON object; want one {…} per line, as jq -c . FILE writes them`},
	{"half an object", "t.jsonl", "{\"t\": 2\n", Trace{Time: "t"},
		`DIR/t.jsonl:1: "{\"t\": 2": not a JSON object; want one {…} per line, as jq -c . FILE writes them`},
	{"a field that is absent", "t.jsonl", "{\"t\": 2, \"a\": {\"b\": null}}\n",
		Trace{Time: "t", Key: "a.b"},
		`DIR/t.jsonl:1: field "a.b" is "null"; want a string or a number`},
	{"a field that is a list", "t.jsonl", `{"t": [1]}`, Trace{Time: "t"},
		`DIR/t.jsonl:1: field "t" is "[1]"; want a string or a number`},

	{"a line too late", "t.csv", "t,k\n100.0,a\n200.0,b\n900.5,c\n150.0,d\n", Trace{Time: "t"},
		`DIR/t.csv:5: 1970-01-01T00:02:30Z is 12m30.5s earlier than line 4; want lines at most 10m and 65,536 lines out of order: give each file of a log its own --trace, or sort the file by time`},
	{"a trace of decades", "t.csv", "t,k\n1970-01-01,a\n", Trace{Time: "t"},
		`DIR/t.csv:2: time "1970-01-01": want a time such as 2023-11-16T18:15:46.68Z or 2023-11-16 18:15:46; or its layout, such as --trace-time 't:%d.%m.%Y %H:%M:%S'`},
	{"a trace of years", "t.csv", "t,k\n1.5,a\n99999999,b\n", Trace{Time: "t"},
		`DIR/t.csv:3: the trace lasts longer than 8784h; want less, or a higher speed; times were read as seconds, and --trace-time t:us, or :ms, :ns or :s, names another unit`},
	{"a long line", "t.csv", "t,k\n1," + strings.Repeat("y", 1<<20) + "\n", Trace{Time: "t"},
		`DIR/t.csv:2: the line is longer than 1 MiB: "1,` + strings.Repeat("y", 58) +
			`"…; want a text file of one request per line`},
}

const otherUnit = `; it was read as seconds, and --trace-time t:us, or :ms, :ns or :s, names another unit`

var formatsWanted = "--trace-format with one of " + message.List(Formats()) + `, or with a template such as ` +
	`'$remote_addr - $remote_user [$time_local] "$request" $status'`

func playBad(t *testing.T, file string, trace Trace) string {
	t.Helper()
	trace.File = file
	var failed error
	for _, err := range stream(trace).Requests() {
		if failed != nil {
			t.Error("something follows the error")
		}
		failed = err
	}
	if failed == nil {
		t.Fatal("the trace was played")
	}
	return strings.ReplaceAll(failed.Error(), filepath.Dir(file)+string(filepath.Separator), "DIR/")
}

// leaveOutAdvice ends the first of the messages where a line before it was good; a test of its own holds it to that.
const leaveOutAdvice = "; --trace-bad 10, or bad: 10 in a scenario, leaves out such lines"

func TestBadTraces(t *testing.T) {
	for _, c := range badTraces {
		t.Run(c.name, func(t *testing.T) {
			got := strings.Replace(playBad(t, write(t, c.file, c.content), c.trace), leaveOutAdvice, "", 1)
			if got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestBadGzip(t *testing.T) {
	whole := zipped(t, longLog(2000))
	damaged := []byte(whole)
	damaged[len(damaged)-6] ^= 1 // within the checksum
	for _, c := range []struct{ name, content, want string }{
		{"cut.gz", whole[:len(whole)/2], "DIR/cut.gz: the gzip data end too early, after "},
		{"head.gz", whole[:5], "DIR/head.gz: the gzip data end too early, after 0 bytes of text; want the whole file"},
		{"tail.gz", whole + whole + "x", "DIR/tail.gz: other bytes follow the gzip data, after "},
		{"zeros.gz", whole + strings.Repeat("\x00", 600), "DIR/zeros.gz: other bytes follow the gzip data, after "},
		{"cut-second.gz", whole + whole[:5], "DIR/cut-second.gz: the gzip data end too early, after "},
		{"sum.gz", string(damaged), "DIR/sum.gz: the gzip data are damaged after "},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := playBad(t, write(t, c.name, c.content), Trace{}); !strings.HasPrefix(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// TestCrowdedSecond: more requests in one second than can be held are refused where they would have to be spread.
func TestCrowdedSecond(t *testing.T) {
	longtest.Skip(t, "reads a million lines twice")
	file := write(t, "t.csv", "t\n"+strings.Repeat("5\n", maxPerSecond+1))
	want := fmt.Sprintf("DIR/t.csv:%d: more than 1,048,576 requests carry the same second; want finer timestamps, or "+
		"within_second: at_once", maxPerSecond+2)
	if got := playBad(t, file, Trace{Format: CSV, Time: "t"}); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	got, _ := play(t, Trace{File: file, Format: CSV, Time: "t", WithinSecond: AtStart})
	if len(got) != maxPerSecond+1 {
		t.Errorf("%d requests at once", len(got))
	}
}

func TestValidateTrace(t *testing.T) {
	bad := Trace{File: "a\x07", Format: "xml", WithinSecond: "never", Speed: -1, Skip: -1, Limit: -1}
	want := `file: "a\a" has control characters; want a path
format: "xml" is not a format; want one of ` + message.List(Formats()) + `, or a template such as '$remote_addr - $remote_user [$time_local] "$request" $status'
within_second: "never" is not a rule; did you mean "even"? want one of even, at_once
speed: -1 is out of range; want 0.001 to 1000000
skip: -1 is negative; want 0 or more requests
limit: -1 is negative; want 0 (all) or more requests`
	var got []string
	for _, err := range bad.Validate() {
		got = append(got, err.Error())
	}
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
	noTime := `format: no $name of "$when" is a known time; want $msec, $time_iso8601, $time_local, $time, or its ` +
		`name in --trace-time, or in time in a scenario`
	for format, want := range map[Format]string{
		"$a$time":   `format: no text separates $a and $time; want text between two names`,
		"$when":     noTime,
		"$time $ip": "",
	} {
		got := ""
		for _, wrong := range (Trace{File: "a.log", Format: format}).Validate() {
			got += wrong.Error()
		}
		if got != want {
			t.Errorf("%s: %s", format, got)
		}
	}
}

// Lines that are no requests are left out, as many as a trace allows, and said.
func TestBadLinesAreLeftOut(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.csv")
	lines := "at,user\n1,a\nx,a\n2,b\n,b\n3,a\n"
	if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	trace := Trace{File: file, Key: "user", Time: "at", Bad: 2}
	s := stream(trace)
	var got []int64
	for q, err := range s.Requests() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, q.AtUS/1_000_000)
	}
	if !slices.Equal(got, []int64{0, 1, 2}) {
		t.Errorf("requests at %v s", got)
	}
	if notes := strings.Join(s.Notes(), "\n"); !strings.Contains(notes, "2 lines were left out, not a request") ||
		!strings.Contains(notes, "a.csv:3: ") || !strings.Contains(notes, "a.csv:5: ") {
		t.Errorf("notes:\n%s", notes)
	}
	trace.Bad = 1
	for _, err := range stream(trace).Requests() {
		if err != nil {
			if !strings.Contains(err.Error(), "a.csv:5: ") {
				t.Errorf("got %v", err)
			}
			return
		}
	}
	t.Error("one bad line too many was taken")
}

// A bad line among good ones says what leaves it out; where nothing is good that would be wrong advice.
func TestABadLineNamesTheFlag(t *testing.T) {
	for lines, want := range map[string]string{
		"1,a\nx,a\n2,b\n":                    "--trace-bad 10, or bad: 10 in a scenario, leaves out such lines",
		"1,a\n" + strings.Repeat("x,a\n", 3): "--trace-bad 20, ",
		"x,a\n1,a\n":                         "",
	} {
		file := filepath.Join(t.TempDir(), "a.csv")
		if err := os.WriteFile(file, []byte("at,user\n"+lines), 0o600); err != nil {
			t.Fatal(err)
		}
		trace := Trace{File: file, Key: "user", Time: "at"}
		if strings.Contains(want, "20") {
			trace.Bad = 2
		}
		var got error
		for _, got = range stream(trace).Requests() {
		}
		if got == nil || !strings.Contains(got.Error(), want) ||
			strings.Contains(got.Error(), "--trace-bad") != (want != "") {
			t.Errorf("%q: %v", lines, got)
		}
	}
}
