package clitest

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// tree lists all files and folders below a folder of the script, with hashes of the contents.
func tree(ts *testscript.TestScript, folder string) string {
	var b strings.Builder
	root := ts.MkAbs(folder)
	ts.Check(filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil || !d.Type().IsRegular() {
			fmt.Fprintf(&b, "%s %v\n", filepath.ToSlash(name), d.Type())
			return err
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s %x\n", filepath.ToSlash(name), sha256.Sum256(data))
		return err
	}))
	return b.String()
}

// sameCmd is: same FOLDER FOLDER. It fails unless both have the same files with the same bytes.
func sameCmd(ts *testscript.TestScript, _ bool, args []string) {
	if a, b := tree(ts, args[0]), tree(ts, args[1]); a != b {
		ts.Fatalf("%s:\n%s\n%s:\n%s", args[0], a, args[1], b)
	}
}

// listFilesCmd is: listfiles FOLDER. It prints the names.
func listFilesCmd(ts *testscript.TestScript, _ bool, args []string) {
	entries, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	for _, e := range entries {
		fmt.Fprintln(ts.Stdout(), e.Name())
	}
}

// gzipCmd is: gzip FROM TO
func gzipCmd(ts *testscript.TestScript, _ bool, args []string) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(ts.ReadFile(args[0])))
	ts.Check(err)
	ts.Check(w.Close())
	writeFile(ts, args[1], b.Bytes())
}

func writeFile(ts *testscript.TestScript, name string, data []byte) {
	ts.Check(os.WriteFile(ts.MkAbs(name), data, 0o644))
}

// truncateCmd is: truncate FILE BYTES. It removes bytes from the end.
func truncateCmd(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	data := []byte(ts.ReadFile(args[0]))
	writeFile(ts, args[0], data[:len(data)-n])
}

// noiseCmd is: noise FILE. It writes bytes that are not text, always the same ones.
func noiseCmd(ts *testscript.TestScript, _ bool, args []string) {
	r := rand.New(rand.NewPCG(1, 2))
	data := make([]byte, 1000)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	data[0] = 0xff
	writeFile(ts, args[0], data)
}

// executesCmd is: executes PROGRAM ARGUMENT… It is used to run a shell with a completion script.
func executesCmd(ts *testscript.TestScript, _ bool, args []string) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = ts.MkAbs(".")
	out, err := cmd.CombinedOutput()
	if err != nil {
		ts.Fatalf("%v: %v\n%s", args, err, out)
	}
}

// replaceCmd is: replace FILE OLD NEW. It replaces the first OLD, which must exist.
func replaceCmd(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[1]) {
		ts.Fatalf("%s has no %s", args[0], args[1])
	}
	writeFile(ts, args[0], []byte(strings.Replace(text, args[1], args[2], 1)))
}
