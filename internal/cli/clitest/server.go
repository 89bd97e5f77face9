package clitest

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"ratelab/internal/redis"
	"ratelab/internal/redis/redistest"

	"github.com/rogpeppe/go-internal/testscript"
)

// redisCmd is: redis NAME OPTION…
// It starts a redis-server, puts its URL into the variable NAME, and stops the server at the end of the script.
func redisCmd(ts *testscript.TestScript, _ bool, args []string) {
	dir, err := os.MkdirTemp("", "rl") // sockets need short paths
	ts.Check(err)
	socket := filepath.Join(dir, "s")
	options := []string{"--port", "0", "--unixsocket", socket, "--save", "", "--dir", dir}
	server := exec.Command("redis-server", append(options, args[1:]...)...)
	ts.Check(server.Start())
	ts.Defer(func() {
		server.Process.Kill()
		server.Wait()
		os.RemoveAll(dir)
	})
	ts.Setenv(args[0], "unix://"+socket)
	ts.Setenv(args[0]+"_SOCKET", socket)
	ts.Setenv(args[0]+"_PID", fmt.Sprint(server.Process.Pid))
	poll(ts, "a server that listens", func() bool {
		conn, err := net.Dial("unix", socket)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
}

// haltCmd is: halt NAME TIME. It stops the server NAME for that time. Only on Unix.
func haltCmd(ts *testscript.TestScript, _ bool, args []string) {
	d, err := time.ParseDuration(args[1])
	ts.Check(err)
	pid, err := strconv.Atoi(ts.Getenv(args[0] + "_PID"))
	ts.Check(err)
	server, err := os.FindProcess(pid)
	ts.Check(err)
	ts.Check(redistest.Halt(server, d))
}

// poll calls so repeatedly until it returns true.
func poll(ts *testscript.TestScript, what string, so func() bool) {
	deadline := time.Now().Add(patience)
	for !so() {
		if time.Now().After(deadline) {
			ts.Fatalf("waited in vain for %s", what)
		}
		time.Sleep(time.Millisecond)
	}
}

// client returns a client of the server NAME.
func client(ts *testscript.TestScript, name string) redis.Client {
	c := redistest.NewClient(2, redistest.DialTo("unix", ts.Getenv(name+"_SOCKET")))
	ts.Defer(func() { c.Close() })
	return c
}

// doCmd is: do NAME COMMAND… It prints the reply.
func doCmd(ts *testscript.TestScript, _ bool, args []string) {
	var words []any
	for _, w := range args[1:] {
		words = append(words, w)
	}
	answer, err := client(ts, args[0]).Do(context.Background(), words...).Result()
	if err != nil && words[0] != "SHUTDOWN" {
		ts.Fatalf("%v: %v", words, err)
	}
	fmt.Fprintln(ts.Stdout(), answer)
}

// keyspaceCmd is: keyspace NAME
// It prints the number of keys, and for each key its type, whether it has a TTL, and its value.
func keyspaceCmd(ts *testscript.TestScript, _ bool, args []string) {
	ctx, c := context.Background(), client(ts, args[0])
	keys, err := c.Keys(ctx, "*").Result()
	ts.Check(err)
	slices.Sort(keys)
	fmt.Fprintln(ts.Stdout(), len(keys), "keys")
	for _, key := range keys {
		kind, err := c.Type(ctx, key).Result()
		ts.Check(err)
		ttl, err := c.PTTL(ctx, key).Result()
		ts.Check(err)
		expiry := "stays"
		if ttl >= 0 {
			expiry = "expires"
		}
		value, _ := c.Get(ctx, key).Result() // only for strings
		fmt.Fprintln(ts.Stdout(), key, kind, expiry, value)
	}
}

// awaitCmd is: await NAME GLOB. It waits until the run in the background has created such a key.
func awaitCmd(ts *testscript.TestScript, _ bool, args []string) {
	c := client(ts, args[0])
	poll(ts, args[1], func() bool {
		keys, err := c.Keys(context.Background(), args[1]).Result()
		if b := of(ts).run; b.ended() && len(keys) == 0 {
			ts.Fatalf("the run ended before there was a key %s: %v\n%s%s", args[1], b.err, b.stdout.String(),
				b.stderr.String())
		}
		return err == nil && len(keys) > 0
	})
}

// httpCmd is: http NAME. It starts a web server, and puts its host and port into the variable NAME.
func httpCmd(ts *testscript.TestScript, _ bool, args []string) {
	server := httptest.NewServer(http.NotFoundHandler())
	ts.Defer(server.Close)
	ts.Setenv(args[0], server.Listener.Addr().String())
}
