package accesslog

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Each of the formats that people have is read with one flag at most, and what is guessed or repaired is said.
// testdata/logs.txt has lines as servers write them, by the formats that they document.
func TestLogs(t *testing.T) {
	for _, log := range strings.Split(contents(t, "testdata/logs.txt"), "\n\n") {
		name, log, _ := strings.Cut(log, "\n")
		t.Run(strings.TrimPrefix(name, "# "), func(t *testing.T) { testLog(t, log) })
	}
}

// Each format is guessed from the sample in its file, which is read as the file says.
func TestFormats(t *testing.T) {
	files, err := filepath.Glob("formats/*")
	if err != nil || len(files) != len(layouts()) {
		t.Fatalf("%d files, %d formats: %v", len(files), len(layouts()), err)
	}
	for i, f := range Formats()[:len(files)] {
		t.Run(string(f), func(t *testing.T) {
			var log []string
			for _, line := range strings.Split(contents(t, files[i]), "\n")[1:] {
				if !strings.HasPrefix(line, "format: ") { // it is to be guessed
					log = append(log, line)
				}
			}
			testLog(t, strings.Join(append(log, "! the format was guessed to be "+string(f)), "\n"))
		})
	}
	for f := range coded {
		if !slices.Contains(Formats(), f) {
			t.Errorf("%s has no formats/NN-%s.txt; write what it is for, and a sample", f, f)
		}
	}
}

func contents(t testing.TB, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// testLog reads the lines of a log after <, with the flags before them, and wants what is after > and !.
func testLog(t *testing.T, log string) {
	t.Helper()
	var trace Trace
	var lines string
	var want, notes []string
	for _, line := range strings.Split(log, "\n") {
		switch field, value, _ := strings.Cut(line, " "); field {
		case "format:":
			trace.Format = Format(value)
		case "key:":
			trace.Key = value
		case "skip:":
			trace.SkipKey = value
		case "time:":
			trace.Time = value
		case "cost:":
			trace.Cost = value
		case "<":
			lines += value + "\n"
		case ">": // microseconds and key
			want = append(want, value)
		case "!":
			notes = append(notes, value)
		default:
			t.Fatalf("%q", line)
		}
	}
	trace.File = write(t, "t.log", lines)
	got, s := play(t, trace)
	for i := range got {
		got[i] = got[i][:strings.LastIndexByte(got[i], ' ')]
	}
	if !slices.Equal(got, want) || len(want) == 0 {
		t.Errorf("requests %q, want %q", got, want)
	}
	for _, note := range notes {
		if all := strings.Join(s.Notes(), "\n"); !strings.Contains(all, note) {
			t.Errorf("notes\n%s\nwant %s", all, note)
		}
	}
}

// A trace has its first time, whatever the order of its lines, and an empty file among others is no fault.
func TestBegan(t *testing.T) {
	line := "192.0.2.1 - - [17/May/2024:10:05:%s +0000] \"GET / HTTP/1.1\" 200 5\n"
	trace := Trace{File: write(t, "a.log", fmt.Sprintf(line, "30")+fmt.Sprintf(line, "29")),
		More: []string{write(t, "b.log", "")}}
	began, err := trace.Began()
	if want := time.Date(2024, 5, 17, 10, 5, 29, 0, time.UTC).UnixMicro(); began != want || err != nil {
		t.Errorf("%d, %v; want %d", began, err, want)
	}
	_, s := play(t, trace)
	if notes := strings.Join(s.Notes(), "\n"); !strings.Contains(notes, "1 empty file was left out") {
		t.Error(notes)
	}
	if _, err := (Trace{File: trace.More[0], More: []string{write(t, "c.log", "\n")}}).Began(); err == nil {
		t.Error("only empty files were played")
	}
}

// Lines come up to ten minutes late; a later one is a bad line, which --trace-bad counts.
func TestLateLines(t *testing.T) {
	file := write(t, "t.csv", "t,k\n1000,a\n1600,b\n1000,c\n1601,d\n999,e\n1700,f\n")
	got, s := play(t, Trace{File: file, Time: "t", Key: "k", Bad: 1})
	expectLines(t, got, "0 a 1\n0 c 1\n600000000 b 1\n601000000 d 1\n700000000 f 1")
	want := "1 line was left out, not a request or too late: "
	if notes := strings.Join(s.Notes(), "\n"); !strings.Contains(notes, want) {
		t.Error(notes)
	}
}
