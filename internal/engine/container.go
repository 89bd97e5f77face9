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

func init() { redis.Containers = engine{} }

// engine runs servers in containers by testcontainers, whose variables and Docker's own it heeds.
type engine struct{}

// port is the server's.
const port = "6379/tcp"

// quiet turns off testcontainers' own logger for the whole process: its client prints a banner about the Docker it
// found past any logger that a request brings.
var quiet = sync.OnceFunc(func() { log.SetDefault(log.NewNoopLogger()) })

func provider() (*testcontainers.DockerProvider, error) {
	quiet()
	return testcontainers.NewDockerProvider()
}

func (engine) Local() bool {
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

// Pull asks Docker itself: testcontainers asks again for a quarter of an hour where a registry is ill or a line down.
func (engine) Pull(ctx context.Context, image string) ([]string, error) {
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

// registryAuth is what docker login left for the image's registry, or "".
func registryAuth(ctx context.Context, image string) string {
	_, auth, err := testcontainers.DockerImageAuth(ctx, image)
	if err != nil {
		return ""
	}
	encoded, _ := authconfig.Encode(auth)
	return encoded
}

func (engine) Run(ctx context.Context, b redis.Box) (redis.Container, error) {
	quiet()
	var mounts testcontainers.ContainerMounts
	for here, there := range b.Folders {
		//lint:ignore SA1019 a bind mount is what lends a folder of this machine to a container on it
		mounts = append(mounts, testcontainers.BindMount(here, testcontainers.ContainerMountTarget(there)))
	}
	options := []testcontainers.ContainerCustomizer{
		testcontainers.WithExposedPorts(port),
		testcontainers.WithWaitStrategy(wait.ForMappedPort(port)),
		// docker ps --filter label=ratelab finds leftovers
		testcontainers.WithLabels(map[string]string{"ratelab": "server"}),
		testcontainers.WithTmpfs(map[string]string{"/data": ""}), // in place of the image's anonymous volume
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
	if err != nil {
		_ = testcontainers.TerminateContainer(made, testcontainers.StopTimeout(time.Second))
		return nil, err
	}
	return box{made}, nil
}

type box struct {
	docker *testcontainers.DockerContainer
}

func (b box) Address(ctx context.Context) (string, error) {
	host, err := b.docker.Host(ctx)
	if err != nil {
		return "", err
	}
	mapped, err := b.docker.MappedPort(ctx, port)
	return net.JoinHostPort(host, mapped.Port()), err
}

func (b box) PID(ctx context.Context) (int, error) {
	s, err := b.docker.State(ctx)
	if err != nil {
		return 0, err
	}
	return s.Pid, nil
}

func (b box) Logs(ctx context.Context, most int) []byte {
	logs, err := b.docker.Logs(ctx)
	if err != nil {
		return nil
	}
	defer logs.Close()
	text, _ := io.ReadAll(logs)
	return text[max(0, len(text)-most):]
}

func (b box) End(patience time.Duration) error {
	return testcontainers.TerminateContainer(b.docker, testcontainers.StopTimeout(patience))
}
