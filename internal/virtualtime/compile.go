package virtualtime

import (
	"context"
	_ "embed"
	"fmt"
)

//go:embed compile.lua
var compileSource string

// CompileError is a script that the server's Lua does not accept.
type CompileError struct {
	Init bool   // whether it is the init script
	Text string // the compiler's words, with the line of the author's file
}

func (e *CompileError) Error() string {
	if e.Init {
		return "the init script does not compile: " + e.Text
	}
	return "the script does not compile: " + e.Text
}

// compile asks the server, once, whether the scripts compile each on its own. Inside the wrapper a missing end would
// be reported on a line of the wrapper, and one too many might not be reported at all.
func (r *Runner) compile(ctx context.Context) error {
	if r.checked {
		return nil
	}
	args := []any{body(r.program.Source)}
	if r.program.Init != nil {
		args = append(args, body(r.program.InitSource))
	}
	found, err := r.server.Client.Eval(ctx, compileSource, nil, args...).Slice()
	if err != nil {
		return fmt.Errorf("compile the script: %w", err)
	}
	if len(found) == 2 {
		return &CompileError{Init: found[0] == int64(2), Text: fmt.Sprint(found[1])}
	}
	r.checked = true
	return nil
}
