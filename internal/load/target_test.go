package load

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"ratelab/internal/limit"
	"ratelab/internal/redis/redistest"
	"ratelab/internal/resp"
	"ratelab/internal/script"
	"ratelab/internal/script/scripttest"
)

func TestAScriptThatDoesNotCompileIsRefusedAtOnce(t *testing.T) {
	s := redistest.Private(t)
	p := scripttest.Program("return (", "")
	if _, err := Prepare(t.Context(), of(s), p, ticking()); err == nil {
		t.Error("no error")
	}
	p = scripttest.Program(scripttest.Counting, "3")
	p.Init, p.InitSource = &script.Call{}, "return ("
	if _, err := Prepare(t.Context(), of(s), p, ticking()); err == nil ||
		!strings.HasPrefix(err.Error(), "init: ") {
		t.Errorf("init: %v", err)
	}
}

// A server that cannot be had any more is no reason to hang.
func TestConnectToAServerThatIsGone(t *testing.T) {
	s, target, _ := prepared(t, scripttest.Program(scripttest.Counting, "3"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if c, err := target.Connect(context.Background()); err == nil || c != nil {
		t.Errorf("connection %v, %v", c, err)
	}
}

// Init is called once per key by whoever comes first, ahead of the calls where the keys are introduced.
func TestInitIsCalledOncePerKey(t *testing.T) {
	p := initialised(`return {1, tonumber(redis.call('GET', KEYS[1])), 0, 0}`,
		`return redis.call('INCRBY', KEYS[1], ARGV[1])`, "40")
	contract := p.Decode
	var wrong atomic.Int64
	p.Decode = func(r resp.Value) (limit.Decision, error) {
		d, err := contract(r)
		if d.Remaining != 40 {
			wrong.Add(1)
		}
		return d, err
	}
	_, target, first := prepared(t, p)
	if err := target.Introduce(t.Context(), []string{"a", "b", "a"}); err != nil || target.InitCalls() != 2 {
		t.Fatalf("%d calls of init, %v", target.InitCalls(), err)
	}
	var workers sync.WaitGroup
	for n := range 8 {
		c := first
		if n > 0 {
			var err error
			if c, err = target.Connect(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		workers.Go(func() {
			for key := 'a'; key < 'p'; key++ {
				if _, err := c.Call(limit.Request{Key: string(key), Cost: 1}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	workers.Wait()
	if wrong.Load() != 0 || target.InitCalls() != 15 {
		t.Errorf("%d found something else than one init's 40, %d inits", wrong.Load(), target.InitCalls())
	}
}
