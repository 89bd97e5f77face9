package load

import (
	"time"

	"golang.org/x/sys/windows"
)

// cpuTime is the processor time of the process so far, or -1.
func cpuTime() time.Duration {
	var created, ended, kernel, user windows.Filetime
	if windows.GetProcessTimes(windows.CurrentProcess(), &created, &ended, &kernel, &user) != nil {
		return -1
	}
	return ticks(kernel) + ticks(user)
}

// ticks is a span of time, which Windows counts in units of 100 ns.
func ticks(t windows.Filetime) time.Duration {
	return time.Duration(int64(t.HighDateTime)<<32+int64(t.LowDateTime)) * 100
}
