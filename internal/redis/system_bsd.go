//go:build unix && !linux

package redis

import "syscall"

// detached is as on Linux, except that a run which is killed with SIGKILL leaves the server.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// boundMemory does nothing: macOS takes a bound on addresses and does not heed it.
func boundMemory(int, int64) error { return nil }
