//go:build unix

package load

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime is the processor time of the process so far, or -1.
func cpuTime() time.Duration {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return -1
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
