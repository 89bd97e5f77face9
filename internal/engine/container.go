package engine

import (
	"context"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"time"

	"ratelab/internal/redis"

	"github.com/moby/moby/api/pkg/authconfig"
	moby "github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"
	"github.com/testcontainers/testcontainers-go/wait"
)

// testcontainers runs the containers. It reads its own environment variables and those of Docker.
func init() {
	redis.Containers.Pull, redis.Containers.Local, redis.Containers.Run = pullImage, isLocal, runContainer
}

// port is the server's port in the container.
const port = "6379/tcp"

// quiet turns off the logger of testcontainers for the whole process. Otherwise its client prints a banner about
// Docker, even if a request has its own logger.
var quiet = sync.OnceFunc(func() { log.SetDefault(log.NewNoopLogger()) })

func provider() (*testcontainers.DockerProvider, error) {
	quiet()
	return testcontainers.NewDockerProvider()
}

func isLocal() bool {
	if runtime.GOOS != "linux" {
		return false
	}
	p, err := provider()
	if err != nil {
		return false
	}
	defer p.Close()
	return strings.HasPrefix(p.Client().DaemonHost(), "unix://")
}

// pullImage asks Docker itself, because testcontainers retries for a quarter of an hour if a registry does not respond.
func pullImage(ctx context.Context, image string) ([]string, error) {
	p, err := provider()
	if err != nil {
		return nil, err
	}
	defer p.Close()
	docker := p.Client()
	about, err := docker.ImageInspect(ctx, image)
	if err != nil {
		answer, err := docker.ImagePull(ctx, image, client.ImagePullOptions{RegistryAuth: registryAuth(ctx, image)})
		if err != nil {
			return nil, err
		}
		if err := answer.Wait(ctx); err != nil {
			return nil, err
		}
		if about, err = docker.ImageInspect(ctx, image); err != nil {
			return nil, err
		}
	}
	return about.Config.Cmd, nil
}

// registryAuth returns the credentials that docker login has stored for the image's registry, or "".
func registryAuth(ctx context.Context, image string) string {
	_, auth, err := testcontainers.DockerImageAuth(ctx, image)
	if err != nil {
		return ""
	}
	encoded, _ := authconfig.Encode(auth)
	return encoded
}

func runContainer(ctx context.Context, b redis.Box) (*redis.Container, error) {
	quiet()
	var mounts testcontainers.ContainerMounts
	for here, there := range b.Folders {
		//lint:ignore SA1019 a bind mount lends a folder of this machine to a container on it
		mounts = append(mounts, testcontainers.BindMount(here, testcontainers.ContainerMountTarget(there)))
	}
	options := []testcontainers.ContainerCustomizer{
		testcontainers.WithExposedPorts(port),
		testcontainers.WithWaitStrategy(wait.ForMappedPort(port)),
		// docker ps --filter label=ratelab lists leftovers
		testcontainers.WithLabels(map[string]string{"ratelab": "server"}),
		testcontainers.WithTmpfs(map[string]string{"/data": ""}), // instead of the image's anonymous volume
		testcontainers.WithEnv(b.Environment),
		testcontainers.WithMounts(mounts...),
		testcontainers.WithHostConfigModifier(func(c *moby.HostConfig) { c.Memory, c.MemorySwap = b.Memory, b.Memory }),
	}
	if b.Entrypoint != "" {
		options = append(options, testcontainers.WithEntrypoint(b.Entrypoint))
	}
	if b.Command != nil {
		options = append(options, testcontainers.WithCmd(b.Command...))
	}
	if b.AsRoot {
		options = append(options, testcontainers.WithConfigModifier(func(c *moby.Config) { c.User = "0" }))
	}
	made, err := testcontainers.Run(ctx, b.Image, options...)
	end := func(patience time.Duration) error {
		return testcontainers.TerminateContainer(made, testcontainers.StopTimeout(patience))
	}
	var address string
	if err == nil {
		address, err = addressOf(ctx, made)
	}
	if err != nil {
		_ = end(time.Second)
		return nil, err
	}
	printed := func(ctx context.Context) ([]byte, bool) { return printedBy(ctx, made) }
	return &redis.Container{Address: address, Printed: printed, End: end}, nil
}

// addressOf returns the host and port that lead to the server's port.
func addressOf(ctx context.Context, c *testcontainers.DockerContainer) (string, error) {
	host, err := c.Host(ctx)
	if err != nil {
		return "", err
	}
	mapped, err := c.MappedPort(ctx, port)
	return net.JoinHostPort(host, mapped.Port()), err
}

// printedBy returns the output of a container's processes if the container has ended.
func printedBy(ctx context.Context, c *testcontainers.DockerContainer) (text []byte, ended bool) {
	state, err := c.State(ctx)
	if err != nil || state.Pid > 0 {
		return nil, false
	}
	logs, err := c.Logs(ctx)
	if err != nil {
		return nil, true
	}
	defer logs.Close()
	text, _ = io.ReadAll(logs)
	return text, true
}
