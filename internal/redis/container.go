package redis

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/distribution/reference"

	"ratelab/internal/message"
)

// DefaultImage is what container runs where neither the spec nor REDIS_IMAGE names another.
const DefaultImage = "redis:8.0-alpine"

// Containers are the functions that run containers. Package host sets them; without it they are nil. A client of Docker
// is more than a hundred packages to compile and to link, and only some programs want one. Errors are those of Docker
// and its client, a chain of them in several lines at worst.
var Containers struct {
	// Pull gets an image, from the registry where it is not here, which is asked once. It returns the image's command.
	Pull func(ctx context.Context, image string) (command []string, err error)
	// Local reports whether containers run on this machine's own kernel, as far as can be told beforehand. A unix
	// socket crosses neither a virtual machine's border nor a network.
	Local func() bool
	// Run starts a container, and returns when its port is taken.
	Run func(ctx context.Context, b Box) (*Container, error)
}

// Box is what a container is made of.
type Box struct {
	Image       string
	Entrypoint  string            // "": the image's
	Command     []string          // nil: the image's
	Environment map[string]string // besides the image's
	Folders     map[string]string // of this machine, and where the container sees them
	Memory      int64             // bytes that it may take, swap included; 0: any
	AsRoot      bool
}

// Container is one that was started.
type Container struct {
	Address string // the host and port behind which the server's port is
	// Printed returns what its processes have printed, and whether the container has ended.
	Printed func(ctx context.Context) (text []byte, ended bool)
	// End stops it, by force after so long, and removes it.
	End func(patience time.Duration) error
}

// imageName is the image that is asked for: the one given, the environment's or DefaultImage.
func imageName(given string, set settings) (string, error) {
	from, image := KindContainer+"=", cmp.Or(given, set.getenv("REDIS_IMAGE"), DefaultImage)
	if given == "" {
		from = "REDIS_IMAGE="
	}
	if !repeatable(image) {
		return "", badSpec("server \"%s…\": no image can have that name %s; want one such as redis:8.0", from,
			notRepeated)
	}
	if _, err := reference.ParseNormalizedNamed(image); err != nil {
		return "", badSpec("server %s: no image can have that name; want one such as redis:8.0",
			message.Quote(from+image))
	}
	return image, nil
}

// startContainer gets a server in a container: behind Docker's port mapping, which works everywhere, or, where
// that is asked for and possible, on a unix socket in a folder that both share.
func startContainer(ctx context.Context, image string, set settings) (s *Server, err error) {
	if Containers.Run == nil {
		return nil, errors.New("this program is built without containers; import internal/host")
	}
	if image, err = imageName(image, set); err != nil {
		return nil, err
	}
	var command []string
	err = during(ctx, "Docker to get the image "+image, func(ctx context.Context) (err error) {
		command, err = Containers.Pull(ctx, image)
		return explainContainer(ctx, image, err)
	})
	if err != nil {
		return nil, err
	}
	err = during(ctx, "Docker to start a container of "+image, func(ctx context.Context) (err error) {
		s, err = startBox(ctx, image, command, set)
		return err
	})
	return s, err
}

// ownMemory is more than a server takes without data.
const ownMemory = 256 << 20

// boxFolder is where a container sees the shared folder; socketName is the socket in it, on both sides.
const (
	boxFolder  = "/ratelab"
	socketName = "redis.sock"
)

// startBox starts a container of an image that is here. Official images' entrypoints pass the options of a socket on
// to the server, also where there is no command. A command that swallows them leaves the port mapping, and one that
// refuses them is started again without.
//
// Note: host networking would do without a shared folder, but not without a free port that nobody else takes meanwhile,
// and it gives the server more of the machine than it needs.
func startBox(ctx context.Context, image string, command []string, set settings) (*Server, error) {
	box := Box{Image: image}
	if set.memory > 0 {
		box.Memory = ownMemory + set.memory
	}
	if set.direct && Containers.Local() {
		if folder, err := newSharedFolder(); err == nil {
			command = append(command, "--unixsocket", path.Join(boxFolder, socketName), "--unixsocketperm", "777")
			s, err := set.run(ctx, set.inside(box, command, folder), folder)
			if err == nil || set.around != nil || ctx.Err() != nil {
				return s, err
			}
		}
	}
	if set.around != nil {
		return nil, unavailable("container: %s cannot run inside a program of this machine: its Docker is elsewhere, "+
			"or shares no folder; take --redis process", image)
	}
	return set.run(ctx, box, "")
}

// inside is the box with a command and a shared folder, inside what is around the server.
func (s settings) inside(box Box, command []string, folder string) Box {
	box.Command, box.Folders = command, map[string]string{folder: boxFolder}
	if s.around == nil {
		return box
	}
	box.Command = slices.Concat(s.around.Command, command, s.around.Options)
	if len(s.around.Command) > 0 {
		box.Entrypoint, box.Command = box.Command[0], box.Command[1:]
		box.Environment, box.AsRoot = s.around.Environment, true
		for _, folder := range s.around.Folders {
			box.Folders[folder] = folder
		}
	}
	return box
}

// run runs the container, and turns the server's persistence off once it answers. The shared folder, if there is one,
// goes with the server.
//
// Note: testcontainers' Redis module is not used: it waits for a line of the official image's log, and
// overriding the command would need the server's program, whose name differs between images.
func (set settings) run(ctx context.Context, b Box, folder string) (*Server, error) {
	box, err := Containers.Run(ctx, b)
	if err != nil {
		removeShared(folder)
		return nil, explainContainer(ctx, b.Image, err)
	}
	s := newServer(KindContainer, target{network: "tcp", addr: box.Address, label: "container " + b.Image}, set)
	s.Route = RoutePortMapping
	s.cause = func(time.Duration) string { return lastWords(box) }
	s.stop = func() error {
		grace := time.Second
		if s.Hangs() { // it would not hear that it is asked to stop
			grace = 0
		}
		return errors.Join(box.End(grace), removeShared(folder))
	}
	return s, s.started(ctx, func(ctx context.Context) error {
		if err := s.awaitReady(ctx); err != nil {
			if cause := s.Ended(); cause != "" {
				return s.target.unavailable("the server did not start (%s); is the image a Redis or a Valkey?", cause)
			}
			return err
		}
		if err := s.Client.ConfigSet(ctx, "save", "").Err(); err != nil {
			return Explain(err, s)
		}
		if err := s.identify(ctx); err != nil || folder == "" {
			return err
		}
		s.reroute(ctx, filepath.Join(folder, socketName), set)
		return nil
	})
}

// lastWords says how the container ended and what it said last, or "" while it runs.
func lastWords(box *Container) string {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	text, ended := box.Printed(ctx)
	if !ended {
		return ""
	}
	return "the container ended; it said: " + lastLines(text[max(0, len(text)-tailBytes):], 3)
}

// newSharedFolder makes a folder that whatever user the server runs as may write to, inside one that no other
// user of this machine may enter.
func newSharedFolder() (string, error) {
	outer, err := os.MkdirTemp("", folderPattern)
	if err != nil {
		return "", err
	}
	folder := filepath.Join(outer, "s")
	err = errors.Join(os.Mkdir(folder, 0o700), os.Chmod(folder, 0o777)) // Mkdir's mode would be masked
	if err == nil && len(filepath.Join(folder, socketName)) > longestSocketPath {
		err = errors.New("the path is too long for a socket")
	}
	if err != nil {
		removeShared(folder)
	}
	return folder, err
}

// removeShared removes the folder with the one around it; "" is none.
func removeShared(folder string) error {
	if folder == "" {
		return nil
	}
	return os.RemoveAll(filepath.Dir(folder))
}

// reroute moves s, which nobody uses yet, onto the socket if somebody listens there: only the container can.
func (s *Server) reroute(ctx context.Context, socket string, set settings) {
	there := s.target
	there.network, there.addr = "unix", socket
	conn, err := there.connect(ctx)
	if err != nil {
		return
	}
	conn.Close()
	s.Client.Close()
	s.target, s.Client = there, newClient(there, set.poolSize)
	s.Transport, s.Route = there.transport(), RouteSharedFolder
}

// explainContainer words what Docker or its client said, nil for nil: the reason stands at the end of their chains.
func explainContainer(ctx context.Context, image string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	}
	text := strings.Join(strings.Fields(err.Error()), " ")
	says := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
	}
	cause := message.Shown(ending(text))
	switch {
	case says("docker not found", "Cannot connect to the Docker daemon", "docker daemon", "docker.sock"):
		return unavailable("container: no Docker answers; start it or set DOCKER_HOST, or take --redis process, "+
			"--redis redis://HOST:PORT or --redis embedded (%s)", cause)
	case says("reaper"):
		return unavailable("container: testcontainers' reaper does not start; where its image cannot be had, set "+
			"TESTCONTAINERS_RYUK_DISABLED=true (%s)", cause)
	case says("pull", "registry", "No such image", "not found", "invalid reference format"):
		return unavailable("container: no image %q here or in its registry; check the name, or build or load it "+
			"first (%s)", image, cause)
	}
	return unavailable("container: image %q does not start (%s)", image, cause)
}

// mostOfChain is how many bytes of a chain of errors a message has: its end, from a word on.
const mostOfChain = 160

func ending(text string) string {
	if len(text) <= mostOfChain {
		return text
	}
	_, text, _ = strings.Cut(text[len(text)-mostOfChain:], " ")
	return "… " + text
}
