// Package counting counts what a decision costs a server, instructions and Redis commands, for each path through a
// script, and judges of two scripts by everything that can be counted whether one is worse. A path is a state of the
// key and a limit. A count is no time: those need rounds on a quiet machine and statistics, which benchstat has.
//
// Two servers of the same program take part, both our own. One is native: on it, histories are decided in virtual time,
// which makes a path's state. The other runs under callgrind: it is given copies of that state, and then the requests
// that count, by the script as it is deployed. So the history of a day costs nothing, and no line of a wrapper is
// counted. Each reply is compared with what virtual time decides: a path that was not taken is an error.
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

// A count is taken between two marks. A mark is a LASTSAVE, before which callgrind writes down what it has counted and
// begins anew (--dump-before). So no second program has to stop the server, as vgdb does, and a container's server is
// counted as a process's is. What the server does once a second whoever asks, its serverCron, is taken off.
//
// Source: https://valgrind.org/docs/manual/cl-manual.html
//
// Note: callgrind can count one function alone (--toggle-collect=evalShaCommand). The collector of garbage then makes
// one script differ from itself by 6 to 20 %. Without lua_gc a script still differs from itself by up to 0.3 %, five
// times as much as here. Such a count leaves out reading a request, writing its reply, and its garbage: 15 %.
//
// mark is the server's function at whose beginning callgrind writes down a part, and markCommand what calls it: a
// command that costs next to nothing, and for which a limiter has no use.
const (
	mark        = "lastsaveCommand"
	markCommand = "LASTSAVE"
)

// counts are what a server executed for something.
type counts struct {
	Instructions int64
	Collections  int64 // calls of Lua's collector, but for the steps that it does by itself
}

// without is what remains of counts without others.
func (c counts) without(others counts) counts {
	c.Instructions -= others.Instructions
	c.Collections -= others.Collections
	return c
}

// server is a server under callgrind: the one that is deployed, not a special build of it.
type server struct {
	*redis.Server
	valgrind string // its version, such as 3.19.0
	folder   string
	parts    int    // written so far
	empty    counts // what two marks with nothing between them count
}

// Missing is the lack of valgrind, or of a valgrind that can run the server.
type Missing struct{ message string }

// Error is one line, with what to do.
func (m *Missing) Error() string { return m.message }

func missing(format string, arguments ...any) error {
	return &Missing{fmt.Sprintf(format, arguments...)}
}

const howToGet = "install it (apt-get install valgrind, dnf install valgrind)"

// Version is that of the valgrind on PATH. The error is a *Missing.
func Version(ctx context.Context) (string, error) {
	path, err := exec.LookPath("valgrind")
	if err != nil {
		return "", missing("valgrind: not on PATH, and without it no instruction can be counted; %s", howToGet)
	}
	said, err := exec.CommandContext(ctx, path, "--version").Output()
	version, known := strings.CutPrefix(strings.TrimSpace(string(said)), "valgrind-")
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil || !known:
		return "", missing("valgrind: %s --version says no version; %s", path, howToGet)
	}
	return version, nil
}

// start starts the server that spec names, process or container, under callgrind. Its errors are those of
// redis.Start, and *Missing.
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

// options are the server's. DEBUG keeps expired keys where they are. What the server would do or note by the time, and
// so at other decisions each time, it does once a second or not at all.
var options = []string{"--enable-debug-command", "yes", "--hz", "1", "--dynamic-hz", "no", "--jemalloc-bg-thread", "no",
	"--slowlog-log-slower-than", "-1", "--latency-tracking", "no"}

// allocator has jemalloc, under its own name or with its prefix, give nothing back to the system: when it does depends
// on the time, and a thread of it counts as well.
var allocator = map[string]string{"MALLOC_CONF": calm, "JE_MALLOC_CONF": calm}

const calm = "background_thread:false,dirty_decay_ms:-1,muzzy_decay_ms:-1"

// around is how the server is started. In a container the launcher, which is linked with this machine's libraries,
// would not run: the tool itself is linked with none.
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
	return a, os.Chmod(s.folder, 0o777) // a container's root may be nobody here
}

// toolFolders are where distributions put valgrind's tools.
var toolFolders = []string{"/usr/libexec/valgrind", "/usr/lib/valgrind", "/usr/lib64/valgrind",
	"/usr/local/libexec/valgrind", "/usr/lib/x86_64-linux-gnu/valgrind", "/usr/lib/aarch64-linux-gnu/valgrind"}

// findTool is the path of callgrind itself.
func findTool() (string, error) {
	for _, folder := range append([]string{os.Getenv("VALGRIND_LIB")}, toolFolders...) {
		found, _ := filepath.Glob(filepath.Join(folder, "callgrind-*-linux"))
		if folder == "" || len(found) == 0 {
			continue
		}
		of64bits := func(tool string) bool { return strings.Contains(tool, "64") }
		return found[max(0, slices.IndexFunc(found, of64bits))], nil // there may be one of 32, too
	}
	return "", missing("valgrind: no callgrind-*-linux in any of %s; set VALGRIND_LIB to the folder that has it, or "+
		"take --redis process", strings.Join(toolFolders, ", "))
}

// part is the file of a part; callgrind counts them from 1, and writes what is left to the one without a number.
func (s *server) part() string { return filepath.Join(s.folder, fmt.Sprintf("out.%d", s.parts)) }

var trouble = regexp.MustCompile(`(?m)^(?:==\d+== )?(?:valgrind: |.*(?:Fatal|unhandled instruction|Unrecognised)).*$`)

// explain puts valgrind's own complaint before what was seen of a server that did not start.
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
		return err // it did not come to valgrind
	}
	return missing("valgrind %s: the server does not start under it (%v)", s.valgrind, err)
}

// calibrations are how often nothing is counted; the least is what the marks take.
const calibrations = 5

// prepare sees that marks work, and what they take.
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

// mark ends a part.
func (s *server) mark(ctx context.Context) error {
	if err := s.Client.Do(ctx, markCommand).Err(); err != nil {
		return redis.Explain(err, s.Server)
	}
	s.parts++
	if _, err := os.Stat(s.part()); err != nil {
		return missing("valgrind %s does not see the function %s of %s %s: its program has no names of functions, or "+
			"others; take another build of the server", s.valgrind, mark, s.Name, s.Version)
	}
	return nil
}

// count counts what the server executes while f runs, which must have read all its replies when it returns. Whoever
// else uses the server meanwhile is counted too.
func (s *server) count(ctx context.Context, f func() error) (counts, error) {
	if err := s.mark(ctx); err != nil {
		return counts{}, err
	}
	os.Remove(s.part()) // it is nobody's, and a long run has thousands of them
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

// Close ends the server and deletes what callgrind has written.
func (s *server) Close() error { return errors.Join(s.Server.Close(), os.RemoveAll(s.folder)) }
