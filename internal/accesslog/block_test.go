package accesslog

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"ratelab/internal/longtest"
)

// A log is read in the same way, whatever the size of the blocks and however many of them are parsed at once: as one
// block, or line by line. So are the notes, the error and what comes before it.
func TestBlocksAreReadAsOne(t *testing.T) {
	random := rand.New(rand.NewPCG(rand.Uint64(), 0))
	size, processors := blockSize, runtime.GOMAXPROCS(0)
	defer func() { blockSize = size; runtime.GOMAXPROCS(processors) }()
	folder := t.TempDir()
	for range longtest.Of(400, 40) {
		trace := randomTrace(t, random, folder)
		blockSize = 1 << 23
		runtime.GOMAXPROCS(1)
		want := toTheEnd(trace)
		for _, size := range []int{1, 100, 5000, 64 << 10} {
			for _, n := range []int{1, 2, 4} {
				blockSize = size
				runtime.GOMAXPROCS(n)
				if got := toTheEnd(trace); got != want {
					t.Fatalf("%+v in blocks of %d, by %d processors:\n%s\nas one block:\n%s", trace, size, n, got, want)
				}
			}
		}
	}
}

// toTheEnd is all that a trace plays and says.
func toTheEnd(trace Trace) string {
	var all strings.Builder
	s := stream(trace)
	for q, err := range s.Requests() {
		if err != nil {
			return fmt.Sprintf("%s%v", all.String(), err)
		}
		fmt.Fprintln(&all, q.AtUS, q.Key, q.Cost)
	}
	first, last := s.Recorded()
	fmt.Fprintln(&all, s.Notes(), s.Formats(), s.Spread(), first, last)
	return all.String()
}

// randomTrace writes a log to files, and gives a way to read it that may be wrong.
func randomTrace(t *testing.T, random *rand.Rand, folder string) Trace {
	of := func(all ...string) string { return all[random.IntN(len(all))] }
	one := func(in int) bool { return random.IntN(in) == 0 }
	trace := Trace{Bad: []int64{0, 5, 1000}[random.IntN(3)], Skip: int64(random.IntN(3))}
	if one(4) {
		trace.Limit = 1 + int64(random.IntN(30))
	}
	if one(4) {
		trace.SkipKey = "-"
	}
	head, line := "", func(at, key string) string { return key + " - - [" + at + `] "GET / HTTP/1.1" 200 1 "-" "a"` }
	fraction, comment := ".5", ""
	switch of("combined", "csv", "jsonl", "w3c", "template") {
	case "csv":
		head = "at,client,cost"
		line = func(at, key string) string {
			if one(8) {
				key = "\"a \"\" quoted\n" + of("", "\r\n", "x\n\n") + key + `"`
			}
			return fmt.Sprintf("%s,%s,%d", at, strings.ReplaceAll(key, ", ", ""), 1+random.IntN(3))
		}
		trace.Cost = of("", "cost")
	case "jsonl":
		line = func(at, key string) string { return fmt.Sprintf(`{"ts":%q,"client_ip":%q}`, at, key) }
	case "w3c":
		head, comment = "#Version: 1.0\n#Fields: date time c-ip x", "#Remark: this"
		line = func(at, key string) string {
			return at + " " + strings.ReplaceAll(key, ", ", "") + " -"
		}
	case "template":
		trace.Format = "$time|$client|$rest"
		line = func(at, key string) string { return at + "|" + key + "|x" }
	}
	stamp := func(second int, whole bool) string {
		at := fmt.Sprintf("2024-01-01 %02d:%02d:%02d", second/3600%24, second/60%60, second%60)
		if !whole {
			at += fraction
		}
		return at
	}
	for file := range 1 + random.IntN(3) {
		var text strings.Builder
		if head != "" {
			text.WriteString(head + "\n")
		}
		ill, long := one(2), one(10)
		for second := 3600 + random.IntN(20); random.IntN(200) > 0; second += random.IntN(3) / 2 * random.IntN(3) {
			at := second
			if one(20) {
				at -= random.IntN(20)
			}
			key := "10.0.0." + fmt.Sprint(random.IntN(9))
			switch {
			case one(30):
				key = "-"
			case one(30):
				key += ":80"
			case one(30):
				key += ", 10.1.1.1"
			case one(30):
				key = of("somebody", "fe80::1", "web:10.3.3.3")
			case ill && one(300):
				key = ""
			}
			l := line(stamp(at, !one(3)), key)
			switch {
			case ill && one(40):
				l = of("bad", l[:random.IntN(len(l))], comment, "", " ", `"`, line(stamp(second-1200, true), "10.9.9.9"))
			case long && one(9):
				l += strings.Repeat(of("x", " "), []int{9000, 1 << 20}[random.IntN(40)/39])
			}
			text.WriteString(l + of("\n", "\n", "\n", "\r\n"))
		}
		content := text.String()
		if one(3) {
			content = strings.TrimRight(content, "\r\n")
		}
		if one(3) {
			content = zipped(t, content)
			if one(5) {
				content = content[:random.IntN(len(content))]
			}
		}
		path := filepath.Join(folder, fmt.Sprint(file))
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if file == 0 {
			trace.File = path
		} else {
			trace.More = append(trace.More, path)
		}
	}
	slices.Sort(trace.More)
	return trace
}
