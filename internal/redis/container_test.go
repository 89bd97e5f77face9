package redis

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// pretended runs containers that are ways to a private server.
type pretended struct {
	host    *Server
	address string
	// what the command does to the options of a socket
	swallows, refuses bool

	boxes []Box
	ended int
}

func (p *pretended) run(_ context.Context, b Box) (*Container, error) {
	p.boxes = append(p.boxes, b)
	if b.Command != nil && p.refuses {
		return nil, errors.New("exit 1")
	}
	c := &Container{
		Address: p.address,
		Printed: func(context.Context) ([]byte, bool) { return nil, false },
		End:     func(time.Duration) error { p.ended++; return nil },
	}
	for folder := range b.Folders {
		if !p.swallows {
			return c, os.Symlink(p.host.target.addr, filepath.Join(folder, socketName))
		}
	}
	return c, nil
}

// Each command that an image may have, and where it leads.
func TestACommandThatTakesNoSocketLeavesThePortMapping(t *testing.T) {
	before := Containers
	t.Cleanup(func() { Containers = before })
	Containers.Pull = func(context.Context, string) ([]string, error) { return []string{"serve"}, nil }
	Containers.Local = func() bool { return true }
	host := private(t)
	if host.Transport != TransportUnix {
		t.Skip("needs unix sockets")
	}
	for _, c := range []struct {
		name      string
		engine    pretended
		transport string
		runs      int
	}{
		{"takes options", pretended{}, "unix, shared folder", 1},
		{"swallows options", pretended{swallows: true}, "tcp, port mapping", 1},
		{"refuses options", pretended{refuses: true}, "tcp, port mapping", 2},
	} {
		t.Setenv("TMPDIR", t.TempDir())
		engine := &c.engine
		engine.host = host
		engine.address = listen(t, func(near net.Conn) {
			far, err := host.target.connect(context.Background())
			if err != nil {
				return
			}
			defer far.Close()
			go io.Copy(far, near)
			io.Copy(near, far)
		})
		Containers.Run = engine.run
		s, err := Start(t.Context(), "container=redis:8.0", WithDirectTransport())
		if err != nil {
			t.Fatal(err)
		}
		do(t, s, "PING")
		if got := s.Transport + ", " + s.Route; got != c.transport || len(engine.boxes) != c.runs {
			t.Errorf("a command that %s: %s after %d starts; want %s after %d", c.name, got, len(engine.boxes),
				c.transport, c.runs)
		}
		want := []string{"serve", "--unixsocket", "/ratelab/redis.sock", "--unixsocketperm", "777"}
		if got := engine.boxes[0].Command; !slices.Equal(got, want) {
			t.Errorf("%q; want %q", got, want)
		}
		if err := s.Close(); err != nil || engine.ended != 1 {
			t.Errorf("%d containers ended, %v", engine.ended, err)
		}
		if left, _ := os.ReadDir(os.TempDir()); len(left) > 0 {
			t.Errorf("%s is still there", left[0].Name())
		}
	}
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

// Docker's chains of errors are cut to their end, where the reason stands, and the remedy is kept.
func TestContainerErrorsAreOfOneLength(t *testing.T) {
	chain := strings.Repeat("create container: reaper: new reaper: run container: ", 20) +
		"No such image: testcontainers/ryuk:0.13.0"
	got := explainContainer(t.Context(), "redis:8.0", errors.New(chain)).Error()
	if !strings.Contains(got, "TESTCONTAINERS_RYUK_DISABLED=true") ||
		!strings.HasSuffix(got, "No such image: testcontainers/ryuk:0.13.0)") ||
		utf8.RuneCountInString(got) > 350 {
		t.Errorf("%d characters: %s", utf8.RuneCountInString(got), got)
	}
	if got := explainContainer(t.Context(), "redis:8.0",
		errors.New("exit\n 1 \x1b[31m")).Error(); got != `container: image "redis:8.0" does not start (exit 1 \x1b[31m)` {
		t.Error(got)
	}
}

// A name that no image can have is refused before Docker is asked, which is asked again and again otherwise.
func TestWhatNoImageCanBeCalled(t *testing.T) {
	for _, name := range []string{"/dev/null", "a//b", "./redis", "Redis:7", "redis:", "a b", "redis@sha256:12"} {
		_, err := imageName(name, settings{getenv: noEnv})
		var bad *BadSpec
		if !errors.As(err, &bad) || !strings.Contains(err.Error(), "no image can have that name") ||
			strings.ContainsAny(err.Error(), "\n\r") {
			t.Errorf("%q: %v; want a *BadSpec", name, err)
		}
	}
	env := func(name string) string { return map[string]string{"REDIS_IMAGE": "redis://x:hunter2@h"}[name] }
	if _, err := imageName("", settings{getenv: env}); err == nil || strings.Contains(err.Error(), "hunter2") ||
		!strings.Contains(err.Error(), "REDIS_IMAGE") {
		t.Errorf("REDIS_IMAGE: %v", err)
	}
	for _, name := range []string{"redis", "redis:8.0-alpine", "valkey/valkey:8.1", "localhost:5000/redis",
		"local/redis:7.0"} {
		if _, err := imageName(name, settings{getenv: noEnv}); err != nil {
			t.Errorf("%q is refused: %v", name, err)
		}
	}
}
