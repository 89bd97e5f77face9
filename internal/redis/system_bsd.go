//go:build unix && !linux

package redis

import (
	"syscall"
)

// detached puts the server into a process group of its own, so that a Ctrl-C ends the run, which then ends the
// server, and not both at once. A run that is killed with SIGKILL leaves the server: only Linux can help that.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// boundMemory does nothing: macOS takes a bound on addresses and does not heed it.
func boundMemory(int, int64) error { return nil }
