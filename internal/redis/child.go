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

// patience bounds the wait for the first PING of a server that we started, and for its end after SIGTERM.
const patience = 10 * time.Second

// grace is how long a process may still run after its connections have ended.
const grace = 200 * time.Millisecond

// tailBytes is how many bytes of a server's output are kept.
const tailBytes = 4096

// child is a process that we started, with the last bytes of its output.
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

// Write keeps the last bytes of the process's output. It never fails.
func (c *child) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.said = append(c.said, p...)
	c.said = c.said[max(0, len(c.said)-tailBytes):]
	return len(p), nil
}

// end asks the process to stop. It kills the process if the system has no such signal (Windows), if the signal has no
// effect within patience, or if hangs: a process that hangs does not react to a signal.
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

// cause waits up to wait for the end of the process. It returns how the process ended and its last output, or "" if the
// process still runs.
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

// lastLines returns the last n lines that are not blank, joined by " | ".
func lastLines(text []byte, n int) string {
	var lines []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return message.OneLine(strings.Join(lines[max(0, len(lines)-n):], " | "), mostScreened)
}
