package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"ratelab/internal/redis"
	"ratelab/internal/replay"
	"ratelab/internal/result"
	"ratelab/internal/run"
)

// checkServer refuses the servers whose latency says nothing about Redis.
func checkServer(spec string, wrong *run.Problems) {
	const instead = "take --redis container, process, redis://HOST:PORT or unix:///SOCKET"
	switch spec {
	case redis.KindEmbedded:
		wrong.Bad(fmt.Errorf("--redis %s: it runs inside this process, and its speed says nothing about Redis; %s",
			spec, instead))
	case run.ModelServer:
		wrong.Bad(fmt.Errorf("--redis %s: it decides without a server, and there is nothing to measure; %s", spec,
			instead))
	}
}

// startServer gets the server that spec names, reached as directly as can be. Without a spec it is a container where
// Docker can run one, else a process, and note says why. Errors are a *replay.InputError for a spec that cannot be
// meant, or those of redis.Start.
func startServer(ctx context.Context, spec string, connections int) (s *redis.Server, note string, err error) {
	options := []redis.Option{redis.WithPoolSize(connections), redis.WithDirectTransport()}
	if spec != "" {
		s, err = redis.Start(ctx, spec, options...)
		var bad *redis.BadSpec
		if errors.As(err, &bad) {
			err = &replay.InputError{Err: err}
		}
		return s, "", err
	}
	s, err = redis.Start(ctx, redis.KindContainer, options...)
	var absent *redis.Unavailable
	if !errors.As(err, &absent) {
		return s, "", err
	}
	s, other := redis.Start(ctx, redis.KindProcess, options...)
	if other != nil {
		return nil, "", errors.Join(err, other)
	}
	return s, fmt.Sprintf("a process, since there is no container (%s)",
		strings.TrimPrefix(err.Error(), "container: ")), nil
}

// describe names the server for the document.
func describe(ctx context.Context, s *redis.Server, spec string) result.BenchServer {
	d := result.BenchServer{
		Server: result.Server{Kind: s.Kind, Name: s.Name, Version: s.Version, Transport: s.Transport},
		Route:  s.Route, Own: s.Own,
	}
	if _, image, _ := strings.Cut(spec, "="); s.Kind == redis.KindContainer {
		d.Image = cmp.Or(image, os.Getenv("REDIS_IMAGE"), redis.DefaultImage)
	}
	d.MaxmemoryPolicy = s.MaxmemoryPolicy(ctx)
	return d
}
