package main

import (
	"bytes"
	"io"
	"os"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"

	"ratelab/internal/benchresult"
	"ratelab/internal/benchresult/benchresulttest"
)

// exampleCmd is: example FILE KIND…
// It writes a made-up result: valid, later, invalid, partial or paired SLOWDOWN.
func exampleCmd(ts *testscript.TestScript, _ bool, args []string) {
	var out bytes.Buffer
	ts.Check(writeExample(&out, args[1], args[2:]))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), out.Bytes(), 0o644))
}

func writeExample(w io.Writer, kind string, args []string) error {
	example := benchresulttest.Example()
	switch kind {
	case "paired":
		slowdown, err := strconv.ParseFloat(args[0], 64)
		if err != nil {
			return err
		}
		return benchresult.WritePaired(w, benchresulttest.Paired(slowdown))
	case "invalid":
		example = benchresulttest.Invalid()
		example.Partial = false
	case "partial":
		example.Partial = true
	case "later": // another run of the same
		example.Started = example.Started.Add(3600e9)
	}
	return benchresult.WriteJSON(w, example)
}
