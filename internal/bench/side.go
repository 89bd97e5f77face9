package bench

import (
	"fmt"
	"os"
	"strings"

	"ratelab/algorithms"
	"ratelab/internal/message"
	"ratelab/internal/redis"
	"ratelab/internal/run"
	"ratelab/internal/script"
)

// SideSpec names one side of a comparison. Spec is one of
//
//	a script's file     my.lua with its binding my.yaml beside it. A file without one is called as the built-in
//	                    algorithm is whose label As says, or whose name the file has
//	an algorithm        its label, such as gcra:burst=100
type SideSpec struct {
	Spec string
	As   string // the label of a built-in algorithm; "": none is stated
}

// resolve tells what a side is. flag names it in an error.
func (s SideSpec) resolve(flag string) (*run.Side, error) {
	kind, _, _ := strings.Cut(s.Spec, "=")
	switch {
	case run.IsScript(s.Spec):
		return run.NewSide(script.OnDisk(s.Spec), s.As)
	case run.IsAlgorithm(s.Spec):
		c, err := run.NewSide(script.OnDisk(s.Spec), "")
		if err != nil {
			return nil, err
		}
		var wrong run.Problems
		checkOneGateway(*c.Choice, &wrong)
		return c, wrong.Err()
	case strings.Contains(s.Spec, "://"), kind == redis.KindProcess, kind == redis.KindContainer:
		return nil, fmt.Errorf("%s %s: a server is no side; compare two servers with bench run --format bench on "+
			"each, and benchstat", flag, redis.NameOf(s.Spec))
	case isThere(s.Spec):
		return nil, fmt.Errorf("%s %s: this is no script; name a file that ends in .lua", flag, message.Path(s.Spec))
	}
	return nil, fmt.Errorf("%s %s: neither a script (a file that ends in .lua) nor an algorithm; %s", flag,
		redis.Repeat(s.Spec), message.OneOf(s.Spec, algorithms.Names()))
}

// isThere reports whether a file or folder has the name.
func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
