package alive

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// pidSpace is this start of the machine, and the namespace of process identifiers that we are in: containers of one
// machine differ in it.
func pidSpace() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, err2 := os.Readlink("/proc/self/ns/pid")
	if err != nil || err2 != nil {
		return ""
	}
	return string(boot) + space
}

// look tells whether there is a process pid, and when it began. One that has ended and that nobody has asked after yet
// is none.
func look(pid int) (running bool, start string) {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return false, ""
	}
	state, start := status(pid)
	return state != "Z" && state != "X", start
}

func began(pid int) string {
	_, start := status(pid)
	return start
}

// status reads the process's state and its start, in ticks since the machine's; see proc(5). Both are empty where they
// cannot be had, as of other users' processes on some machines.
func status(pid int) (state, start string) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return "", ""
	}
	behind := strings.LastIndexByte(string(text), ')') // the program's name, in parentheses, may hold anything
	fields := strings.Fields(string(text[behind+1:]))
	if len(fields) < 20 {
		return "", ""
	}
	return fields[0], shorter(fields[19])
}
