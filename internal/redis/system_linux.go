package redis

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// detached puts the server into its own process group. Ctrl-C then ends only the run, and the run ends the server. It
// also makes the kernel kill the server if the run is killed. SIGTERM would not do, because a server refuses it while a
// script runs.
func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// boundMemory limits a process's address space to bytes more than it uses now. Redis's Lua then reports "not enough
// memory", even if a script asks for too much in one step.
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
