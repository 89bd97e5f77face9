package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"ratelab/internal/benchresult"
	"ratelab/internal/commandline"
	"ratelab/internal/message"
	"ratelab/internal/result"
)

// results reads files of bench run, or the one in each folder, and tells everything that is wrong with any of them.
func results(paths []string) ([]*benchresult.Document, error) {
	var all []*benchresult.Document
	var wrong []error
	for i, path := range paths {
		if j := sameAs(paths[:i], path); j >= 0 {
			wrong = append(wrong, commandline.Usage("%s: the same file as %s; name each result once",
				message.Path(path), message.Path(paths[j])))
			continue
		}
		r, err := benchresult.Read(path)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		all = append(all, r)
	}
	if wrong != nil {
		return nil, badInput(errors.Join(wrong...))
	}
	return all, nil
}

// sameAs is which of paths is the same file or folder, -1 where none is.
func sameAs(paths []string, path string) int {
	info, err := os.Stat(resultFile(path))
	if err != nil {
		return -1
	}
	for i, other := range paths {
		if o, err := os.Stat(resultFile(other)); err == nil && os.SameFile(o, info) {
			return i
		}
	}
	return -1
}

// resultFile is the file that is meant where a folder is named.
func resultFile(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return filepath.Join(path, result.Bench.File)
	}
	return path
}

// badInput gives err the exit code of bad input if it is a file's fault.
func badInput(err error) error {
	var bad *result.BadFile
	if errors.As(err, &bad) {
		return commandline.Exit(commandline.ExitUsage, err)
	}
	return err
}

func files(n int) string {
	if n == 1 {
		return "1 file"
	}
	return fmt.Sprintf("%d files", n)
}

// wantResults refuses fewer than least arguments and more than most; 0 is any number.
func wantResults(least, most int, want string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || most > 0 && len(args) > most {
			return commandline.Usage("%s: got %s; want %s, such as results/latest-bench/bench.json", c.Name(),
				files(len(args)), want)
		}
		return nil
	}
}
