package redis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// longestSocketPath is a length that every system accepts: sun_path has 104 bytes on macOS and 108 on Linux.
const longestSocketPath = 100

// folderPattern is the pattern for os.MkdirTemp of the folder with our server's socket. Close deletes the folder.
const folderPattern = "ratelab-*"

// programs are the names of servers that findProgram looks up on PATH, in this order.
var programs = []string{"redis-server", "valkey-server"}

// startProcess starts a private server. It has no configuration file, listens on no port if unix sockets exist, and
// keeps nothing on disk outside a directory that Close deletes.
func startProcess(ctx context.Context, program string, set settings) (*Server, error) {
	path, err := findProgram(cmp.Or(program, set.getenv("REDIS_SERVER")))
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", folderPattern)
	var t target
	if err == nil {
		t, err = privateTarget(dir, filepath.Base(path))
	}
	var p *child
	if err == nil {
		p, err = startChild(set.command(path, arguments(t, dir)))
	}
	if err != nil {
		os.RemoveAll(dir)
		return nil, unavailable("process: %s does not start: %v", path, err)
	}
	s := newServer(KindProcess, t, set)
	s.cause = p.cause
	s.stop = func() error { return errors.Join(p.end(s.Hangs()), os.RemoveAll(dir)) }
	return s.within(ctx, filepath.Base(path)+" to start", func(ctx context.Context) error {
		return s.awaitChild(ctx, p, set.memory)
	})
}

// Around describes a program inside which our server runs, such as one that counts instructions.
type Around struct {
	// its path and arguments, before the server's own command; if empty, only Options apply
	Command     []string
	Environment map[string]string // in addition to the process's or the image's own
	Folders     []string          // of this machine; a container sees them under the same paths
	Options     []string          // of the server, after its usual ones
}

// command returns the command that starts path with arguments, inside the program s.around if there is one.
func (s settings) command(path string, arguments []string) *exec.Cmd {
	if s.around == nil {
		return exec.Command(path, arguments...)
	}
	all := slices.Concat(s.around.Command, []string{path}, arguments, s.around.Options)
	c := exec.Command(all[0], all[1:]...)
	c.Env = os.Environ()
	for name, value := range s.around.Environment {
		c.Env = append(c.Env, name+"="+value)
	}
	return c
}

// findProgram returns the path of the server's program: that of name if it is given, else the first of programs on
// PATH.
func findProgram(name string) (string, error) {
	if name != "" {
		path, err := exec.LookPath(name)
		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
			return "", unavailable("process: no program %s; give a path or a name on PATH, as process=PATH or in "+
				"REDIS_SERVER", Repeat(name))
		}
		var failed *exec.Error
		if errors.As(err, &failed) {
			err = failed.Err // the cause without the name
		}
		var at *fs.PathError
		if errors.As(err, &at) {
			err = at.Err
		}
		if err != nil {
			return "", unavailable("process: %s cannot be run: %v", Repeat(name), err)
		}
		return path, nil
	}
	for _, p := range programs {
		if path, err := exec.LookPath(p); err == nil {
			return path, nil
		}
	}
	return "", unavailable("process: neither %s on PATH; install one (apt install redis-server, brew install redis), "+
		"name it in REDIS_SERVER, or take --redis container, --redis redis://HOST:PORT or --redis "+
		"embedded", strings.Join(programs, " nor "))
}

// privateTarget returns a unix socket in dir. It returns a free loopback port if the system has no sockets or dir's
// path is too long for one.
func privateTarget(dir, label string) (target, error) {
	socket := filepath.Join(dir, socketName)
	if runtime.GOOS != "windows" && len(socket) <= longestSocketPath {
		return target{network: "unix", addr: socket, label: label}, nil
	}
	// Another process may take the port before the server binds it. awaitChild therefore checks which process answers.
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return target{}, fmt.Errorf("no free loopback port: %w", err)
	}
	defer l.Close()
	return target{network: "tcp", addr: l.Addr().String(), label: label}, nil
}

func arguments(t target, dir string) []string {
	args := []string{"--save", "", "--appendonly", "no", "--daemonize", "no", "--dir", dir}
	if t.network == "unix" {
		return append(args, "--port", "0", "--unixsocket", t.addr, "--unixsocketperm", "700")
	}
	host, port, _ := net.SplitHostPort(t.addr)
	return append(args, "--bind", host, "--port", port)
}

// awaitChild waits until the server that p runs answers, and returns an error if another server answers. It then limits
// the server to memory bytes more than it uses now; 0 sets no limit.
func (s *Server) awaitChild(ctx context.Context, p *child, memory int64) error {
	if err := s.awaitReady(ctx); err != nil {
		if cause := s.Ended(); cause != "" {
			return unavailable("process: %s does not start: %s", p.cmd.Path, cause)
		}
		return err
	}
	pid, err := s.ownPID(ctx)
	if err != nil {
		return Explain(err, s)
	}
	if s.target.network == "tcp" && pid != p.cmd.Process.Pid {
		return unavailable("process: another server answers on %s; try again", s.target.addr)
	}
	if memory > 0 {
		if err := boundMemory(pid, memory); err != nil {
			return unavailable("process: the server's memory cannot be bounded: %v", err)
		}
	}
	return s.identify(ctx)
}

// ownPID returns the process ID that the server reports: the child may be a wrapper that has started the server.
func (s *Server) ownPID(ctx context.Context) (int, error) {
	info, err := info(ctx, s.Client, "server")
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(info["process_id"])
}

// awaitReady sends PING until the server answers, has ended, or patience has passed.
func (s *Server) awaitReady(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		conn, err := s.target.connect(limited)
		if err == nil {
			conn.Close() // dial without go-redis first: it counts failures and then stops dialing
			if err = s.Client.Ping(limited).Err(); err == nil {
				return nil
			}
		}
		if s.cause(0) != "" {
			return Explain(err, s)
		}
		select {
		case <-tick.C:
		case <-limited.Done():
			if ctx.Err() != nil {
				return ctx.Err()
			}
			s.target.wires.hangs.Store(true) // so that Close does not wait for its end either
			return s.target.unavailable("did not answer within %v of its start (%s)", patience,
				s.target.screen(err.Error()))
		}
	}
}
