//go:build unix && !linux

package redisserver

import "syscall"

// detached puts the server into a process group of its own, so that a Ctrl-C ends the run, which then ends the
// server, and not both at once. A run that is killed with SIGKILL leaves the server: only Linux can help that.
func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
