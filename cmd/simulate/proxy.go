package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ratelab/internal/cli"
	"ratelab/internal/message"
	"ratelab/internal/redis"
	"ratelab/internal/scenario"
	"ratelab/redisclock"
)

const aboutProxy = `Start a Redis whose time tests move, for clients in any language.

proxy prints a URL, and serves until it is interrupted. TIME, TTLs and what expires follow a clock
that stands at 2024-01-01 00:00 UTC until a client moves it. All clients share it.

  RATELAB.CLOCK SET <µs since 1970>
  RATELAB.CLOCK ADVANCE <µs>           back, if negative
  RATELAB.CLOCK GET

A command that the clock cannot follow fails with an error that names it. docs/clock.md has more.
On a given server, which must be empty at first, the clients' keys stay.

Exit codes: 0 interrupted, 2 usage, 3 no server, or the server has ended.`

const examplesProxy = `  simulate proxy --redis process --listen 127.0.0.1:7000
  redis-cli -p 7000 RATELAB.CLOCK ADVANCE 60000000     a minute passes`

// watchEvery is how often proxy checks whether its server has ended.
const watchEvery = 250 * time.Millisecond

// proxy returns the command that runs a Redis with a controlled clock.
func (a *app) proxy() *cobra.Command {
	var server, listen string
	c := &cobra.Command{
		Use: "proxy", Short: "Start a Redis whose time tests move, in any language",
		Long: aboutProxy, Example: examplesProxy,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return cli.ServerFault(a.serve(c.Context(), server, listen), redis.Kinds)
		},
	}
	cli.ServerFlag(c, &server, redis.KindEmbedded, "embedded (default), process, container, redis://…")
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "loopback `ADDRESS`; port 0 is any that is free")
	return c
}

// serve serves until it is interrupted.
func (a *app) serve(ctx context.Context, spec, listen string) error {
	server, err := redis.Start(message.WithNotice(ctx, nil), spec) // no notices: waiting for clients may take long
	if err != nil {
		if ctx.Err() != nil {
			return message.ErrInterrupted
		}
		return err
	}
	defer server.Close()
	dialer := redisclock.Dialer{Clock: redisclock.New(scenario.DefaultStart),
		Open: func(ctx context.Context, _, _ string) (net.Conn, error) { return server.Open(ctx) }}
	proxy, err := dialer.Proxy(listen, "", "")
	if busy := new(net.OpError); err != nil && !errors.As(err, &busy) {
		return cli.Usage("--listen %s", strings.TrimPrefix(err.Error(), "redisclock: "))
	} else if err != nil {
		return err
	}
	defer proxy.Close()
	fmt.Fprintln(a.Stdout, "redis://"+proxy.Addr())
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(watchEvery):
		}
		if why := server.Ended(); why != "" {
			return cli.Exit(cli.ExitHarness, fmt.Errorf("the server has ended: %s", why))
		}
	}
}
