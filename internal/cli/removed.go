package cli

import (
	_ "embed"
	"strings"
)

// removedNames has a line for each command and flag that is gone: its name, and what to do instead. A command stands
// with its program; a flag stands with the path of its command, or alone where it meant the same everywhere.
//
//go:embed removed.txt
var removedNames string

// removed refuses what meant something once, for a command or for all of them.
func removed(command, name string) error {
	for line := range strings.Lines(removedNames) {
		gone, instead, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if gone == name || gone == command+" "+name {
			return Usage("%s was removed: %s", name, instead)
		}
	}
	return nil
}
