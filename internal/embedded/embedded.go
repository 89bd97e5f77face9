// Package embedded is a Redis inside the process: miniredis, with its own EVAL around the commands of miniredis.
//
// The Lua of miniredis computes some results otherwise than Redis's, and it allocates two buffers of 4 KB for each
// redis.call. This package runs scripts with package luavm, and allocates the buffers once per server. The tests
// compare replies with those of real servers. Commands and libraries that are missing here are refused with a message
// that recommends a real server.
package embedded

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"

	"ratelab/internal/luavm"
)

// Midnight is the time on the server's clock, which does not move.
var Midnight = time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC)

// New starts a server whose clock is stopped at Midnight. Virtual time does not use this clock. If a script bypasses
// the prelude, it sees a stopped clock, so that runs do not differ. Connect to the server with Dial. If a context is
// given, scripts end when it ends: it is checked in each turn of a loop and in each call.
func New(until ...context.Context) (*miniredis.Miniredis, error) {
	m := miniredis.NewMiniRedis()
	m.SetTime(Midnight)
	conn, err := m.Dial() // also starts the server
	if err != nil {
		return nil, err
	}
	if err := errors.Join(conn.Close(), serveScripts(m, until)); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// scripts runs the scripts of one server. It handles EVAL, EVALSHA, SCRIPT and transactions instead of miniredis, which
// sees no scripts.
type scripts struct {
	m       *miniredis.Miniredis
	serve   *server.Server
	stop    func() error // ends scripts; nil: never
	globals *luavm.Table
	texts   *luavm.Table // the metatable of strings

	outer     *server.Peer // passes settings to miniredis; its replies are ignored
	inner     *server.Peer // executes the commands of scripts, under the lock that the script holds
	replies   bytes.Buffer // the replies to inner
	writer    *bufio.Writer
	answer    answer
	elsewhere bool // inner has selected another database than 0
	lenient   bool // a value may be a number that only miniredis reads as a number
	orders    map[string]*order

	mu      sync.Mutex         // guards the following fields
	known   map[string]*script // by digest
	clients map[*server.Peer]*client
}

// client is a connection that has selected a database, or begun a transaction. miniredis does not show either.
type client struct {
	database string
	queue    [][]string // nil: no transaction
}

type script struct {
	sha1  string
	code  *luavm.Script
	wrong error // the compile error, or nil
}

// innerCommand is used to mark inner as being inside a script. miniredis marks the commands of its own scripts in this
// way.
const innerCommand = "RATELAB.INNER"

// serveScripts installs the package's EVAL in front of that of m, which has been started.
func serveScripts(m *miniredis.Miniredis, until []context.Context) error {
	s := &scripts{m: m, serve: m.Server(), known: map[string]*script{}, clients: map[*server.Peer]*client{},
		orders: map[string]*order{}}
	for _, ctx := range until {
		s.stop = ctx.Err
	}
	s.makeGlobals()
	s.outer = server.NewPeer(bufio.NewWriter(io.Discard))
	s.writer = bufio.NewWriter(&s.replies)
	s.inner = server.NewPeer(s.writer)
	err := s.serve.Register(innerCommand, func(c *server.Peer, _ string, _ []string) {
		if s.inner.Ctx == nil {
			s.inner.Ctx = c.Ctx
		}
		c.WriteOK()
	})
	if err != nil {
		return err
	}
	s.serve.Dispatch(s.outer, []string{"EVAL", "return redis.call('" + innerCommand + "')", "0"})
	if s.inner.Ctx == nil {
		return errors.New("miniredis cannot run scripts")
	}
	s.serve.SetPreHook(s.before)
	return nil
}

// before reports whether the command has been handled. Invalid commands are left to miniredis, which replies with an
// error.
func (s *scripts) before(c *server.Peer, command string, args ...string) (done bool) {
	if c == s.inner || c == s.outer {
		return false
	}
	own := s.client(c)
	if own.queue != nil {
		s.transaction(c, own, append([]string{command}, args...))
		return true
	}
	switch command {
	case "EVAL", "EVALSHA":
		s.m.Lock()
		defer s.m.Unlock()
		s.within(own.database, func() { done = s.eval(c, command, args) })
	case "SCRIPT":
		return s.told(c, args)
	case "FLUSHALL", "FLUSHDB":
		s.m.Lock()
		defer s.m.Unlock()
		clear(s.orders)
	case "WATCH":
		c.WriteError("ERR the embedded server has no WATCH; use --redis process")
		return true
	case "MULTI":
		if len(args) == 0 {
			own.queue = [][]string{}
			c.WriteOK()
			return true
		}
	case "SELECT":
		if len(args) == 1 {
			own.database = args[0] // if it is invalid, the next command fails
		}
	}
	return done
}

// client returns the state of a connection, which is kept until the connection ends.
func (s *scripts) client(c *server.Peer) *client {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.clients[c]
	if own == nil {
		own = &client{database: "0"}
		s.clients[c] = own
		c.OnDisconnect(func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			delete(s.clients, c)
		})
	}
	return own
}

// within calls do while inner has selected a database.
func (s *scripts) within(database string, do func()) {
	if s.elsewhere = database != "0"; s.elsewhere {
		s.serve.Dispatch(s.inner, []string{"SELECT", database})
	}
	do()
	if s.elsewhere { // a script's SELECT must not last beyond the script
		s.serve.Dispatch(s.inner, []string{"SELECT", "0"})
	}
}

// transaction queues a command, or ends the transaction. All its commands run under one lock.
func (s *scripts) transaction(c *server.Peer, own *client, words []string) {
	queue := own.queue
	switch words[0] {
	case "MULTI":
		c.WriteError("ERR MULTI calls can not be nested")
		return
	case "DISCARD":
		own.queue = nil
		c.WriteOK()
		return
	case "EXEC":
		own.queue = nil
	default:
		own.queue = append(queue, words)
		c.WriteInline("QUEUED")
		return
	}
	s.m.Lock()
	defer s.m.Unlock()
	c.WriteLen(len(queue))
	for _, words := range queue {
		s.within(own.database, func() {
			if words[0] == "SELECT" && len(words) == 2 {
				own.database = words[1]
			}
			if !s.eval(c, words[0], words[1:]) {
				c.WriteRaw(string(s.dispatch(words)))
			}
		})
	}
}

// eval runs the script that a command calls. It reports whether the command calls one. The caller holds the server's
// lock.
func (s *scripts) eval(c *server.Peer, command string, args []string) bool {
	if len(args) < 2 || command != "EVAL" && command != "EVALSHA" {
		return false
	}
	keys, err := strconv.Atoi(args[1])
	if err != nil || keys < 0 || keys > len(args)-2 {
		return false
	}
	var found *script
	s.mu.Lock()
	if command == "EVAL" {
		found = s.learn(args[0])
	} else {
		found = s.known[strings.ToLower(args[0])]
	}
	s.mu.Unlock()
	switch {
	case found == nil:
		return false
	case found.wrong != nil:
		c.WriteError(found.wrong.Error())
	default:
		s.run(c, found, args[2:2+keys], args[2+keys:])
	}
	return true
}

// told handles a SCRIPT command about the known scripts. It reports whether it handled the command.
func (s *scripts) told(c *server.Peer, args []string) bool {
	if len(args) == 0 {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch name := strings.ToUpper(args[0]); {
	case name == "EXISTS" && len(args) > 1:
		c.WriteLen(len(args) - 1)
		for _, sha1 := range args[1:] {
			c.WriteInt(btoi(s.known[strings.ToLower(sha1)] != nil))
		}
	case name == "LOAD" && len(args) == 2:
		if found := s.learn(args[1]); found.wrong != nil {
			c.WriteError(found.wrong.Error())
		} else {
			c.WriteBulk(found.sha1)
		}
	case name == "FLUSH" && len(args) == 1:
		clear(s.known)
		c.WriteOK()
	default:
		return false
	}
	return true
}

// sourceName is the name of scripts in Redis's error messages.
const sourceName = "user_script"

// compiled caches the compiled scripts of all servers, because a run starts several servers with the same scripts. The
// cache is emptied when it is full: a test of random scripts compiles millions.
var compiled = struct {
	sync.Mutex
	scripts map[string]*script // by source
}{scripts: map[string]*script{}}

const mostCompiled = 1000

// learn returns the compiled script of a source. If it compiles, the server knows it from now on. The caller holds mu.
func (s *scripts) learn(source string) *script {
	compiled.Lock()
	defer compiled.Unlock()
	found := compiled.scripts[source]
	if found == nil {
		sum := sha1.Sum([]byte(source))
		found = &script{sha1: hex.EncodeToString(sum[:])}
		var err error
		if found.code, err = luavm.Compile(source); err != nil {
			found.wrong = fmt.Errorf("ERR Error compiling script (new function): %w", err)
		}
		if len(compiled.scripts) == mostCompiled {
			clear(compiled.scripts)
		}
		compiled.scripts[source] = found
	}
	if found.wrong == nil {
		s.known[found.sha1] = found
	}
	return found
}
