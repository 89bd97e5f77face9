// Package container says what a server in a container takes, and runs none: a client of Docker is more than a hundred
// packages to compile and to link, and only some programs want one. They import package docker below this one for its
// effect, as with a driver of database/sql.
package container

import (
	"context"
	"errors"
	"io"
	"time"
)

// Spec is a container to run.
type Spec struct {
	Image       string
	Entrypoint  string            // "": the image's
	Command     []string          // nil: the image's
	Environment map[string]string // besides the image's
	Folders     map[string]string // of this machine, and where the container sees them
	Data        string            // a folder of the container, in memory instead of the image's anonymous volume
	Labels      map[string]string
	Port        string // that is reached from outside, as in 6379/tcp
	Memory      int64  // bytes that it may take, swap included; 0: any
	AsRoot      bool
}

// State is how a container is.
type State struct {
	Running bool
	PID     int // of its first process, on the machine that Docker is on
}

// Box is a container that was started.
type Box interface {
	// Address is the host and port behind which the Spec's port is.
	Address(ctx context.Context) (string, error)
	State(ctx context.Context) (State, error)
	// Logs is what its processes have printed. The caller closes it.
	Logs(ctx context.Context) (io.ReadCloser, error)
	// End stops it, by force after so long, and removes it.
	End(patience time.Duration) error
}

// Engine runs containers. Its errors are those of Docker and its client, a chain of them in several lines at worst.
type Engine interface {
	// Local reports whether containers run on this machine's own kernel, as far as can be told beforehand. A unix
	// socket crosses neither a virtual machine's border nor a network.
	Local() bool
	// Pull gets an image that is not here. It asks the registry once.
	Pull(ctx context.Context, image string) error
	// Command is the command that the image of spec was made with; the container is made and never started.
	Command(ctx context.Context, spec Spec) ([]string, error)
	// Run starts a container, and returns when its port is taken.
	Run(ctx context.Context, spec Spec) (Box, error)
}

var engine Engine

// Register makes e the Engine of this program, before main.
func Register(e Engine) { engine = e }

// Docker is the engine that was registered. An error is a mistake in how this program is built.
func Docker() (Engine, error) {
	if engine == nil {
		return nil, errors.New("this program is built without containers; import internal/container/docker")
	}
	return engine, nil
}
