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

// startEmbedded makes a miniredis of our own, reached through net.Pipe: no port, as many at once as wanted.
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
		case <-time.After(grace): // in a script that does not end it obeys nothing, and ends with the process
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

// embeddedVersion is that of miniredis in go.mod.
const embeddedVersion = "2.40.0"

// startBounded starts this program once more, as the server of a script that may do anything: the embedded Lua knows no
// bound and obeys nothing. Inside the process its memory would be the run's, and a loop would run on for as long as the
// run does. Where the system bounds no process, the server looks at its own memory.
func startBounded(ctx context.Context, set settings) (*Server, error) {
	program, _ := os.Executable() // "" does not start
	dir, err := os.MkdirTemp("", folderPattern)
	t := target{network: "unix", addr: filepath.Join(dir, socketName)}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %q", trialVariable, set.memory, t.addr))
	life, lifeless := cmd.StdinPipe() // ends with this process, also where the system ends no orphans
	var p *child
	if err = cmp.Or(err, lifeless); err == nil {
		p, err = startChild(cmd)
	}
	if err != nil {
		os.RemoveAll(dir)
		return nil, unavailable("embedded: this program does not start as the server of a trial: %v", err)
	}
	s := newEmbedded(t, set)
	s.cause = p.cause
	s.stop = func() error {
		err := p.end(true)
		life.Close() // it is closed already, once the end was awaited
		return errors.Join(err, os.RemoveAll(dir))
	}
	return s.within(ctx, "the server of a trial to start", func(ctx context.Context) error {
		if err := s.awaitReady(ctx); err != nil {
			return unavailable("embedded: the server of a trial did not start (%s)", s.Ended())
		}
		return boundMemory(cmd.Process.Pid, set.memory)
	})
}

// trialVariable is the variable of the environment that makes every program with this package serve a socket until its
// standard input ends, or until the scripts have taken so many bytes: a number of bytes, and the
// socket's path in quotes.
const trialVariable = "RATELAB_TRIAL_SERVER"

func init() {
	if value := os.Getenv(trialVariable); value != "" {
		fmt.Fprintln(os.Stderr, serveTrial(value))
		os.Exit(2)
	}
}

// serveTrial is the server of a trial. It returns an error only.
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
	// Scripts make much garbage, and little stays: it is collected seldom, but well before the bound.
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(bytes / 2)
	go func() {
		for before := heap(); heap() < before+bytes; {
			time.Sleep(20 * time.Millisecond)
		}
		fmt.Fprintln(os.Stderr, "out of memory")
		os.Exit(2) // as where the system does not give it
	}()
	for {
		conn, err := listener.Accept()
		if err != nil {
			return err
		}
		go relay(m, conn)
	}
}

// heap is how many bytes are in use on the heap of this process, garbage included.
func heap() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// relay joins a connection to one of the server's own until either side ends.
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
