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

// DefaultImage is the container image if neither the spec nor REDIS_IMAGE names one.
const DefaultImage = "redis:8.0-alpine"

// Containers are the functions that run containers. Package host sets them. Without that package they are nil, and
// programs that need no containers do not compile and link the more than a hundred packages of Docker's client. Errors
// come from Docker and its client. Some are chains of errors on several lines.
var Containers struct {
	// Pull returns the image's command. If the image is not on this machine, Pull asks the registry once.
	Pull func(ctx context.Context, image string) (command []string, err error)
	// Local reports whether containers run on this machine's own kernel, as far as this is known before the start. A
	// unix socket works neither across the border of a virtual machine nor across a network.
	Local func() bool
	// Run starts a container. It returns when the container's port accepts connections.
	Run func(ctx context.Context, b Box) (*Container, error)
}

// Box describes a container to start.
type Box struct {
	Image       string
	Entrypoint  string            // "": the image's
	Command     []string          // nil: the image's
	Environment map[string]string // in addition to the image's
	Folders     map[string]string // from a path on this machine to the path in the container
	Memory      int64             // the most memory in bytes, swap included; 0: no limit
	AsRoot      bool
}

// Container is a container that was started.
type Container struct {
	Address string // the host and port that lead to the server's port
	// Printed returns the output of its processes, and whether the container has ended.
	Printed func(ctx context.Context) (text []byte, ended bool)
	// End stops the container and removes it. After patience it kills the container.
	End func(patience time.Duration) error
}

// imageName returns the image to run: given, else REDIS_IMAGE, else DefaultImage.
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

// startContainer starts a server in a container. Clients reach the server through Docker's port mapping, which works
// everywhere. If set.direct asks for it and it is possible, they use a unix socket in a folder that both sides share.
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

// ownMemory is more memory, in bytes, than a server without data needs.
const ownMemory = 256 << 20

// boxFolder is the path of the shared folder in the container. socketName is the name of the socket in that folder.
const (
	boxFolder  = "/ratelab"
	socketName = "redis.sock"
)

// startBox starts a container of a local image. The entrypoints of the official images pass the options for a socket on
// to the server, even without a command. If an image ignores the options, the port mapping is used. If an image refuses
// them, its container is started again without them.
//
// Note: host networking would need no shared folder. But it needs a free port that no other process takes in the
// meantime. It also opens more of the machine to the server than the server needs.
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

// inside returns box with the command and the shared folder, wrapped in the program s.around if there is one.
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

// run starts the container and turns the server's persistence off as soon as the server answers. The server's stop
// removes the shared folder, if there is one.
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
		if s.Hangs() { // a server that hangs would not react to a request to stop
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

// lastWords returns the last output of a container that has ended, or "" while it runs.
func lastWords(box *Container) string {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	text, ended := box.Printed(ctx)
	if !ended {
		return ""
	}
	return "the container ended; it said: " + lastLines(text[max(0, len(text)-tailBytes):], 3)
}

// newSharedFolder creates a folder to which every user may write, since the server may run as any user. The folder lies
// inside one that no other user of this machine may enter.
func newSharedFolder() (string, error) {
	outer, err := os.MkdirTemp("", folderPattern)
	if err != nil {
		return "", err
	}
	folder := filepath.Join(outer, "s")
	err = errors.Join(os.Mkdir(folder, 0o700), os.Chmod(folder, 0o777)) // the umask would change Mkdir's mode
	if err == nil && len(filepath.Join(folder, socketName)) > longestSocketPath {
		err = errors.New("the path is too long for a socket")
	}
	if err != nil {
		removeShared(folder)
	}
	return folder, err
}

// removeShared removes the folder and its parent. It does nothing for "".
func removeShared(folder string) error {
	if folder == "" {
		return nil
	}
	return os.RemoveAll(filepath.Dir(folder))
}

// reroute makes s, which has no users yet, connect through the socket if a server listens there. Only the container can
// listen there.
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

// explainContainer turns an error of Docker or its client into an *Unavailable. The reason stands at the end of their
// chains of errors. For nil it returns nil.
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
		return unavailable("container: Docker does not answer; start it or set DOCKER_HOST, or take --redis process, "+
			"--redis redis://HOST:PORT or --redis embedded (%s)", cause)
	case says("reaper"):
		return unavailable("container: testcontainers' reaper does not start; if its image is not available, set "+
			"TESTCONTAINERS_RYUK_DISABLED=true (%s)", cause)
	case says("pull", "registry", "No such image", "not found", "invalid reference format"):
		return unavailable("container: image %q is neither on this machine nor in its registry; check "+
			"the name, or build or load the image first (%s)", image, cause)
	}
	return unavailable("container: image %q does not start (%s)", image, cause)
}

// mostOfChain is how many bytes of a chain of errors a message shows. It shows the end, starting at a word.
const mostOfChain = 160

func ending(text string) string {
	if len(text) <= mostOfChain {
		return text
	}
	_, text, _ = strings.Cut(text[len(text)-mostOfChain:], " ")
	return "… " + text
}
