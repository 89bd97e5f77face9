package redisserver

import "syscall"

// detached puts the server into a process group of its own, so that a Ctrl-C ends the run, which then ends the
// server, and not both at once; and lets the kernel end it if the run is killed. SIGTERM would not do: a server in
// the middle of a script refuses it.
func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
