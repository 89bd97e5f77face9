package accesslog

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ratelab/internal/limit"
)

// A log that is dealt out to files, in whatever way, and named in whatever order, is the same log.
func TestFilesOfOneLogAreMergedByTime(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 30 {
		folder, files := t.TempDir(), 1+random.IntN(4)
		parts := make([][]string, files)
		var whole []string
		rotated := random.IntN(2) == 0
		for at, i := 0, 0; i < 200; i++ {
			at += 1 + random.IntN(500) // no two at the same time: their order would be that of the files
			line := fmt.Sprintf("2024-01-01T00:%02d:%02d.%03dZ,k%d", at/60000, at/1000%60, at%1000, random.IntN(5))
			whole = append(whole, line)
			part := random.IntN(files)
			if rotated {
				part = i * files / 200
			}
			parts[part] = append(parts[part], line)
		}
		write := func(name string, lines []string) string {
			path := filepath.Join(folder, name)
			text := "at,user\n" + strings.Join(lines, "\n") + "\n"
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		}
		var names []string
		for i, lines := range parts {
			if len(lines) > 0 {
				names = append(names, write(fmt.Sprint(i), lines))
			}
		}
		random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		trace := Trace{Key: "user", Time: "at"}
		for _, part := range []struct{ skip, limit int64 }{{}, {skip: 7}, {limit: 50}, {3, 11}} {
			trace.Skip, trace.Limit = part.skip, part.limit
			trace.File, trace.More = write("whole", whole), nil
			want := requests(t, stream(trace))
			trace.File, trace.More = names[0], names[1:]
			if got := requests(t, stream(trace)); !slices.Equal(got, want) {
				t.Fatalf("%d files, %+v: %d requests, want %d", files, part, len(got), len(want))
			}
		}
	}
}

// In the second in which a log was rotated the old file's requests come first, whatever the files are called.
func TestTheOldLogComesFirstWithinASecond(t *testing.T) {
	folder := t.TempDir()
	line := `%s - - [01/Jan/2024:00:00:0%d +0000] "GET / HTTP/1.1" 200 5` + "\n"
	fresh, old := filepath.Join(folder, "a"), filepath.Join(folder, "b")
	for path, text := range map[string]string{
		old:   fmt.Sprintf(line, "first", 1) + fmt.Sprintf(line, "second", 2),
		fresh: fmt.Sprintf(line, "third", 2) + fmt.Sprintf(line, "fourth", 3),
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, files := range [][]string{{fresh, old}, {old, fresh}} {
		want := []limit.Request{{AtUS: 0, Key: "first", Cost: 1}, {AtUS: 1_000_000, Key: "second", Cost: 1},
			{AtUS: 1_000_000, Key: "third", Cost: 1}, {AtUS: 2_000_000, Key: "fourth", Cost: 1}}
		if got := requests(t, stream(Trace{File: files[0], More: files[1:]})); !slices.Equal(got, want) {
			t.Errorf("%v: %v", files, got)
		}
	}
}
