package bench

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"

	"ratelab/internal/redis"
)

// places are the processors on which a server of our own and its callers run while a closed loop keeps both busy.
//
// Note: an open loop leaves the choice of the generator's to the system: where the pacer shares one processor with the
// workers its lag at the 99th percentile doubles.
type places struct {
	server  int
	callers []int // none: the system chooses for everybody
}

// place confines the server to a processor of its own where that can be done: to one of several, on Linux, with a
// server of ours that runs on this machine.
func place(ctx context.Context, s *redis.Server) places {
	pid, here := s.ProcessID(ctx)
	server, callers, several := redis.Apart()
	if !here || !several || redis.Confine(pid, []int{server}) != nil {
		return places{}
	}
	return places{server, callers}
}

// String says whose the processors were; "" where the system chose.
func (p places) String() string {
	if len(p.callers) == 0 {
		return ""
	}
	return fmt.Sprintf("server on %d; closed loops: generator on %s", p.server,
		strings.Trim(fmt.Sprint(p.callers), "[]"))
}

// apart keeps this process off the server's processor until back is called.
func (p places) apart() (back func()) {
	if len(p.callers) == 0 || redis.Confine(os.Getpid(), p.callers) != nil {
		return func() {}
	}
	before := runtime.GOMAXPROCS(min(runtime.GOMAXPROCS(0), len(p.callers)))
	return func() {
		runtime.GOMAXPROCS(before)
		// what it was; it could be confined before
		_ = redis.Confine(os.Getpid(), append([]int{p.server}, p.callers...))
	}
}
