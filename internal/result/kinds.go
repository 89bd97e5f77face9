package result

import (
	_ "embed" // the kinds
	"strings"
)

//go:embed kinds.txt
var kindLines string

// Kind describes a kind of findings or verdicts.
type Kind struct {
	Name string // in words; empty if the text of a finding is enough
	Help string // what the kind means, in sentences
}

// Kinds are all kinds, by the name in JSON.
var Kinds = readKinds()

func readKinds() map[string]Kind {
	all := map[string]Kind{}
	for line := range strings.Lines(kindLines) {
		if parts := strings.Split(line, "|"); len(parts) == 3 {
			all[strings.TrimSpace(parts[0])] = Kind{strings.TrimSpace(parts[1]), strings.TrimSpace(parts[2])}
		}
	}
	return all
}
