// Package embedded is the server inside the process: miniredis, with an EVAL of our own around its commands.
//
// miniredis makes two buffers of 4 KB for each redis.call, which is a third of what a decision costs there. Here a
// server has them once. A script computes as on Redis: the tests compare replies with those of real servers. Commands
// and libraries that it does not have are refused, and the message says to use a real server.
package embedded

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"
)

// Midnight is the time on the server's clock, which stands still.
var Midnight = time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC)

// New is a server whose clock is stopped at the virtual midnight. Virtual time never asks it, and a script that gets
// past the prelude sees a clock that stands still rather than one that makes runs differ. It is reached by Dial. Where
// a context is given, scripts end once it has: it is asked before each instruction, which makes Lua a tenth slower.
func New(until ...context.Context) (*miniredis.Miniredis, error) {
	m := miniredis.NewMiniRedis()
	m.SetTime(Midnight)
	conn, err := m.Dial() // starts it
	if err != nil {
		return nil, err
	}
	if err := errors.Join(conn.Close(), serveScripts(m, until)); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// scripts runs the scripts of one server. EVAL, EVALSHA and SCRIPT are looked at before miniredis is, and what is not
// plainly a script to be run is left to it.
type scripts struct {
	m     *miniredis.Miniredis
	serve *server.Server
	until []context.Context // at most one

	outer     *server.Peer // tells miniredis what it is to know; nobody hears the answers
	inner     *server.Peer // issues the commands of scripts, under the lock that the script holds
	replies   bytes.Buffer // what they were answered
	writer    *bufio.Writer
	answer    answer
	elsewhere bool   // inner is in another database than 0
	refused   string // what the script asked for that only a real server has
	formatted []byte // by string.format and ..

	mu       sync.Mutex // guards what follows
	bySource map[string]*script
	bySHA1   map[string]*script
	apart    map[*server.Peer]bool
	shared   bool // miniredis is to know every script too
}

type script struct {
	sha1  string
	proto *lua.FunctionProto
}

// innerCommand is how inner is told that it is inside a script: miniredis says so to the commands of its own scripts.
const innerCommand = "RATELAB.INNER"

// serveScripts puts an EVAL of our own before that of m, which has been started.
func serveScripts(m *miniredis.Miniredis, until []context.Context) error {
	s := &scripts{m: m, serve: m.Server(), until: until, bySource: map[string]*script{}, bySHA1: map[string]*script{},
		apart: map[*server.Peer]bool{}}
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
		return errors.New("miniredis runs no scripts")
	}
	s.serve.SetPreHook(s.before)
	return nil
}

// before reports whether the command is done. A connection in a transaction, in another database, logged in or
// subscribed is in a state that miniredis keeps to itself: it is left to it from then on.
func (s *scripts) before(c *server.Peer, command string, args ...string) bool {
	if c == s.inner || c == s.outer {
		return false
	}
	switch command {
	case "EVAL", "EVALSHA":
		return len(args) >= 2 && s.eval(c, command, args)
	case "EVALSHA_RO":
		s.share(nil)
	case "SCRIPT":
		s.told(args)
	case "MULTI", "SELECT", "AUTH", "SUBSCRIBE", "PSUBSCRIBE":
		s.share(c)
	}
	return false
}

// eval runs a script, unless there is something to object to it: in miniredis's words.
func (s *scripts) eval(c *server.Peer, command string, args []string) bool {
	keys, err := strconv.Atoi(args[1])
	if err != nil || keys < 0 || keys > len(args)-2 {
		return false
	}
	s.mu.Lock()
	found := s.bySHA1[args[0]]
	if command == "EVAL" {
		found = s.learn(args[0])
	}
	apart := s.apart[c]
	s.mu.Unlock()
	if found == nil || apart {
		return false
	}
	s.m.Lock()
	defer s.m.Unlock()
	s.run(c, found, args[2:2+keys], args[2+keys:])
	return true
}

// told follows what SCRIPT does to the scripts that the server knows. miniredis answers.
func (s *scripts) told(args []string) {
	if len(args) == 0 {
		return
	}
	switch strings.ToUpper(args[0]) {
	case "EXISTS":
		s.share(nil)
	case "LOAD":
		if len(args) == 2 {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.learn(args[1])
		}
	case "FLUSH":
		s.mu.Lock()
		defer s.mu.Unlock()
		clear(s.bySource)
		clear(s.bySHA1)
	}
}

// learn is the script of a source; nil where it does not compile. The caller holds mu.
func (s *scripts) learn(source string) *script {
	if known := s.bySource[source]; known != nil {
		return known
	}
	proto, err := compile(source)
	if err != nil {
		return nil
	}
	sum := sha1.Sum([]byte(source))
	learnt := &script{sha1: hex.EncodeToString(sum[:]), proto: proto}
	s.bySource[source], s.bySHA1[learnt.sha1] = learnt, learnt
	if s.shared {
		s.serve.Dispatch(s.outer, []string{"SCRIPT", "LOAD", source})
	}
	return learnt
}

// share gives miniredis all scripts, now and from now on, and leaves those of c to it; of none where c is nil.
func (s *scripts) share(c *server.Peer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.shared {
		s.shared = true
		for source := range s.bySource {
			s.serve.Dispatch(s.outer, []string{"SCRIPT", "LOAD", source})
		}
	}
	if c == nil || s.apart[c] {
		return
	}
	s.apart[c] = true
	c.OnDisconnect(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.apart, c)
	})
}

// sourceName is what Redis calls a script in errors.
const sourceName = "user_script"

// compiled has the compiled scripts of all servers: a run starts several, and decides the same on each.
var compiled sync.Map // source -> *lua.FunctionProto

func compile(source string) (*lua.FunctionProto, error) {
	if known, ok := compiled.Load(source); ok {
		return known.(*lua.FunctionProto), nil
	}
	chunk, err := parse.Parse(strings.NewReader(source), "<string>")
	if err != nil {
		return nil, err
	}
	asRedis(chunk)
	proto, err := lua.Compile(chunk, sourceName)
	if err != nil {
		return nil, err
	}
	compiled.Store(source, proto)
	return proto, nil
}
