package clitest

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"ratelab/internal/cli"
)

// seriesProgram is the program name under which the test binary serves calls: see Main.
const seriesProgram = "series"

// order is a call for the series to make.
type order struct{ Env, Args []string }

// Main makes the test binary act as several programs: the program itself with main, a server for many calls in one
// process with run, and the programs in more.
func Main(m testscript.TestingM, program string, main func(), run func(context.Context, []string, cli.Streams) int,
	more map[string]func()) {
	all := map[string]func(){program: main, seriesProgram: func() { serve(run) }, oldRedisProgram: oldRedis}
	for name, f := range more {
		all[name] = f
	}
	testscript.Main(m, all)
}

// serve makes calls one after the other, as requested on standard input.
func serve(run func(context.Context, []string, cli.Streams) int) {
	in, out := gob.NewDecoder(os.Stdin), gob.NewEncoder(os.Stdout)
	os.Stdout = os.Stderr // output that bypasses the call's streams must not mix with the replies
	for {
		var o order
		if err := in.Decode(&o); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			panic(err)
		}
		if err := out.Encode(makeCall(o, run)); err != nil {
			panic(err)
		}
	}
}

func makeCall(o order, run func(context.Context, []string, cli.Streams) int) call {
	for _, setting := range o.Env {
		name, value, _ := strings.Cut(setting, "=")
		if was, set := os.LookupEnv(name); set {
			defer os.Setenv(name, was)
		} else {
			defer os.Unsetenv(name)
		}
		os.Setenv(name, value)
	}
	var stdout, stderr bytes.Buffer
	code := run(context.Background(), o.Args, cli.Streams{Stdout: &stdout, Stderr: &stderr})
	return call{code, stdout.String(), stderr.String()}
}

// series makes calls in the script's folder and environment, all in one process. Starting a process takes longer than
// most calls.
type series struct {
	ts     *testscript.TestScript
	orders *gob.Encoder
	calls  *gob.Decoder
	stderr bytes.Buffer // output of the process itself, such as a panic
	kill   func()
}

// inSeries makes the script's next call. The first call starts a process that serves all calls, and ends with the
// script.
func inSeries(ts *testscript.TestScript, env, args []string) call {
	one := &of(ts).series
	if one.ts == nil {
		one.start(ts)
	}
	return one.execute(append(environment(ts), env...), args)
}

func (s *series) start(ts *testscript.TestScript) {
	ctx, cancel := context.WithCancel(context.Background())
	cmd := programNamed(ctx, ts, seriesProgram, nil, nil)
	s.ts, s.kill = ts, cancel
	in, err := cmd.StdinPipe()
	ts.Check(err)
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	cmd.Stderr = &s.stderr
	ts.Check(cmd.Start())
	ts.Defer(func() {
		in.Close()
		cancel()
		_ = cmd.Wait() // killed if it has not ended
	})
	s.orders, s.calls = gob.NewEncoder(in), gob.NewDecoder(out)
}

// execute makes the next call.
func (s *series) execute(env, args []string) (got call) {
	hangs := time.AfterFunc(patience, s.kill)
	defer hangs.Stop()
	err := s.orders.Encode(order{env, args})
	if err == nil {
		err = s.calls.Decode(&got)
	}
	if err != nil {
		s.ts.Fatalf("%s %q ends the process, or hangs: %v\n%s", programName(s.ts), args, err, &s.stderr)
	}
	return got
}
