package engine

import (
	"errors"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"testing"

	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"
)

// Abandon and Close end the process of a server whose script loops.
func TestAServerThatHangsIsEnded(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs signals to find out whether a process runs")
	}
	redistest.Private(t) // or skip
	s, err := redis.Start(t.Context(), redis.KindProcess)
	if err != nil {
		t.Fatal(err)
	}
	info := s.Client.InfoMap(t.Context(), "server").Val()
	pid, err := strconv.Atoi(info["Server"]["process_id"])
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Client.ConfigSet(t.Context(), "lua-time-limit", "1").Err(); err != nil { // 5 s otherwise
		t.Fatal(err)
	}
	gone := make(chan error, 1)
	go func() { gone <- s.Client.Eval(t.Context(), "redis.call('SET', 'k', 1) while true do end", nil).Err() }()
	s.Abandon()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := <-gone; err == nil {
		t.Error("EVAL of an endless loop returned without an error")
	}
	process, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Signal(syscall.Signal(0)); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("the server's process %d still runs (%v)", pid, err)
	}
}
