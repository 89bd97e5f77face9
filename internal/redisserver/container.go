package redisserver

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"ratelab/internal/container"
	"ratelab/internal/message"
	"ratelab/internal/waiting"
)

// DefaultImage is what container runs where neither the spec nor REDIS_IMAGE names another.
const DefaultImage = "redis:8.0-alpine"

// containerLabel marks what we started: docker ps --filter label=ratelab finds leftovers.
const containerLabel = "ratelab"

const containerPort = "6379/tcp"

// startContainer gets a server in a container: behind Docker's port mapping, which works everywhere, or, where
// that is asked for and possible, on a unix socket in a folder that both share.
func startContainer(ctx context.Context, image string, set settings) (s *Server, err error) {
	image, err = imageName(image, set)
	if err != nil {
		return nil, err
	}
	docker, err := container.Docker()
	if err != nil {
		return nil, err
	}
	err = waiting.During(ctx, "Docker to get the image "+image, time.After, func(ctx context.Context) error {
		return heeding(ctx, func() error { return explainContainer(ctx, image, docker.Pull(ctx, image)) })
	})
	if err != nil {
		return nil, err
	}
	err = waiting.During(ctx, "Docker to start a container of "+image, time.After, func(ctx context.Context) error {
		return heeding(ctx, func() (err error) { s, err = startBox(ctx, docker, image, set); return err })
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// heeding returns with do, or soon after ctx is done: an ill Docker is asked some things without a context.
func heeding(ctx context.Context, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(lastPatience):
		return ctx.Err()
	}
}

// startBox starts a container of an image that is here.
func startBox(ctx context.Context, docker container.Engine, image string, set settings) (*Server, error) {
	if set.direct && docker.Local() {
		s, err := startSharing(ctx, docker, image, set)
		if s != nil || err != nil {
			return s, err
		}
	}
	if set.around != nil {
		return nil, unavailable("container: %s cannot run inside a program of this machine: its Docker is elsewhere, "+
			"or shares no folder; take --redis process", image)
	}
	return startMapped(ctx, docker, boxSpec(image, set), set)
}

// boxSpec is a container of image with the command that it was made with, so that official, Debian-packaged and Valkey
// images all do.
func boxSpec(image string, set settings) container.Spec {
	spec := container.Spec{Image: image, Port: containerPort, Data: "/data",
		Labels: map[string]string{containerLabel: "server"}, Folders: map[string]string{}}
	if set.memory > 0 {
		spec.Memory = ownMemory + set.memory
	}
	return spec
}

// startMapped runs the container, and turns the server's persistence off once it answers.
//
// Note: testcontainers' Redis module is not used: it waits for a line of the official image's log, and
// overriding the command would need the server's program, whose name differs between images.
func startMapped(ctx context.Context, docker container.Engine, spec container.Spec, set settings) (*Server, error) {
	box, err := docker.Run(ctx, spec)
	if err != nil {
		return nil, explainContainer(ctx, spec.Image, err)
	}
	address, err := box.Address(ctx)
	if err != nil {
		endContainer(box, false)
		return nil, explainContainer(ctx, spec.Image, err)
	}
	t := target{network: "tcp", addr: address, label: "container " + spec.Image}
	s := newServer(KindContainer, t, set)
	s.Route = RoutePortMapping
	s.cause = func() string { return boxCause(box) }
	s.pid = func(ctx context.Context) (int, error) { return s.boxPID(ctx, box) }
	s.stop = func() error { return endContainer(box, s.hangs()) }
	if err := s.started(ctx, func(ctx context.Context) error { return s.awaitBox(ctx, box) }); err != nil {
		return nil, err
	}
	return s, nil
}

// ownMemory is more than a server takes without data.
const ownMemory = 256 << 20

// awaitBox waits until the server in the box answers, and tells it to keep nothing.
func (s *Server) awaitBox(ctx context.Context, box container.Box) error {
	watched, stop := context.WithCancel(ctx)
	defer stop()
	if err := s.awaitReady(ctx, boxEnd(watched, box)); err != nil {
		if cause := boxCause(box); cause != "" {
			return unavailable("%s: the server did not start (%s); is the image a Redis or a Valkey?", s.target.label,
				cause)
		}
		return err
	}
	if err := s.Client.ConfigSet(ctx, "save", "").Err(); err != nil {
		return Explain(err, s)
	}
	return s.identify(ctx)
}

// boxEnd is closed when the container has ended, so that nobody waits for what it would have answered. It
// looks until ctx is done.
func boxEnd(ctx context.Context, box container.Box) <-chan struct{} {
	gone := make(chan struct{})
	go func() {
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if state, err := box.State(ctx); err == nil && !state.Running {
				close(gone)
				return
			}
		}
	}()
	return gone
}

// boxPID is the container's process where it is one of this machine's, as a socket that both share proves.
func (s *Server) boxPID(ctx context.Context, box container.Box) (int, error) {
	if s.Route != RouteSharedFolder {
		return 0, errors.New("the container's processes may be another machine's")
	}
	state, err := box.State(ctx)
	if err != nil {
		return 0, err
	}
	return state.PID, nil
}

// boxCause says how the container ended and what it said last, or "" while it runs.
func boxCause(box container.Box) string {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	state, err := box.State(ctx)
	if err != nil || state.Running {
		return ""
	}
	how := "the container ended"
	if logs, err := box.Logs(ctx); err == nil {
		defer logs.Close()
		var said tail
		io.Copy(&said, logs)
		how += "; it said: " + said.lastLines(3)
	}
	return how
}

// endContainer ends the container. A server that hangs would not hear that it is asked to stop.
func endContainer(box container.Box, hangs bool) error {
	if hangs {
		return box.End(0)
	}
	return box.End(time.Second)
}

// explainContainer words what Docker or its client said, nil for nil: the reason stands at the end of their chains.
func explainContainer(ctx context.Context, image string, err error) error {
	if err == nil {
		return nil
	}
	text := strings.Join(strings.Fields(err.Error()), " ")
	cause := message.Shown(ending(text))
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	case contains(text, "docker not found", "Cannot connect to the Docker daemon", "docker daemon", "docker.sock"):
		return unavailable("container: no Docker answers; start it or set DOCKER_HOST, or take --redis process, "+
			"--redis redis://HOST:PORT or --redis embedded (%s)", cause)
	case contains(text, "reaper"):
		return unavailable("container: testcontainers' reaper does not start; where its image cannot be had, set "+
			"TESTCONTAINERS_RYUK_DISABLED=true (%s)", cause)
	case contains(text, "pull", "registry", "No such image", "not found", "invalid reference format"):
		return unavailable("container: no image %q here or in its registry; check the name, or build or load it "+
			"first (%s)", image, cause)
	}
	return unavailable("container: image %q does not start (%s)", image, cause)
}

// mostOfChain is how many characters of a chain of errors a message has: its end.
const mostOfChain = 160

// ending is the end of a text, from a word on.
func ending(text string) string {
	words := strings.Fields(text)
	length, from := 0, len(words)
	for from > 0 && length+len(words[from-1]) < mostOfChain {
		from--
		length += len(words[from]) + 1
	}
	if from == 0 {
		return text
	}
	return "… " + strings.Join(words[from:], " ")
}

func contains(text string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}
