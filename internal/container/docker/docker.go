// Package docker runs containers by testcontainers, whose variables and Docker's own it heeds. It is imported for its
// effect: container.Docker then has an engine.
package docker

import (
	"context"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"time"

	"ratelab/internal/container"

	"github.com/moby/moby/api/pkg/authconfig"
	moby "github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"
	"github.com/testcontainers/testcontainers-go/wait"
)

func init() { container.Register(engine{}) }

type engine struct{}

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
func (engine) Pull(ctx context.Context, image string) error {
	p, err := provider()
	if err != nil {
		return err
	}
	defer p.Close()
	docker := p.Client()
	if _, err := docker.ImageInspect(ctx, image); err == nil {
		return nil
	}
	answer, err := docker.ImagePull(ctx, image, client.ImagePullOptions{RegistryAuth: registryAuth(ctx, image)})
	if err != nil {
		return err
	}
	return answer.Wait(ctx)
}

// registryAuth is what docker login left for the image's registry, or "".
func registryAuth(ctx context.Context, image string) string {
	_, auth, err := testcontainers.DockerImageAuth(ctx, image)
	if err != nil {
		return ""
	}
	encoded, err := authconfig.Encode(auth)
	if err != nil {
		return ""
	}
	return encoded
}

func (engine) Command(ctx context.Context, spec container.Spec) ([]string, error) {
	made, err := run(ctx, spec, testcontainers.WithNoStart())
	if err != nil {
		return nil, err
	}
	defer made.End(0)
	about, err := made.docker.Inspect(ctx)
	if err != nil {
		return nil, err
	}
	return about.Config.Cmd, nil
}

func (engine) Run(ctx context.Context, spec container.Spec) (container.Box, error) {
	b, err := run(ctx, spec)
	if err != nil {
		return nil, err // and not a box that is a nil
	}
	return b, nil
}

// run makes a container and, unless more says otherwise, starts it.
func run(ctx context.Context, spec container.Spec, more ...testcontainers.ContainerCustomizer) (*box, error) {
	quiet()
	options := append(more,
		testcontainers.WithExposedPorts(spec.Port),
		testcontainers.WithWaitStrategy(wait.ForMappedPort(spec.Port)),
		testcontainers.WithLabels(spec.Labels),
		testcontainers.WithTmpfs(map[string]string{spec.Data: ""}),
		testcontainers.WithEnv(spec.Environment),
		testcontainers.WithMounts(mounts(spec.Folders)...),
		testcontainers.WithHostConfigModifier(func(c *moby.HostConfig) {
			c.Memory, c.MemorySwap = spec.Memory, spec.Memory
		}),
	)
	if spec.Entrypoint != "" {
		options = append(options, testcontainers.WithEntrypoint(spec.Entrypoint))
	}
	if spec.Command != nil {
		options = append(options, testcontainers.WithCmd(spec.Command...))
	}
	if spec.AsRoot {
		options = append(options, testcontainers.WithConfigModifier(func(c *moby.Config) { c.User = "0" }))
	}
	made, err := testcontainers.Run(ctx, spec.Image, options...)
	if err != nil {
		_ = testcontainers.TerminateContainer(made, testcontainers.StopTimeout(time.Second))
		return nil, err
	}
	return &box{made, spec.Port}, nil
}

func mounts(folders map[string]string) testcontainers.ContainerMounts {
	var all testcontainers.ContainerMounts
	for here, there := range folders {
		//lint:ignore SA1019 a bind mount is what lends a folder of this machine to a container on it
		all = append(all, testcontainers.BindMount(here, testcontainers.ContainerMountTarget(there)))
	}
	return all
}

type box struct {
	docker *testcontainers.DockerContainer
	port   string
}

func (b *box) Address(ctx context.Context) (string, error) {
	host, err := b.docker.Host(ctx)
	if err != nil {
		return "", err
	}
	port, err := b.docker.MappedPort(ctx, b.port)
	if err != nil {
		return "", err
	}
	return net.JoinHostPort(host, port.Port()), nil
}

func (b *box) State(ctx context.Context) (container.State, error) {
	s, err := b.docker.State(ctx)
	if err != nil {
		return container.State{}, err
	}
	return container.State{Running: s.Running, PID: s.Pid}, nil
}

func (b *box) Logs(ctx context.Context) (io.ReadCloser, error) { return b.docker.Logs(ctx) }

func (b *box) End(patience time.Duration) error {
	return testcontainers.TerminateContainer(b.docker, testcontainers.StopTimeout(patience))
}
