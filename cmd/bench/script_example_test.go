package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
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

// shardsCmd is: shards FOLDER N [I]
// It writes the parts of a made-up run of N shards, of which shard I, if there is one, is invalid.
func shardsCmd(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	parts, _ := benchresulttest.Shards(rand.New(rand.NewPCG(1, uint64(n))), n, 500)
	if len(args) > 2 {
		i, err := strconv.Atoi(args[2])
		ts.Check(err)
		parts[i-1].Validity = benchresulttest.Invalid().Validity
	}
	ts.Check(os.MkdirAll(ts.MkAbs(args[0]), 0o755))
	for _, p := range parts {
		var out bytes.Buffer
		ts.Check(benchresult.WritePart(&out, p))
		name := fmt.Sprintf("bench-shard-%d-of-%d.json", p.Shard.Number, n)
		ts.Check(os.WriteFile(filepath.Join(ts.MkAbs(args[0]), name), out.Bytes(), 0o644))
	}
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
