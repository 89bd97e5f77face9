package scenario

import (
	"crypto/sha256"
	"encoding/hex"

	"ratelab/internal/strictyaml"
)

// reader reads one file, which collects the problems.
type reader struct{ strictyaml.File }

// Parse reads a scenario. file is its path, for messages, for the name it must bear and for the folder that a
// trace's name is relative to; it is not opened. The error is a strictyaml.Errors with everything that is wrong.
func Parse(file string, data []byte) (*Scenario, error) {
	r := &reader{strictyaml.File{
		Name: file, Wants: "a scenario with name, question, limit and phases", Remedy: "want a mapping of fields",
	}}
	var s *Scenario
	if root, ok := r.Root(data); ok {
		s = r.scenario(root)
	}
	if problems := r.Errors(); len(problems) > 0 {
		return nil, problems
	}
	sum := sha256.Sum256(data)
	s.SHA256 = hex.EncodeToString(sum[:])
	return s, nil
}
