package redisserver

import (
	"cmp"
	"context"
	"os"
	"strings"

	"github.com/distribution/reference"
	"github.com/moby/moby/api/pkg/authconfig"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"

	"ratelab/internal/message"
)

// IsImage reports whether an image can have that name. Docker refuses any other, and testcontainers asks it again for a
// quarter of an hour.
func IsImage(name string) bool {
	_, err := reference.ParseNormalizedNamed(name)
	return err == nil
}

// imageName is the image that is asked for: the one given, the environment's or DefaultImage.
func imageName(given string, set settings) (string, error) {
	from, image := KindContainer+"=", cmp.Or(given, set.getenv("REDIS_IMAGE"), DefaultImage)
	if given == "" {
		from = "REDIS_IMAGE="
	}
	switch {
	case !Repeatable(image):
		return "", badSpec("server \"%s…\": no image can have that name %s; want one such as redis:8.0", from,
			notRepeated)
	case !IsImage(image):
		return "", badSpec("server %s: no image can have that name; want one such as redis:8.0",
			message.Quote(from+image))
	}
	return image, nil
}

// pull gets an image that is not here. It asks the registry once, whereas testcontainers asks again for a quarter of an
// hour where a registry is ill or a line is down.
func pull(ctx context.Context, image string) error {
	provider, err := testcontainers.NewDockerProvider()
	if err != nil {
		return explainContainer(ctx, image, err)
	}
	defer provider.Close()
	docker := provider.Client()
	if _, err := docker.ImageInspect(ctx, image); err == nil {
		return nil
	}
	answer, err := docker.ImagePull(ctx, image, client.ImagePullOptions{RegistryAuth: registryAuth(ctx, image)})
	if err == nil {
		err = answer.Wait(ctx)
	}
	if err != nil {
		return explainContainer(ctx, image, err)
	}
	return nil
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

// Image is the image that a spec of a container stands for, "" where the spec is of another kind.
func Image(spec string) string {
	kind, image, _ := strings.Cut(spec, "=")
	if kind != KindContainer {
		return ""
	}
	return cmp.Or(image, os.Getenv("REDIS_IMAGE"), DefaultImage)
}
