package architecture

import (
	"go/ast"
	"slices"
	"testing"
)

// clocks are the functions that read the clock or wait for it.
var clocks = map[string][]string{
	"time":    {"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick"},
	"context": {"WithTimeout", "WithTimeoutCause", "WithDeadline", "WithDeadlineCause"},
}

// mayWait are the packages outside cmd/ that use a clock all the same, each with its reason.
var mayWait = map[string]string{
	"internal/redis":           "waits for servers to start and to end; no figure depends on it",
	"internal/redis/redistest": "delays what goes to a far server; no figure depends on it",
	"internal/load":            "paces on the wall clock: waiting precisely is what it is for",
	"internal/cli/clitest":     "ends programs under test that hang; no figure depends on it",
	"internal/browsertest":     "ends pages under test that hang; no figure depends on it",
}

// programs are the packages outside cmd/ that print and exit all the same, each with its reason.
var programs = map[string]string{
	"internal/redis":       "is a program of its own, which others become when they are asked to",
	"internal/cli/clitest": "makes the binary of a command's tests a program that takes orders",
}

// Time is an argument: what reads no clock needs no sleep and no tolerance in its tests, and repeats to the byte.
func TestOnlyCommandsReadTheClock(t *testing.T) {
	waits := map[string]bool{}
	for dir, folder := range tree(t) {
		for _, f := range folder.files {
			f.uses(func(n ast.Node, pkg, name string) {
				if isCommand(dir) || !slices.Contains(clocks[pkg], name) {
					return
				}
				waits[dir] = true
				if mayWait[dir] == "" {
					t.Errorf("%s: %s.%s; take the time, or a func() time.Time, as an argument that cmd/ fills in",
						f.line(n), pkg, name)
				}
			})
		}
	}
	for dir := range mayWait {
		if !waits[dir] {
			t.Errorf("%s is listed in mayWait and uses no clock; take it out", dir)
		}
	}
}

// Only a command talks to the terminal and ends the program: a package returns errors and writes to what it is given.
func TestOnlyCommandsPrintAndExit(t *testing.T) {
	forbidden := map[string][]string{
		"fmt": {"Print", "Printf", "Println"},
		"os":  {"Exit", "Stdout", "Stderr", "Stdin"},
	}
	for dir, folder := range tree(t) {
		if isCommand(dir) || programs[dir] != "" {
			continue
		}
		for _, f := range folder.files {
			f.uses(func(n ast.Node, pkg, name string) {
				if slices.Contains(forbidden[pkg], name) || pkg == "log" || pkg == "log/slog" {
					t.Errorf("%s: %s.%s; return an error, or write to an io.Writer that the command passes in",
						f.line(n), pkg, name)
				}
			})
			ast.Inspect(f.syntax, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					if id, ok := call.Fun.(*ast.Ident); ok && (id.Name == "println" || id.Name == "print") {
						t.Errorf("%s: %s; it is for debugging: take it out", f.line(n), id.Name)
					}
				}
				return true
			})
		}
	}
}
