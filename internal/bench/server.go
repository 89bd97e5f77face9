package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"ratelab/internal/benchresult"
	"ratelab/internal/lineup"
	"ratelab/internal/redisserver"
	"ratelab/internal/result"
)

// modelServer is what simulate calls deciding without a server.
const modelServer = "model"

// checkServer refuses the servers whose latency says nothing about Redis.
func checkServer(spec string, wrong *lineup.Problems) {
	const instead = "take --redis container, process, redis://HOST:PORT or unix:///SOCKET"
	switch spec {
	case redisserver.KindEmbedded:
		wrong.Bad(fmt.Errorf("--redis %s: it runs inside this process, and its speed says nothing about Redis; %s",
			spec, instead))
	case modelServer:
		wrong.Bad(fmt.Errorf("--redis %s: it decides without a server, and there is nothing to measure; %s", spec,
			instead))
	}
}

// startServer gets the server that spec names, reached as directly as can be. Without a spec it is a container where
// Docker can run one, else a process, and note says why. Errors are an *InputError for a spec that cannot be meant, or
// those of redisserver.Start.
func startServer(ctx context.Context, spec string, connections int, eviction bool,
	notice func(string)) (s *redisserver.Server, note string, err error) {
	options := []redisserver.Option{
		redisserver.WithPoolSize(connections), redisserver.WithDirectTransport(), redisserver.WithEviction(eviction),
		redisserver.WithNotices(notice),
	}
	if spec != "" {
		s, err = redisserver.Start(ctx, spec, options...)
		var bad *redisserver.BadSpec
		if errors.As(err, &bad) {
			err = &InputError{Err: err}
		}
		return s, "", err
	}
	s, err = redisserver.Start(ctx, redisserver.KindContainer, options...)
	var absent *redisserver.Unavailable
	if !errors.As(err, &absent) {
		return s, "", err
	}
	s, other := redisserver.Start(ctx, redisserver.KindProcess, options...)
	if other != nil {
		return nil, "", errors.Join(err, other)
	}
	return s, fmt.Sprintf("a process, since there is no container (%s)",
		strings.TrimPrefix(err.Error(), "container: ")), nil
}

// describe names the server for the document.
func describe(ctx context.Context, s *redisserver.Server, spec string) benchresult.Server {
	d := benchresult.Server{
		Server: result.Server{Kind: s.Kind, Name: s.Name, Version: s.Version, Transport: s.Transport},
		Route:  s.Route, Own: s.Own,
	}
	if _, image, _ := strings.Cut(spec, "="); s.Kind == redisserver.KindContainer {
		d.Image = cmp.Or(image, os.Getenv("REDIS_IMAGE"), redisserver.DefaultImage)
	}
	if most, ok := s.MemoryLimit(ctx); ok {
		d.MaxmemoryPolicy = most.Policy
	}
	return d
}
