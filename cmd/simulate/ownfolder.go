package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ratelab/internal/commandline"
	"ratelab/internal/message"
	"ratelab/internal/script"
)

// ownFolder is a folder with scenarios, scripts and their bindings.
type ownFolder struct {
	scenarios, scripts []string // files, by name
}

// readOwnFolder tells the files of a folder apart: a script is NAME.lua, its binding the NAME.yaml beside it, and every
// other NAME.yaml is a scenario.
func readOwnFolder(dir string) (*ownFolder, error) {
	entries, err := os.ReadDir(dir)
	var path *fs.PathError
	if errors.As(err, &path) {
		return nil, commandline.Usage("%s: %w; want a folder with scenarios and scripts", message.Path(dir),
			message.Unreadable(err))
	}
	if err != nil {
		return nil, err
	}
	folder := &ownFolder{}
	bindings := map[string]bool{}
	for _, e := range entries {
		if stem, ok := strings.CutSuffix(e.Name(), ".lua"); ok {
			bindings[stem+".yaml"] = true
		}
	}
	var problems []error
	for _, e := range entries {
		file := filepath.Join(dir, e.Name())
		switch filepath.Ext(e.Name()) {
		case ".lua":
			if !isSetup(dir, e.Name()) {
				folder.scripts = append(folder.scripts, file)
			}
		case ".yaml", ".yml":
			if bindings[e.Name()] {
				continue
			}
			if script.IsBinding(file) {
				problems = append(problems, fmt.Errorf("%s: this binding's script %s is not there; bring it back, or "+
					"delete the binding", message.Path(file),
					message.Path(strings.TrimSuffix(file, filepath.Ext(file))+".lua")))
				continue
			}
			folder.scenarios = append(folder.scenarios, file)
		}
	}
	if len(folder.scenarios) == 0 {
		problems = append(problems, fmt.Errorf("%s: no scenario in it; want a file such as %s with limit: and phases: "+
			"(docs/scenarios.md has the fields)", message.Path(dir), message.Path(filepath.Join(dir, "edge.yaml"))))
	}
	if len(problems) > 0 {
		return nil, commandline.Exit(commandline.ExitUsage, errors.Join(problems...))
	}
	slices.Sort(folder.scenarios)
	slices.Sort(folder.scripts)
	return folder, nil
}

// isSetup reports whether a script is only another one's init: it has no binding of its own.
func isSetup(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, strings.TrimSuffix(name, ".lua")+".yaml"))
	return err != nil && script.IsInit(dir, name)
}
