// Command scripts cuts the Lua scripts of other projects out of checkouts of them, and puts a binding beside each, so
// that simulate takes them. The bindings are ours; nothing else of those projects is here.
package main

import (
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

// bindings begin with comments that say where the script is: its project and version, the file, a regular expression
// whose group is the script (all of the file without one), and the SHA-1 of what is cut out in that version.
//
//go:embed *.yaml
var bindings embed.FS

var header = regexp.MustCompile(`(?m)^# (project|file|cut|sha1): (.*)$`)

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

// cut writes every script whose project is in from, and its binding. It tells of each where it is from, and of those
// that are not there or of another version. The error is about files.
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
		lua, failed := cutOut(filepath.Join(from, filepath.Base(project), where["file"]), where["cut"])
		if failed != nil {
			fmt.Fprintf(told, "%s: left out: %v\n", base, failed)
			continue
		}
		note := version
		if fmt.Sprintf("%x", sha1.Sum(lua)) != where["sha1"] {
			note = "another script than that of " + version + ", for which the binding is"
		}
		fmt.Fprintf(told, "%s: %s, %s\n", base, project, note)
		for file, text := range map[string][]byte{base + ".lua": lua, name.Name(): binding} {
			err = errors.Join(err, atomicfile.WriteBytes(filepath.Join(out, file), text))
		}
	}
	return err
}

// cutOut reads a file, or what the expression's group is in it. In JavaScript a backslash continues a line.
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
