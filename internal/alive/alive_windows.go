package alive

import (
	"errors"
	"strconv"
	"syscall"
)

// The rights and the exit code of OpenProcess and GetExitCodeProcess, and the error for a process that is not there.
const (
	queryLimitedInformation = 0x1000
	stillActive             = 259
	invalidParameter        = syscall.Errno(87)
)

// pidSpace is the machine: a process is told from later ones of the same identifier by its start.
func pidSpace() string { return "windows" }

// look tells whether there is a process pid, and when it began.
func look(pid int) (running bool, start string) {
	handle, err := syscall.OpenProcess(queryLimitedInformation, false, uint32(pid))
	if err != nil {
		return !errors.Is(err, invalidParameter), ""
	}
	defer syscall.CloseHandle(handle)
	var code uint32
	if err := syscall.GetExitCodeProcess(handle, &code); err != nil {
		return true, ""
	}
	var created, exited, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(handle, &created, &exited, &kernel, &user); err != nil {
		return code == stillActive, ""
	}
	return code == stillActive, shorter(strconv.FormatInt(created.Nanoseconds()/100, 10))
}

func began(pid int) string {
	_, start := look(pid)
	return start
}
