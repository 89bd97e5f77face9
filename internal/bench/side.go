package bench

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ratelab/algorithms"
	counter "ratelab/internal/cost"
	"ratelab/internal/limit"
	"ratelab/internal/lineup"
	"ratelab/internal/message"
	"ratelab/internal/redisserver"
	"ratelab/internal/scenario"
	"ratelab/internal/script"
)

// side is one side of a comparison, resolved: what decides, or where.
type side struct {
	name   string  // as it was asked for
	server string  // a spec of redisserver.Start; "" where the side is a script
	script entryIn // nil where the side is a server
	// what it is under a limit, to be counted; nil where the side is a server
	under  func(limit.Policy) (*lineup.Entry, error)
	pinned []string // the names of files under which a release has it, the likeliest first
}

// entryIn makes the entry that meets a scenario, or under costLimit where that is nil.
type entryIn func(s *scenario.Scenario) (*lineup.Entry, error)

// limitIn is the limit under which it makes it.
func limitIn(s *scenario.Scenario) limit.Policy {
	if s == nil {
		return costLimit
	}
	return s.Limit
}

func (s *side) isServer() bool { return s.script == nil }

// resolve tells what a side is. flag names it in an error.
func (s SideSpec) resolve(flag string) (*side, error) {
	kind, _, _ := strings.Cut(s.Spec, "=")
	name, _, _ := strings.Cut(s.Spec, ":")
	switch {
	case strings.EqualFold(filepath.Ext(s.Spec), ".lua"):
		return s.script()
	case slices.Contains(algorithms.Names(), name):
		choice, err := parseSide(s.Spec)
		if err != nil {
			return nil, err
		}
		return sideOf(s.Spec, choice), nil
	case strings.Contains(s.Spec, "://"), kind == redisserver.KindProcess, kind == redisserver.KindContainer:
		return &side{name: redisserver.NameOf(s.Spec), server: s.Spec}, nil
	case s.Spec == redisserver.KindEmbedded, s.Spec == modelServer:
		var wrong lineup.Problems
		checkServer(s.Spec, &wrong)
		return nil, fmt.Errorf("%s: %w", flag, wrong.Err())
	case strings.ContainsAny(s.Spec, "/:") && !isThere(s.Spec) && redisserver.Repeatable(s.Spec) &&
		redisserver.IsImage(s.Spec):
		return &side{name: s.Spec, server: redisserver.KindContainer + "=" + s.Spec}, nil
	case isThere(s.Spec):
		return nil, fmt.Errorf("%s %s: this is no script; name a file that ends in .lua", flag, message.Path(s.Spec))
	}
	return nil, fmt.Errorf("%s %s: neither a script (a file that ends in .lua) nor an algorithm nor a server "+
		"(process, container=IMAGE, "+
		"an image such as redis:8.0, a URL); %s", flag, redisserver.Repeat(s.Spec), message.OneOf(s.Spec,
		algorithms.Names()))
}

// isThere reports whether a file or folder has the name.
func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// parseSide reads the label of a built-in algorithm that one gateway can decide by.
func parseSide(label string) (algorithms.Choice, error) {
	choice, err := algorithms.Parse(label)
	if err != nil {
		return choice, err
	}
	var wrong lineup.Problems
	checkOneGateway(choice, &wrong)
	return choice, wrong.Err()
}

// ofAlgorithm makes entries of a built-in algorithm. What a call costs is measured under the same limit for all.
func ofAlgorithm(choice algorithms.Choice) entryIn {
	return func(s *scenario.Scenario) (*lineup.Entry, error) {
		if s == nil {
			return lineup.Builtin(choice.AtTheLimit(), costLimit)
		}
		choice, err := choice.WithDefaults(s.Parameters[choice.Spec.Name])
		if err != nil {
			return nil, err
		}
		return lineup.Builtin(choice, s.Limit)
	}
}

// sideOf is the side of a built-in algorithm.
func sideOf(name string, choice algorithms.Choice) *side {
	return &side{name: name, script: ofAlgorithm(choice), pinned: []string{choice.Spec.Name + ".lua"},
		under: counter.Algorithm(choice.AtTheLimit()).Under}
}

// withSource is the side with another source.
func (s *side) withSource(file, source string) *side {
	of := counter.Subject{Under: s.under}
	return &side{name: file, script: called(s.script, file, source), pinned: s.pinned,
		under: counter.Version(of, "", source).Under}
}

// release is the side's script as a folder has it.
func (s *side) release(folder string) (*side, error) {
	for _, name := range s.pinned {
		file := filepath.Join(folder, name)
		if !isThere(file) {
			continue
		}
		source, err := readScript(file)
		if err != nil {
			return nil, fmt.Errorf("--pinned: %s: %w", message.Path(file), err)
		}
		return s.withSource(file, source), nil
	}
	return nil, fmt.Errorf("--pinned %s: there is no %s in it; name the folder with the scripts of a release",
		message.Path(folder), strings.Join(s.pinned, ", and no "))
}

// script is the side of a file: with the binding beside it, or called as a built-in algorithm is.
func (s SideSpec) script() (*side, error) {
	stem := strings.TrimSuffix(s.Spec, filepath.Ext(s.Spec))
	_, err := os.Stat(stem + ".yaml")
	label := s.As
	if label == "" && errors.Is(err, fs.ErrNotExist) && slices.Contains(algorithms.Names(), filepath.Base(stem)) {
		label = filepath.Base(stem)
	}
	if label == "" {
		return &side{name: s.Spec, pinned: []string{filepath.Base(s.Spec)},
			script: func(met *scenario.Scenario) (*lineup.Entry, error) { return bound(s.Spec, limitIn(met)) },
			under:  func(p limit.Policy) (*lineup.Entry, error) { return bound(s.Spec, p) },
		}, nil
	}
	choice, err := parseSide(label)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", message.Path(s.Spec), err)
	}
	source, err := readScript(s.Spec)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", message.Path(s.Spec), err)
	}
	of := sideOf(s.Spec, choice).withSource(s.Spec, source)
	if own := filepath.Base(s.Spec); !slices.Contains(of.pinned, own) {
		of.pinned = append(of.pinned, own)
	}
	return of, nil
}

// bound makes an entry of a script and its binding. Unlike lineup.Own it lets the keys be, so that those of the
// two sides are of one length: nothing else decides in the same keyspace.
func bound(file string, p limit.Policy) (*lineup.Entry, error) {
	program, err := script.Load(file, p)
	if err != nil {
		return nil, err
	}
	return &lineup.Entry{Label: program.Label, Parameters: map[string]string{}, Program: program, File: file,
		Policy: p}, nil
}

// called is the algorithm with another source.
func called(make entryIn, file, source string) entryIn {
	return func(s *scenario.Scenario) (*lineup.Entry, error) {
		c, err := make(s)
		if err != nil {
			return nil, err
		}
		program := *c.Program
		program.Source = source
		if program.Init != nil {
			program.InitSource = source
		}
		return &lineup.Entry{Label: c.Label, Parameters: c.Parameters, Program: &program, File: file,
			Policy: c.Policy}, nil
	}
}

// longestScript is more than Redis would take.
const longestScript = 1 << 20

// readScript reads a file of Lua.
func readScript(file string) (string, error) {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return "", message.Unreadable(err)
	case !info.Mode().IsRegular():
		return "", errors.New("not a file of text; want a regular file")
	case info.Size() == 0 || info.Size() > longestScript:
		return "", fmt.Errorf("%d bytes; want Lua that decides one request, of 1 to %d bytes", info.Size(),
			longestScript)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", message.Unreadable(err)
	}
	return string(text), nil
}
