package redisserver

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"

	"ratelab/internal/container"
)

// boxFolder is where a container sees the shared folder; socketName is the socket in it, on both sides.
const (
	boxFolder  = "/ratelab"
	socketName = "redis.sock"
)

// startSharing starts image's server with a unix socket beside its port, in a folder that both sides share, and
// goes by the socket if the server behind the port answers there too. It answers nil and nil where the container
// does not start that way, as where a security module forbids the folder, and an error where no way would do.
//
// Note: host networking would do without the folder, but not without a free port that nobody else takes meanwhile,
// and it gives the server more of the machine than it needs.
func startSharing(ctx context.Context, docker container.Engine, image string, set settings) (*Server, error) {
	command, err := docker.Command(ctx, boxSpec(image, set))
	if err != nil {
		return nil, explainContainer(ctx, image, err)
	}
	folder, err := newSharedFolder()
	if err != nil {
		return nil, nil
	}
	s, err := startWithSocket(ctx, docker, image, set, command, folder)
	if err != nil {
		os.RemoveAll(filepath.Dir(folder))
		if set.around != nil {
			return nil, err
		}
		return nil, ctx.Err()
	}
	end := s.stop
	s.stop = func() error { return errors.Join(end(), os.RemoveAll(filepath.Dir(folder))) }
	s.reroute(ctx, filepath.Join(folder, socketName), set)
	return s, nil
}

// startWithSocket starts image with the options of a socket after its own command. Official images' entrypoints
// pass options on, also where there is no command; a command that swallows them leaves the port mapping.
func startWithSocket(ctx context.Context, docker container.Engine, image string, set settings, command []string,
	folder string) (*Server, error) {
	spec := boxSpec(image, set)
	set.inside(&spec, append(command, "--unixsocket", path.Join(boxFolder, socketName), "--unixsocketperm", "777"))
	spec.Folders[folder] = boxFolder
	return startMapped(ctx, docker, spec, set)
}

// newSharedFolder makes a folder that whatever user the server runs as may write to, inside one that no other
// user of this machine may enter. The caller deletes the outer one.
func newSharedFolder() (string, error) {
	outer, err := makeFolder()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(outer, "s")
	err = errors.Join(os.Mkdir(folder, 0o700), os.Chmod(folder, 0o777)) // Mkdir's mode would be masked
	if err == nil && len(filepath.Join(folder, socketName)) > longestSocketPath {
		err = errors.New("the path is too long for a socket")
	}
	if err != nil {
		os.RemoveAll(outer)
	}
	return folder, err
}

// reroute moves s, which nobody uses yet, onto the socket, and reports whether it did: only if the same run of the
// same server answers there.
func (s *Server) reroute(ctx context.Context, socket string, set settings) bool {
	there := s.target
	there.network, there.addr = "unix", socket
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	client := newClient(there, set.poolSize)
	if id := runID(ctx, client); id == "" || id != runID(ctx, s.Client) {
		client.Close()
		return false
	}
	s.Client.Close()
	s.target, s.Client, s.clients = there, client, []Client{client}
	s.Transport, s.Route = there.transport(), RouteSharedFolder
	return true
}

// runID is the random name that a server gives itself at each start, or "" where it cannot be had.
func runID(ctx context.Context, c Client) string {
	info, err := c.Info(ctx, "server").Result()
	if err != nil {
		return ""
	}
	return infoFields(info)["run_id"]
}
