package redisserver

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"ratelab/internal/container"
	_ "ratelab/internal/container/docker"
)

func TestOnlyTheSameRunOfAServerIsReroutedTo(t *testing.T) {
	s, other := private(t), private(t)
	if s.Transport != TransportUnix {
		t.Skip("needs unix sockets")
	}
	client := s.Client
	if s.reroute(t.Context(), other.target.addr, settings{poolSize: 1}) {
		t.Error("another server was taken for this one")
	}
	if s.reroute(t.Context(), s.target.addr+"x", settings{poolSize: 1}) {
		t.Error("nobody was taken for this server")
	}
	if s.Client != client || s.Link() != "unix" {
		t.Errorf("what could not be rerouted has link %q", s.Link())
	}
	if !s.reroute(t.Context(), s.target.addr, settings{poolSize: 1}) || s.Link() != "unix, shared folder" {
		t.Errorf("the server itself was not recognized; link %q", s.Link())
	}
	do(t, s, "PING")
}

func TestSharedFolderIsClosedToOthersOutside(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("has other permissions")
	}
	t.Setenv("TMPDIR", t.TempDir())
	folder, err := newSharedFolder()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{folder: 0o777, filepath.Dir(folder): 0o700} {
		if about, err := os.Stat(path); err != nil || about.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %v", path, about.Mode(), err, want)
		}
	}
	long := filepath.Join(t.TempDir(), strings.Repeat("d", longestSocketPath))
	if err := os.Mkdir(long, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", long)
	if _, err := newSharedFolder(); err == nil {
		t.Error("a path that is too long for a socket was accepted")
	}
	if left, _ := os.ReadDir(long); len(left) > 0 {
		t.Errorf("%s is still there", left[0].Name())
	}
}

// images are those of RATELAB_TEST_IMAGES; without any, the test is skipped.
func images(t *testing.T) []string {
	t.Helper()
	named := os.Getenv("RATELAB_TEST_IMAGES")
	if named == "" {
		t.Skip("no images; set RATELAB_TEST_IMAGES=redis:8.0-alpine,valkey/valkey:8.1")
	}
	return strings.Split(named, ",")
}

func docker(t *testing.T) container.Engine {
	t.Helper()
	engine, err := container.Docker()
	if err != nil {
		t.Fatal(err)
	}
	return engine
}

// All of them at once: two images are compared in alternating rounds.
func TestContainersAreReachedDirectly(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var runs []string
	var servers []*Server
	for _, image := range append(images(t), images(t)[0]) {
		s, err := Start(t.Context(), "container="+image, WithDirectTransport())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		servers = append(servers, s)
		runs = append(runs, runID(t.Context(), s.Client))
		want := "tcp, port mapping"
		if docker(t).Local() {
			want = "unix, shared folder"
		}
		if s.Link() != want {
			t.Errorf("%s: %s; want %s", image, s.Link(), want)
		}
	}
	if slices.Sort(runs); len(slices.Compact(runs)) != len(servers) || runs[0] == "" {
		t.Errorf("runs %q; want one for each of %d servers", runs, len(servers))
	}
	for _, s := range servers {
		do(t, s, "SET", s.Prefix+"k", "1")
		if err := s.NewClient(1).Get(t.Context(), s.Prefix+"k").Err(); err != nil {
			t.Errorf("%v: another client: %v", s, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if left, _ := os.ReadDir(os.TempDir()); len(left) > 0 {
		t.Errorf("%s is still there", left[0].Name())
	}
}

// Each command that an image may have, and where it leads.
func TestCommandsThatTakeNoSocketLeaveThePortMapping(t *testing.T) {
	if _ = images(t); !docker(t).Local() {
		t.Skip("Docker is elsewhere")
	}
	image := images(t)[0]
	program, err := docker(t).Command(t.Context(), boxSpec(image, settings{}))
	if err != nil || len(program) == 0 {
		t.Fatal(program, err)
	}
	serve := program[0] + " --protected-mode no"
	for _, c := range []struct {
		name    string
		command []string
		want    string
	}{
		{"swallows options", []string{"sh", "-c", serve}, "tcp, port mapping"},
		{"refuses options", []string{"sh", "-c", "echo no options; exit $#", "x"}, ""},
		{"takes options", []string{program[0], "--protected-mode", "no"}, "unix, shared folder"},
	} {
		folder, err := newSharedFolder()
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(filepath.Dir(folder))
		s, err := startWithSocket(t.Context(), docker(t), image, settings{poolSize: 1}, c.command, folder)
		if err != nil {
			if c.want != "" {
				t.Errorf("a command that %s: %v", c.name, err)
			}
			continue
		}
		s.reroute(t.Context(), filepath.Join(folder, socketName), settings{poolSize: 1})
		if s.Link() != c.want {
			t.Errorf("a command that %s: link %q; want %q", c.name, s.Link(), c.want)
		}
		s.Close()
	}
}
