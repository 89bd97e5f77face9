package redis

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// detached puts the server into a process group of its own, so that a Ctrl-C ends the run, which then ends the
// server, and not both at once; and lets the kernel end it if the run is killed. SIGTERM would not do: a server in
// the middle of a script refuses it.
func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// boundMemory bounds the addresses that a process may use to so many bytes more than it uses now. Redis' Lua then
// answers "not enough memory", also where a script asks for too much at once.
func boundMemory(pid int, bytes int64) error {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return err
	}
	var pages uint64
	if _, err := fmt.Sscan(string(text), &pages); err != nil {
		return err
	}
	most := pages*uint64(os.Getpagesize()) + uint64(bytes)
	return unix.Prlimit(pid, unix.RLIMIT_AS, &unix.Rlimit{Cur: most, Max: most}, nil)
}
