package redis

import (
	"os"
	"syscall"
)

func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

func killAll(p *os.Process) error { return p.Kill() }

func boundMemory(int, int64) error { return nil }
