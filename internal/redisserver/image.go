package redisserver

import (
	"cmp"
	"os"
	"strings"

	"github.com/distribution/reference"

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

// Image is the image that a spec of a container stands for, "" where the spec is of another kind.
func Image(spec string) string {
	kind, image, _ := strings.Cut(spec, "=")
	if kind != KindContainer {
		return ""
	}
	return cmp.Or(image, os.Getenv("REDIS_IMAGE"), DefaultImage)
}
