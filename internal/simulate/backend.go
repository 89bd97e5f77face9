package simulate

import (
	"context"
	"runtime"

	"ratelab/internal/lineup"
	"ratelab/internal/redisserver"
	"ratelab/internal/result"
	"ratelab/internal/virtualtime"
)

// backend is what decides: one server for all lanes, an embedded one for each, or, without a server, the models.
type backend struct {
	job     *Job
	servers []*redisserver.Server
	watches []*lineup.Watch // over the servers, since the scenario's begin
	company virtualtime.Company
}

func (b *backend) close() {
	for _, s := range b.servers {
		s.Close() // the figures are in; what is left of a server of ours ends with the process
	}
}

func (b *backend) kind() string {
	if len(b.servers) == 0 {
		return ModelServer
	}
	return b.servers[0].Kind
}

// begin watches over the servers from now on.
func (b *backend) begin(ctx context.Context) {
	b.watches = nil
	for _, s := range b.servers {
		b.watches = append(b.watches, lineup.NewWatch(ctx, s))
	}
}

// check fails where a server has lost keys since begin, ours or others'.
func (b *backend) check(ctx context.Context) error {
	for _, w := range b.watches {
		if err := w.Check(ctx); err != nil {
			return err
		}
	}
	return nil
}

// warnings are what a reader must know about the servers.
func (b *backend) warnings() []string {
	if len(b.servers) == 0 || b.servers[0].Warning == "" {
		return nil
	}
	return []string{b.servers[0].Warning}
}

// watch is the one over server i.
func (b *backend) watch(i int) *lineup.Watch { return b.watches[i%len(b.watches)] }

// server is the one that lane i decides on.
func (b *backend) server(i int) *redisserver.Server { return b.servers[i%len(b.servers)] }

// parallel is how many lanes decide at the same time: all where each has its processor, one on a server that
// others use, so that they wait for one batch at the most.
func (b *backend) parallel() int {
	if len(b.servers) > 0 && !b.servers[0].Own {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// describe names the server for the document.
func (b *backend) describe() result.Server {
	if len(b.servers) == 0 {
		return result.Server{Kind: ModelServer, Name: "go", Version: b.job.Version, Transport: "none"}
	}
	s := b.servers[0]
	return result.Server{Kind: s.Kind, Name: s.Name, Version: s.Version, Transport: s.Transport}
}
