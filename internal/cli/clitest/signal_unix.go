//go:build unix

package clitest

import (
	"os"
	"syscall"
)

// signals are the signals that scripts can send.
var signals = map[string]os.Signal{
	"INT": os.Interrupt, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "KILL": os.Kill,
	"STOP": syscall.SIGSTOP, "CONT": syscall.SIGCONT,
}
