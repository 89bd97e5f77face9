package redisserver

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"ratelab/internal/trialserver"
	"ratelab/internal/waiting"
)

// startBoundedEmbedded starts this program once more, as the server. Where the system bounds no process, the server
// looks at its own memory.
func startBoundedEmbedded(ctx context.Context, set settings) (*Server, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, unavailable("embedded: this program does not know where it is, and cannot start itself as the "+
			"server of a trial: %v", err)
	}
	dir, err := makeFolder()
	if err != nil {
		return nil, unavailable("embedded: no temporary directory for the server of a trial: %v", err)
	}
	t := target{network: "unix", addr: filepath.Join(dir, socketName), label: KindEmbedded}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), trialserver.Variable(set.memory, t.addr))
	life, err := cmd.StdinPipe() // ends with this process, also where the system ends no orphans
	var p *child
	if err == nil {
		p, err = startChild(cmd)
	}
	if err != nil {
		os.RemoveAll(dir)
		return nil, unavailable("embedded: this program does not start as the server of a trial: %v", err)
	}
	s := newServer(KindEmbedded, t, set)
	s.Name, s.Version, s.cause = "miniredis", moduleVersion(), p.cause
	s.stop = func() error {
		err := p.end(true)
		life.Close() // it is closed already, once the end was awaited
		return errors.Join(err, os.RemoveAll(dir))
	}
	err = waiting.During(ctx, "the server of a trial to start", time.After, func(ctx context.Context) error {
		return s.started(ctx, func(ctx context.Context) error {
			if err := s.awaitReady(ctx, p.done); err != nil {
				return unavailable("embedded: the server of a trial did not start (%s)", p.cause())
			}
			return boundMemory(cmd.Process.Pid, set.memory)
		})
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}
