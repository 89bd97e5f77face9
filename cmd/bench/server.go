package main

import (
	"errors"
	"strings"

	"ratelab/internal/commandline"
	"ratelab/internal/redisserver"
)

// serverKinds are the values of --redis.
const serverKinds = "process, process=PATH, container, container=IMAGE, redis://HOST:PORT, rediss://HOST:PORT or " +
	"unix:///SOCKET"

// serverWords are the beginnings of --redis that a shell offers.
var serverWords = []string{"process", "container", "redis://"}

// serverFault words what is wrong with a server for a program that has no use for the embedded one.
func serverFault(err error) error {
	var absent *redisserver.Unavailable
	if !errors.As(err, &absent) {
		return commandline.ServerFlag(err, "redis", serverKinds)
	}
	return commandline.Exit(commandline.ExitHarness, errors.New(withoutEmbedded.Replace(err.Error())))
}

// withoutEmbedded takes the server out of advice that bench refuses.
var withoutEmbedded = strings.NewReplacer(
	", --redis container (Docker) or --redis embedded do it", " or --redis container (Docker) do it",
	", --redis redis://HOST:PORT or --redis embedded", " or --redis redis://HOST:PORT")
