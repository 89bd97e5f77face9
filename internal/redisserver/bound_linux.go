package redisserver

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

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
