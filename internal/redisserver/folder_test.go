package redisserver

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ratelab/internal/alive"
)

// The folder of a killed run goes with the next server, but not one in which a server still listens, nor what somebody
// else has given a name like it.
func TestFoldersOfKilledRunsAreDeleted(t *testing.T) {
	if alive.Self().Start == "" {
		t.Skip("this system does not tell when a process began")
	}
	dir, err := os.MkdirTemp("", "rl") // a short path, as sockets need
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	t.Setenv("TMPDIR", dir)
	dead := alive.Self()
	dead.Start += "0"
	make := func(name, owner string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Join(path, "s"), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{ownerName, filepath.Join("s", socketName)} {
			if err := os.WriteFile(filepath.Join(path, file), []byte(owner), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	make("ratelab-1", dead.String())
	make("ratelab-2", dead.String())
	kept := []string{"other-3", "ratelab-4", "ratelab-5", "ratelab-6", "ratelab-notes"}
	make(kept[0], dead.String())
	make(kept[1], dead.String()) // in which a server listens
	make(kept[2], alive.Self().String())
	make(kept[3], "me")
	if err := os.Mkdir(filepath.Join(dir, kept[4]), 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, kept[1], socketName))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	own, err := makeFolder()
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	want := append(kept, filepath.Base(own))
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("left %q\nwant %q", names, want)
	}
}
