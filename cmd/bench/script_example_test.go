package main

import (
	"bytes"
	"io"
	"os"

	"github.com/rogpeppe/go-internal/testscript"

	"ratelab/internal/result"
	"ratelab/internal/result/benchmarktest"
)

// exampleCmd is: example FILE KIND
// It writes a made-up result: valid, later, invalid or partial.
func exampleCmd(ts *testscript.TestScript, _ bool, args []string) {
	var out bytes.Buffer
	ts.Check(writeExample(&out, args[1]))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), out.Bytes(), 0o644))
}

func writeExample(w io.Writer, kind string) error {
	example := benchmarktest.Example()
	switch kind {
	case "invalid":
		example = benchmarktest.Invalid()
		example.Partial = false
	case "partial":
		example.Partial = true
	case "later": // another run of the same
		example.Started = example.Started.Add(3600e9)
	}
	return result.Write(w, example)
}
