package examine

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"ratelab/algorithms"
	"ratelab/internal/host"
	"ratelab/internal/limit"
	"ratelab/internal/load"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/replay"
	"ratelab/internal/run"
	"ratelab/internal/script"
)

// kinds are what an examination finds, with whether it is a fault.
func kinds(t *testing.T, under func(limit.Policy) (*run.Limiter, error), own limit.Policy,
	costs bool) map[string]bool {
	t.Helper()
	server := &host.Server{Running: redistest.Embedded(t), Clock: replay.Clock{Now: time.Now, Sleep: load.Wait}}
	if err := server.Start(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	s := Script{Under: under, Own: own, Costs: costs, Server: server}
	e, err := s.Examine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, f := range e.Findings {
		found[f.Kind] = f.Fault
	}
	return found
}

// No built-in algorithm has a fault, but for the managed bucket, whose configuration lives until somebody deletes it,
// and the floor, which is none.
func TestTheBuiltInOnesHaveNoFault(t *testing.T) {
	for _, name := range algorithms.Names() {
		t.Run(name, func(t *testing.T) {
			c, err := run.NewSide(script.OnDisk(name), "")
			if err != nil {
				t.Fatal(err)
			}
			for kind, fault := range kinds(t, c.Under, Standard, true) {
				known := name == "token-bucket" && kind == "never_expires" || name == "none"
				if fault && !known {
					t.Errorf("%s", kind)
				}
			}
		})
	}
}

// A script whose limit nobody can choose is examined by the one that it was asked about, if that is small enough.
func TestAFixedLimit(t *testing.T) {
	file := filepath.Join(t.TempDir(), "fixed.lua")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(file, `
local n = redis.call('INCR', KEYS[1])
if n == 1 then redis.call('PEXPIRE', KEYS[1], 5000) end
return n <= 31 and 1 or 0`)
	write(file[:len(file)-len("lua")]+"yaml", `{keys: ["rl:{key}"], admitted: [1]}`)
	under := func(p limit.Policy) (*run.Limiter, error) { return run.Own(script.OnDisk(file), p) }
	for requests, want := range map[int64]bool{30: true, 31: false, mostFixed + 1: false} {
		found := kinds(t, under, limit.Policy{Requests: requests, Window: 5 * time.Second}, false)
		if found["off_by_one"] != want {
			t.Errorf("at %d: %v", requests, found)
		}
		if requests > mostFixed && len(found) > 0 {
			t.Errorf("at %d: %v", requests, found)
		}
	}
}
