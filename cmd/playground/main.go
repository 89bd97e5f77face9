//go:build !js

// Command playground is a web page that runs a visitor's own limiter. Compiled for js/wasm, it is the engine of the
// page: it runs the packages run, examine and curves in a worker of the browser. Compiled for anything else, it builds
// the page: a folder for any static host, and one file that works without a server.
//
// It has no rules, charts or tables of its own.
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"ratelab/algorithms"
	"ratelab/internal/atomicfile"
	"ratelab/internal/page"
	"ratelab/internal/scenario"
)

//go:embed page.html page.css page.js worker.js examples
var sources embed.FS

// version is the version of the module. The linker sets it.
var version = ""

func main() {
	out := flag.String("out", "results/latest/playground", "write the page into `FOLDER`")
	flag.Parse()
	if err := build(*out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "playground:", err)
		os.Exit(1)
	}
}

// build writes both forms of the page into the folder.
func build(out string, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%q: want no argument; see --help", args[0])
	}
	engine, err := compile()
	if err != nil {
		return err
	}
	boot, err := bootScript()
	if err != nil {
		return err
	}
	name := fmt.Sprintf("ratelab.%x.wasm.gz", sha256.Sum256(engine))[:len("ratelab.")+12] + ".wasm.gz"
	hosted, err := compose(boot, name, len(engine), nil)
	if err != nil {
		return err
	}
	alone, err := compose(boot, "", len(engine), engine)
	if err != nil {
		return err
	}
	old, _ := filepath.Glob(filepath.Join(out, "ratelab.*.wasm.gz"))
	for _, file := range []struct {
		name string
		data []byte
	}{{name, engine}, {"index.html", hosted}, {"playground.html", alone}} {
		path := filepath.Join(out, file.name)
		err := os.MkdirAll(out, 0o755)
		if err == nil {
			err = atomicfile.WriteBytes(path, file.data)
		}
		if err != nil {
			return err
		}
		old = slices.DeleteFunc(old, func(o string) bool { return o == path })
		fmt.Printf("%s: %.1f MB\n", path, float64(len(file.data))/1e6)
	}
	for _, o := range old { // files of earlier builds
		err = errors.Join(err, os.Remove(o))
	}
	return err
}

// compile returns this package as a compressed WebAssembly module with limited memory.
func compile() ([]byte, error) {
	dir, err := os.MkdirTemp("", "playground")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "engine.wasm")
	c := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w -X main.version="+version, "-o", file,
		"ratelab/cmd/playground")
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=")
	if said, err := c.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%v: %w\n%s", c, err, said)
	}
	module, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if module, err = limitMemory(module, mostPages); err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err == nil {
		_, err = z.Write(module)
		err = errors.Join(err, z.Close())
	}
	return packed.Bytes(), err
}

// mostPages is the maximum of the module's memory, in pages of 64 KB: 512 MB.
const mostPages = 512 << 20 >> 16

// limitMemory sets the maximum of a module's memory. Go's linker sets none, and a script could then use up the
// browser's memory. A module consists of a header of 8 bytes and of sections. A section has a byte for its kind, its
// length, and its contents.
func limitMemory(module []byte, pages uint64) ([]byte, error) {
	const header, kind, unlimited, limited = 8, 5, 0, 1
	for at := header; at < len(module); {
		length, n := binary.Uvarint(module[at+1:])
		begin := at + 1 + max(n, 0)
		if n <= 0 || length > uint64(len(module)-begin) {
			break
		}
		end := begin + int(length)
		if module[at] != kind {
			at = end
			continue
		}
		contents := module[begin:end] // one memory: a flag, and the minimum size
		if len(contents) < 3 || contents[0] != 1 || contents[1] != unlimited {
			break
		}
		with := binary.AppendUvarint(slices.Concat([]byte{1, limited}, contents[2:]), pages)
		sized := binary.AppendUvarint([]byte{kind}, uint64(len(with)))
		return slices.Concat(module[:at], sized, with, module[end:]), nil
	}
	return nil, errors.New("found no unlimited memory in the module; Go's linker may have changed its output")
}

// bootScript returns the worker's script: Go's support for JavaScript, followed by our part.
func bootScript() (string, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w", err)
	}
	support, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return "", err
	}
	return string(support) + source("worker.js"), nil
}

// source returns one of the page's own files.
func source(name string) string {
	data, err := sources.ReadFile(name)
	if err != nil {
		panic(err) // cannot fail: the file is built in
	}
	return string(data)
}

// example is a limiter in the menu.
type example struct {
	Name    string `json:"name"`
	Script  string `json:"script"`
	Binding string `json:"binding"`
}

// examples returns the files in the folder, in the order of their names, which begin with a number. The first line of a
// script is its name.
func examples() (all []example) {
	names, err := fs.Glob(sources, "examples/*.lua")
	if err != nil {
		panic(err)
	}
	for _, name := range names {
		title, text, _ := strings.Cut(source(name), "\n")
		all = append(all, example{strings.TrimPrefix(title, "-- "), strings.TrimLeft(text, "\n"),
			source(strings.TrimSuffix(name, ".lua") + ".yaml")})
	}
	return all
}

// traffic is a scenario in the menu.
type traffic struct {
	Name     string `json:"name"`
	Question string `json:"question"`
	Limit    string `json:"limit"`
	Requests int64  `json:"requests"` // the menu is sorted by it
}

// compose makes the whole page. The engine is part of the page, or a separate file with the given name.
func compose(boot, name string, size int, engine []byte) ([]byte, error) {
	builtin, err := scenario.Builtin()
	if err != nil {
		return nil, err
	}
	var data struct {
		Engine    string            `json:"engine"` // the engine's file; "": it is in the page
		Size      int               `json:"size"`   // of the compressed engine
		Version   string            `json:"version"`
		Scenarios []traffic         `json:"scenarios"`
		Examples  []example         `json:"examples"`
		Colours   map[string]string `json:"colours"` // by algorithm
	}
	data.Engine, data.Size, data.Version, data.Examples = name, size, version, examples()
	for _, s := range builtin {
		if s.RequestsEnd() { // a visitor's script has no call at the end
			continue
		}
		requests, _ := s.Stream(s.Seed).Count()
		if s.Reactive() {
			requests += 1 << 20 // clients may retry: sort it to the end
		}
		data.Scenarios = append(data.Scenarios, traffic{s.Name, s.Question, s.Limit.String(), requests})
	}
	data.Colours = map[string]string{}
	for _, name := range algorithms.Names() {
		data.Colours[name] = page.Colour(name)
	}
	encoded, err := json.Marshal(data) // Marshal writes < as \u003c, so the data cannot end a script element
	if err != nil {
		return nil, err
	}
	script, style, from := source("page.js"), page.Palette+source("page.css"), "'none'"
	if engine == nil {
		from = "'self'"
	}
	policy := fmt.Sprintf("default-src 'none'; script-src %s 'wasm-unsafe-eval'; style-src %s; worker-src blob:; "+
		"connect-src %s; base-uri 'none'; form-action 'none'", page.Source(script), page.Source(style), from)
	text := strings.NewReplacer("{{policy}}", policy, "{{style}}", style, "{{script}}", script, "{{boot}}", boot,
		"{{data}}", string(encoded), "{{engine}}", base64.StdEncoding.EncodeToString(engine))
	return []byte(text.Replace(source("page.html"))), nil
}
