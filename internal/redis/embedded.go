package redis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"ratelab/internal/embedded"

	"github.com/alicebob/miniredis/v2"
)

// startEmbedded starts a miniredis inside this process. It is reached through net.Pipe and needs no port, so there can
// be any number of them.
func startEmbedded(ctx context.Context, set settings) (*Server, error) {
	if set.memory > 0 {
		return startBounded(ctx, set)
	}
	m, err := embedded.New()
	if err != nil {
		return nil, unavailable("embedded: %v", err)
	}
	s := newEmbedded(target{network: "pipe", addr: "pipe",
		dial: func(context.Context) (net.Conn, error) { return m.Dial() }}, set)
	s.stop = func() error {
		closed := make(chan struct{})
		go func() { m.Close(); close(closed) }()
		select {
		case <-closed:
		case <-time.After(grace): // a script in an endless loop cannot be stopped; it ends with the process
		}
		return nil
	}
	return s, s.started(ctx, func(ctx context.Context) error { return Explain(s.Client.Ping(ctx).Err(), s) })
}

func newEmbedded(t target, set settings) *Server {
	t.label = KindEmbedded
	s := newServer(KindEmbedded, t, set)
	s.Name, s.Version = "miniredis", embeddedVersion
	return s
}

// embeddedVersion is miniredis's version in go.mod.
const embeddedVersion = "2.40.0"

// startBounded starts this program once more, as a server for a script that may do anything. The embedded Lua cannot be
// bounded or stopped: inside this process its memory would count as the run's, and an endless loop would last as long
// as the run. Since not every system can bound a process, that server also watches its own memory.
func startBounded(ctx context.Context, set settings) (*Server, error) {
	program, _ := os.Executable() // "" fails to start
	dir, err := os.MkdirTemp("", folderPattern)
	t := target{network: "unix", addr: filepath.Join(dir, socketName)}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %q", trialVariable, set.memory, t.addr))
	// closed with this process, even if the system kills no orphans; the server then ends
	life, lifeless := cmd.StdinPipe()
	var p *child
	if err = cmp.Or(err, lifeless); err == nil {
		p, err = startChild(cmd)
	}
	if err != nil {
		os.RemoveAll(dir)
		return nil, unavailable("embedded: this program cannot start itself as a server for scripts: %v", err)
	}
	s := newEmbedded(t, set)
	s.cause = p.cause
	s.stop = func() error {
		err := p.end(true)
		life.Close() // cmd.Wait has closed it already
		return errors.Join(err, os.RemoveAll(dir))
	}
	return s.within(ctx, "the embedded server to start", func(ctx context.Context) error {
		if err := s.awaitReady(ctx); err != nil {
			return unavailable("embedded: the embedded server's own process did not start (%s)", s.Ended())
		}
		return boundMemory(cmd.Process.Pid, set.memory)
	})
}

// trialVariable is an environment variable. If it is set, every program with this package serves a unix socket instead
// of its usual work. It serves until its standard input ends, or until scripts have taken the bytes of memory that the
// variable names. The value is a number of bytes and the path of the socket in quotes.
const trialVariable = "RATELAB_TRIAL_SERVER"

func init() {
	if value := os.Getenv(trialVariable); value != "" {
		fmt.Fprintln(os.Stderr, serveTrial(value))
		os.Exit(2)
	}
}

// serveTrial serves the socket that value names, for trialVariable. It returns only with an error.
func serveTrial(value string) error {
	var bytes int64
	var socket string
	if _, err := fmt.Sscanf(value, "%d %q", &bytes, &socket); err != nil {
		return fmt.Errorf("%s: want a number of bytes and the path of a socket: %w", trialVariable, err)
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	m, err := embedded.New()
	if err != nil {
		return err
	}
	// Scripts produce much garbage and keep little data. So collect rarely, but well before the memory bound.
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(bytes / 2)
	go func() {
		for before := heap(); heap() < before+bytes; {
			time.Sleep(20 * time.Millisecond)
		}
		fmt.Fprintln(os.Stderr, "out of memory")
		os.Exit(2) // as if the system had refused the memory
	}()
	for {
		conn, err := listener.Accept()
		if err != nil {
			return err
		}
		go relay(m, conn)
	}
}

// heap returns the bytes in use on this process's heap, garbage included.
func heap() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// relay copies bytes between conn and a new connection to m until one side closes.
func relay(m *miniredis.Miniredis, conn net.Conn) {
	defer conn.Close()
	own, err := m.Dial()
	if err != nil {
		return
	}
	defer own.Close()
	go func() {
		io.Copy(own, conn)
		own.Close()
	}()
	io.Copy(conn, own)
}
