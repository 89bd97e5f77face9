package alive

import (
	"errors"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// pidSpace is this start of the machine.
func pidSpace() string {
	session, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return session
}

// look tells whether there is a process pid, and when it began.
func look(pid int) (running bool, start string) {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return false, ""
	}
	return true, began(pid)
}

// began is in µs since 1970; "" where it cannot be had.
func began(pid int) string {
	about, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(about.Proc.P_pid) != pid {
		return ""
	}
	at := about.Proc.P_starttime
	return shorter(strconv.FormatInt(int64(at.Sec)*1e6+int64(at.Usec), 10))
}
