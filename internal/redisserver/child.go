package redisserver

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// patience is how long a server of our own may take to answer its first PING, and to end when told to.
const patience = 10 * time.Second

// child is a process that we started, and the end of what it printed.
type child struct {
	cmd  *exec.Cmd
	said tail
	done chan struct{} // closed when it has ended
	err  error         // how it ended; valid after done
}

// startChild starts cmd and waits for its end in the background, on one locked thread: Linux sends the
// parent-death signal when the thread that started the child ends (golang/go#27505).
func startChild(cmd *exec.Cmd) (*child, error) {
	c := &child{cmd: cmd, done: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = &c.said, &c.said
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

// grace is how long the end of a process may trail the end of its connections.
const grace = 200 * time.Millisecond

// cause says how the process ended and what it said last, or "" while it lives.
func (c *child) cause() string {
	select {
	case <-c.done:
	case <-time.After(grace):
		return ""
	}
	how := "exit status 0"
	if c.err != nil {
		how = c.err.Error()
	}
	if last := c.said.lastLines(3); last != "" {
		how += "; it said: " + last
	}
	return how
}
