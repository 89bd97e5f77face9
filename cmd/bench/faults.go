package main

import (
	"errors"
	"fmt"
	"strings"

	"ratelab/internal/cli"
	"ratelab/internal/counting"
	"ratelab/internal/message"
	"ratelab/internal/redis"
)

// serverFault words what is wrong with a server for a program that has no use for the embedded one. Kinds are those of
// --redis.
func serverFault(err error, kinds string) error {
	var absent *redis.Unavailable
	if errors.As(err, &absent) {
		return cli.Exit(cli.ExitHarness, errors.New(withoutEmbedded.Replace(err.Error())))
	}
	return cli.ServerFault(err, kinds)
}

// withoutEmbedded takes the server out of advice that bench refuses.
var withoutEmbedded = strings.NewReplacer(
	", --redis container (Docker) or --redis embedded do it", " or --redis container (Docker) do it",
	", --redis redis://HOST:PORT or --redis embedded", " or --redis redis://HOST:PORT")

// countingFault words what kept from counting.
func countingFault(err error) error {
	var missing *counting.Missing
	switch {
	case errors.Is(err, message.ErrStopped):
		return fmt.Errorf("%w: nothing was compared", cli.ErrInterrupted)
	case errors.As(err, &missing):
		return cli.Exit(cli.ExitInconclusive, fmt.Errorf("%w; --without-instructions compares the rest", err))
	}
	return serverFault(err, "process, process=PATH, container or container=IMAGE")
}
