package bench

import (
	"fmt"
	"os"
	"strings"

	"ratelab/algorithms"
	"ratelab/internal/lineup"
	"ratelab/internal/message"
	"ratelab/internal/redisserver"
	"ratelab/internal/scenario"
)

// side is one side of a comparison, resolved: what decides, or where.
type side struct {
	name   string            // as it was asked for
	server string            // a spec of redisserver.Start; "" where the side is a script
	script *lineup.Candidate // nil where the side is a server
}

func (s *side) isServer() bool { return s.script == nil }

// in is the side's entry that meets a scenario, or, where that is nil, the one under costLimit.
func (s *side) in(met *scenario.Scenario) (*lineup.Entry, error) {
	if met == nil {
		return s.script.Under(costLimit)
	}
	return s.script.In(met)
}

// resolve tells what a side is. flag names it in an error.
func (s SideSpec) resolve(flag string) (*side, error) {
	kind, _, _ := strings.Cut(s.Spec, "=")
	switch {
	case lineup.IsScript(s.Spec):
		return scripted(lineup.ScriptCandidate(s.Spec, s.As))
	case lineup.IsAlgorithm(s.Spec):
		return scripted(lineup.AlgorithmCandidate(s.Spec))
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

// scripted is the side of a candidate that one gateway can decide by.
func scripted(c *lineup.Candidate, err error) (*side, error) {
	if err != nil {
		return nil, err
	}
	var wrong lineup.Problems
	if choice := c.Choice(); choice != nil {
		checkOneGateway(*choice, &wrong)
	}
	return &side{name: c.Name, script: c}, wrong.Err()
}
