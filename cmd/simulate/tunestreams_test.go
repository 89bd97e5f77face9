package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ratelab/internal/limit"
	"ratelab/internal/scenario"
	"ratelab/internal/traffic"
	"ratelab/internal/tune"
)

// Of a log of several files that has changed the ones are named that somebody has written to, or that are gone.
func TestChangedFilesAreNamed(t *testing.T) {
	var paths []string
	for _, name := range []string{"a.log", "b.log", "c.log"} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	s, err := scenario.FromTrace(traffic.Trace{File: paths[0], More: paths[1:]}, limit.Policy{Requests: 1,
		Window: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	before := stamps(s)
	if now := changed(before); now != nil {
		t.Errorf("%v", now)
	}
	if err := os.WriteFile(paths[1], []byte("xx"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(paths[2]); err != nil {
		t.Fatal(err)
	}
	if now := changed(before); !slices.Equal(now, paths[1:]) {
		t.Errorf("%v", now)
	}
	other := &tune.ChangedError{Name: "a.log and 2 more"}
	if nameChanged(&tune.TrafficError{Err: other}, before); other.Name != paths[1]+", "+paths[2] {
		t.Errorf("%s", other.Name)
	}
}
