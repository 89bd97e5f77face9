//go:build unix && !linux

package redis

import "syscall"

// detached does what it does on Linux, except that the server survives if the run is killed with SIGKILL.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// boundMemory does nothing: macOS accepts a limit on addresses but does not enforce it.
func boundMemory(int, int64) error { return nil }
