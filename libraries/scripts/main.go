// Command scripts extracts the Lua scripts of other projects from checkouts, and puts a binding beside each, so that
// simulate can use them. We wrote the bindings. The repository contains no script and no other part of those projects.
package main

import (
	"cmp"
	"crypto/sha1"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"ratelab/internal/atomicfile"
)

// bindings begin with comments. project is the script's project and version, file is its file, and sha1 is the SHA-1 of
// the script in this version. cut is a regular expression whose group is the script. Without cut, the whole file is the
// script. end-file, end-cut and end-sha1 describe a second script, NAME-end.lua, which is called at the end of a
// request. Without end-file, the second script is in the same file.
//
//go:embed *.yaml
var bindings embed.FS

var header = regexp.MustCompile(`(?m)^# (project|(?:end-)?(?:file|cut|sha1)): (.*)$`)

func main() {
	from := flag.String("from", "", "the `folder` with the checkouts, each named as its repository")
	out := flag.String("out", "", "the `folder` to write NAME.lua and NAME.yaml to")
	flag.Parse()
	if *from == "" || *out == "" {
		fmt.Fprintln(os.Stderr, "usage: go run ./scripts -from FOLDER -out FOLDER")
		os.Exit(2)
	}
	if err := cut(*from, *out, os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "scripts: %v\n", err)
		os.Exit(3)
	}
}

// cut writes the script and the binding of each project in the folder from to the folder out. For each script it prints
// the project and the version, or that the script is missing or has changed. It returns errors about files.
func cut(from, out string, told io.Writer) error {
	names, err := bindings.ReadDir(".")
	err = errors.Join(err, os.MkdirAll(out, 0o755))
	for _, name := range names {
		binding, failed := bindings.ReadFile(name.Name())
		err = errors.Join(err, failed)
		where := map[string]string{}
		for _, m := range header.FindAllStringSubmatch(string(binding), -1) {
			where[m[1]] = m[2]
		}
		project, version, _ := strings.Cut(where["project"], " ")
		base := strings.TrimSuffix(name.Name(), ".yaml")
		files := map[string][]byte{name.Name(): binding}
		note := version
		for _, part := range []string{"", "end-"} {
			if where[part+"sha1"] == "" {
				continue
			}
			file := cmp.Or(where[part+"file"], where["file"])
			lua, wrong := cutOut(filepath.Join(from, filepath.Base(project), file), where[part+"cut"])
			failed = errors.Join(failed, wrong)
			if fmt.Sprintf("%x", sha1.Sum(lua)) != where[part+"sha1"] {
				note = "a different script than in " + version + ", for which the binding was written"
			}
			files[base+strings.TrimSuffix("-"+part, "-")+".lua"] = lua
		}
		if failed != nil {
			fmt.Fprintf(told, "%s: left out: %v\n", base, failed)
			continue
		}
		fmt.Fprintf(told, "%s: %s, %s\n", base, project, note)
		for file, text := range files {
			err = errors.Join(err, atomicfile.WriteBytes(filepath.Join(out, file), text))
		}
	}
	return err
}

// cutOut returns the text of a file, or the text that the group of the expression cut matches. It joins lines at a
// backslash, as JavaScript does.
func cutOut(file, cut string) ([]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil || cut == "" {
		return text, err
	}
	m := regexp.MustCompile("(?s)" + cut).FindSubmatch(text)
	if m == nil {
		return nil, fmt.Errorf("%s: no %s", file, cut)
	}
	return []byte(strings.ReplaceAll(string(m[1]), "\\\n", "\n")), nil
}
