//go:build unix

package redis

import (
	"errors"
	"os"
	"syscall"
)

// killAll ends a process and what it has started: the program may be a wrapper around the server.
func killAll(p *os.Process) error {
	if err := syscall.Kill(-p.Pid, syscall.SIGKILL); !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return os.ErrProcessDone
}
