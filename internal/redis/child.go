package redis

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"ratelab/internal/message"
)

// patience is how long a server of our own may take to answer its first PING, and to end when told to.
const patience = 10 * time.Second

// grace is how long the end of a process may trail the end of its connections.
const grace = 200 * time.Millisecond

// tailBytes is how much of a server's output is kept.
const tailBytes = 4096

// child is a process that we started, and the end of what it printed.
type child struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended
	err  error         // how it ended; valid after done

	mu   sync.Mutex
	said []byte
}

// startChild starts cmd and waits for its end in the background, on one locked thread: Linux sends the
// parent-death signal when the thread that started the child ends (golang/go#27505).
func startChild(cmd *exec.Cmd) (*child, error) {
	c := &child{cmd: cmd, done: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = c, c
	cmd.SysProcAttr = detached()
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			c.err = cmd.Wait()
			close(c.done)
		}
	}()
	return c, <-started
}

// Write keeps the end of what the process prints; it never fails.
func (c *child) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.said = append(c.said, p...)
	c.said = c.said[max(0, len(c.said)-tailBytes):]
	return len(p), nil
}

// end asks the process to stop, and kills it where asking is impossible (Windows) or does not help. One that hangs
// would not hear.
func (c *child) end(hangs bool) error {
	if hangs || c.cmd.Process.Signal(syscall.SIGTERM) != nil {
		killAll(c.cmd.Process) // an error means that it has ended already
	}
	select {
	case <-c.done:
	case <-time.After(patience):
		if err := killAll(c.cmd.Process); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return err
		}
		<-c.done
	}
	return nil
}

// cause says how the process ended and what it said last, or "" where it lives for so long.
func (c *child) cause(wait time.Duration) string {
	select {
	case <-c.done:
	case <-time.After(wait):
		return ""
	}
	how := "exit status 0"
	if c.err != nil {
		how = c.err.Error()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if last := lastLines(c.said, 3); last != "" {
		how += "; it said: " + last
	}
	return how
}

// lastLines is the last n lines that say something, on one line, parted by " | ".
func lastLines(text []byte, n int) string {
	var lines []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return message.OneLine(strings.Join(lines[max(0, len(lines)-n):], " | "), mostScreened)
}
