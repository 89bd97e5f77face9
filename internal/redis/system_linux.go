package redis

import (
	"errors"
	"fmt"
	"os"
	"strconv"
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

// allowed lists the processors that a process may run on, lowest first; 0 is the calling thread.
func allowed(pid int) (all []int, err error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(pid, &set); err != nil {
		return nil, err
	}
	for cpu := 0; len(all) < set.Count(); cpu++ {
		if set.IsSet(cpu) {
			all = append(all, cpu)
		}
	}
	return all, nil
}

// Confine lets every thread of a process run on cpus only, and so those that they start later. The error is the
// system's: other users' processes may not be confined without CAP_SYS_NICE.
func Confine(pid int, cpus []int) error {
	var set unix.CPUSet
	for _, cpu := range cpus {
		set.Set(cpu)
	}
	// A thread that another one starts meanwhile may be missed by one look, but not by the next.
	for range 2 {
		threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
		if err != nil {
			return err
		}
		for _, thread := range threads {
			id, err := strconv.Atoi(thread.Name())
			if err != nil {
				return err
			}
			if err := unix.SchedSetaffinity(id, &set); err != nil && !errors.Is(err, unix.ESRCH) { // it has ended
				return err
			}
		}
	}
	return nil
}
