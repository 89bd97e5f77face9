//go:build unix

package redis

import (
	"errors"
	"os"
	"syscall"
)

// killAll kills a process and all processes of its group: the program may be a wrapper that started the server.
func killAll(p *os.Process) error {
	if err := syscall.Kill(-p.Pid, syscall.SIGKILL); !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return os.ErrProcessDone
}
