package redisserver

import (
	"os"
	"os/exec"
	"slices"

	"ratelab/internal/container"
)

// Around is a program inside which a server of our own runs, such as one that counts its instructions.
type Around struct {
	Command     []string          // its path and its arguments, before the server's own command; none: only Options
	Environment map[string]string // besides the process's or the image's own
	Folders     []string          // of this machine, which a container sees under the same paths
	Options     []string          // the server's, behind those that it has anyway
}

// Within runs a server of our own inside another program. A container then runs as root and without its entrypoint.
func Within(a Around) Option { return func(s *settings) { s.around = &a } }

// command is that of a process: path and its arguments, inside what is around it.
func (s settings) command(path string, arguments []string) *exec.Cmd {
	if s.around == nil {
		return exec.Command(path, arguments...)
	}
	all := slices.Concat(s.around.Command, []string{path}, arguments, s.around.Options)
	c := exec.Command(all[0], all[1:]...)
	if len(s.around.Environment) > 0 {
		c.Env = os.Environ()
		for name, value := range s.around.Environment {
			c.Env = append(c.Env, name+"="+value)
		}
	}
	return c
}

// inside makes spec run command, inside what is around it.
func (s settings) inside(spec *container.Spec, command []string) {
	if s.around == nil {
		spec.Command = command
		return
	}
	all := slices.Concat(s.around.Command, command, s.around.Options)
	if len(s.around.Command) == 0 {
		spec.Command = all
		return
	}
	spec.Entrypoint, spec.Command = all[0], all[1:]
	spec.Environment, spec.AsRoot = s.around.Environment, true
	for _, folder := range s.around.Folders {
		spec.Folders[folder] = folder
	}
}
