// Package counting counts the server's instructions and Redis commands per decision, for each path through a script. It
// compares two scripts by everything that can be counted, and decides whether one is worse. A path is a state of the
// key under a limit. Counts are not times. To compare times, repeat measurements on a quiet machine, and use
// statistics, such as benchstat.
//
// The package runs two servers of the same program. The first server runs natively. It decides histories in virtual
// time, which produces the state of a path. The second server runs under callgrind. It gets copies of the state, and
// then the requests that are counted. These requests call the script as it is deployed. Histories run only on the first
// server. So neither a history of a day nor the virtual clock adds a counted instruction. Each reply is compared with
// the decision in virtual time. If they differ, the script took another path, which is an error.
package counting

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"ratelab/internal/redis"
)

// A count is taken between two marks. A mark is a LASTSAVE command. Before it, callgrind dumps its counters and resets
// them (--dump-before). So no second program such as vgdb has to stop the server, and a server in a container is
// counted like a process. The server runs serverCron once a second. Its cost is subtracted.
//
// Source: https://valgrind.org/docs/manual/cl-manual.html
//
// Note: callgrind can count one function alone (--toggle-collect=evalShaCommand). But then two counts of the same
// script differ by 6 to 20 %, because of the garbage collector. Without lua_gc, they still differ by up to 0.3 %, five
// times as much as here. Such a count also leaves out the reading of the request, the writing of the reply, and the
// garbage collection: 15 % of the instructions.
//
// mark is the function before which callgrind dumps its counters. markCommand is the command that calls it. It takes
// almost no time, and no limiter uses it.
const (
	mark        = "lastsaveCommand"
	markCommand = "LASTSAVE"
)

// counts are the numbers between two marks.
type counts struct {
	Instructions int64
	Collections  int64 // calls of Lua's collector, without its automatic steps
}

// without returns the counts minus others.
func (c counts) without(others counts) counts {
	c.Instructions -= others.Instructions
	c.Collections -= others.Collections
	return c
}

// server is a server under callgrind. It is the deployed program, not a special build.
type server struct {
	*redis.Server
	valgrind string // the version, such as 3.19.0
	folder   string
	parts    int    // dumps written so far
	empty    counts // counts of two marks with nothing between them
}

// Missing reports that valgrind is missing or cannot run the server.
type Missing struct{ message string }

// Error returns one line, with the remedy.
func (m *Missing) Error() string { return m.message }

func missing(format string, arguments ...any) error {
	return &Missing{fmt.Sprintf(format, arguments...)}
}

const howToGet = "install it (apt-get install valgrind, dnf install valgrind)"

// Version returns the version of the valgrind on PATH. The error is a *Missing.
func Version(ctx context.Context) (string, error) {
	path, err := exec.LookPath("valgrind")
	if err != nil {
		return "", missing("valgrind: not on PATH; it is needed to count instructions; %s", howToGet)
	}
	said, err := exec.CommandContext(ctx, path, "--version").Output()
	version, known := strings.CutPrefix(strings.TrimSpace(string(said)), "valgrind-")
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil || !known:
		return "", missing("valgrind: %s --version prints no version; %s", path, howToGet)
	}
	return version, nil
}

// start starts the server that spec names, a process or container, under callgrind. It returns the errors of
// redis.Start, or a *Missing.
func start(ctx context.Context, spec string) (*server, error) {
	s := &server{}
	var err error
	if s.valgrind, err = Version(ctx); err != nil {
		return nil, err
	}
	if s.folder, err = os.MkdirTemp("", "ratelab-callgrind-"); err != nil {
		return nil, missing("valgrind: no folder for its counts: %v", err)
	}
	around, err := s.around(spec)
	if err == nil {
		s.Server, err = redis.Start(ctx, spec, redis.WithDirectTransport(), redis.Within(around))
	}
	if err == nil {
		if err = s.prepare(ctx); err == nil {
			return s, nil
		}
		err = errors.Join(err, s.Server.Close())
	} else {
		err = s.explain(err)
	}
	return nil, errors.Join(err, os.RemoveAll(s.folder))
}

// options are the server's options. DEBUG is allowed, to keep expired keys. Work that depends on the time is turned
// off, or runs only once a second. Otherwise each count would include it at other decisions.
var options = []string{"--enable-debug-command", "yes", "--hz", "1", "--dynamic-hz", "no", "--jemalloc-bg-thread", "no",
	"--slowlog-log-slower-than", "-1", "--latency-tracking", "no"}

// allocator has the environment variables with which jemalloc returns no memory to the system. It would do so at random
// times, in a thread that is counted, too. The variable's name depends on how jemalloc was built.
var allocator = map[string]string{"MALLOC_CONF": calm, "JE_MALLOC_CONF": calm}

const calm = "background_thread:false,dirty_decay_ms:-1,muzzy_decay_ms:-1"

// around returns how to start the server. In a container, valgrind's launcher would not run, because it is linked with
// libraries of this machine. The callgrind tool is linked with no libraries, so it is started directly.
func (s *server) around(spec string) (redis.Around, error) {
	a := redis.Around{
		Command:     []string{"valgrind"},
		Environment: maps.Clone(allocator),
		Folders:     []string{s.folder},
		Options:     options,
	}
	if kind, _, _ := strings.Cut(spec, "="); kind == redis.KindContainer {
		tool, err := findTool()
		if err != nil {
			return a, err
		}
		a.Command[0] = tool
		a.Environment["VALGRIND_LIB"], a.Environment["VALGRIND_LAUNCHER"] = filepath.Dir(tool), tool
		a.Folders = append(a.Folders, filepath.Dir(tool))
	}
	a.Command = append(a.Command, "--tool=callgrind", "--dump-before="+mark, "--dump-line=no",
		"--callgrind-out-file="+filepath.Join(s.folder, "out"), "--log-file="+filepath.Join(s.folder, "log"))
	return a, os.Chmod(s.folder, 0o777) // root in the container may be another user on this machine
}

// toolFolders are the folders where distributions install valgrind's tools.
var toolFolders = []string{"/usr/libexec/valgrind", "/usr/lib/valgrind", "/usr/lib64/valgrind",
	"/usr/local/libexec/valgrind", "/usr/lib/x86_64-linux-gnu/valgrind", "/usr/lib/aarch64-linux-gnu/valgrind"}

// findTool returns the path of the callgrind tool.
func findTool() (string, error) {
	for _, folder := range append([]string{os.Getenv("VALGRIND_LIB")}, toolFolders...) {
		found, _ := filepath.Glob(filepath.Join(folder, "callgrind-*-linux"))
		if folder == "" || len(found) == 0 {
			continue
		}
		of64bits := func(tool string) bool { return strings.Contains(tool, "64") }
		return found[max(0, slices.IndexFunc(found, of64bits))], nil // there may be a 32-bit tool too
	}
	return "", missing("valgrind: no callgrind-*-linux in any of %s; set VALGRIND_LIB to its folder, or "+
		"use --redis process", strings.Join(toolFolders, ", "))
}

// part returns the file of the current dump. callgrind numbers the dumps from 1. At its end, it writes the rest to the
// file without a number.
func (s *server) part() string { return filepath.Join(s.folder, fmt.Sprintf("out.%d", s.parts)) }

var trouble = regexp.MustCompile(`(?m)^(?:==\d+== )?(?:valgrind: |.*(?:Fatal|unhandled instruction|Unrecognised)).*$`)

// explain adds valgrind's own message to the error of a server that did not start.
func (s *server) explain(err error) error {
	var absent *redis.Unavailable
	if !errors.As(err, &absent) {
		return err
	}
	said, _ := os.ReadFile(filepath.Join(s.folder, "log"))
	if complaint := trouble.Find(said); complaint != nil {
		return missing("valgrind %s cannot run the server: %s", s.valgrind, strings.TrimSpace(string(complaint)))
	}
	if len(said) == 0 {
		return err // valgrind itself did not start
	}
	return missing("valgrind %s: the server does not start under it (%v)", s.valgrind, err)
}

// calibrations is the number of counts of an empty interval. The least count is the cost of the marks.
const calibrations = 5

// prepare checks that marks work, and measures their cost.
func (s *server) prepare(ctx context.Context) error {
	if err := s.mark(ctx); err != nil {
		return err
	}
	var all []counts
	for range calibrations {
		c, err := s.count(ctx, func() error { return nil })
		if err != nil {
			return err
		}
		all = append(all, c)
	}
	s.empty = slices.MinFunc(all, func(a, b counts) int { return cmp.Compare(a.Instructions, b.Instructions) })
	return nil
}

// mark makes callgrind dump its counters, which ends a part.
func (s *server) mark(ctx context.Context) error {
	if err := s.Client.Do(ctx, markCommand).Err(); err != nil {
		return redis.Explain(err, s.Server)
	}
	s.parts++
	if _, err := os.Stat(s.part()); err != nil {
		return missing("valgrind %s cannot find the function %s in %s %s: the program has no symbols, or other "+
			"ones; use another build of the server", s.valgrind, mark, s.Name, s.Version)
	}
	return nil
}

// count counts the instructions of the server while f runs. f must read all its replies before it returns. The work of
// other clients in that time is counted too.
func (s *server) count(ctx context.Context, f func() error) (counts, error) {
	if err := s.mark(ctx); err != nil {
		return counts{}, err
	}
	os.Remove(s.part()) // not needed, and a long run has thousands of them
	failed := f()
	if err := cmp.Or(failed, s.mark(ctx)); err != nil {
		return counts{}, err
	}
	file, err := os.Open(s.part())
	if err != nil {
		return counts{}, err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	c, err := readPart(file)
	return c.without(s.empty), err
}

// Close stops the server and deletes callgrind's files.
func (s *server) Close() error { return errors.Join(s.Server.Close(), os.RemoveAll(s.folder)) }
