package virtualtime

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"ratelab/internal/script"
)

//go:embed compile.lua
var compileSource string

// CompileError reports that the server's Lua does not compile a script.
type CompileError struct {
	Init bool   // the error is in the init script
	Text string // the compiler's message, with the line in the author's file
}

func (e *CompileError) Error() string {
	if e.Init {
		return "the init script does not compile: " + e.Text
	}
	return "the script does not compile: " + e.Text
}

// compile asks the server once whether each script compiles alone. Each script is sent as its author wrote it, and as
// the wrapper will contain it. The author's text has the better error messages. In the wrapper, a missing "end" would
// be reported on a line of the wrapper. An extra "end" might not be reported at all.
func (r *Runner) compile(ctx context.Context) error {
	if r.checked {
		return nil
	}
	args := r.texts(r.program.Source)
	each := len(args)
	if r.program.Init != nil {
		args = append(args, r.texts(r.program.InitSource)...)
	}
	replies, err := Send(ctx, r.server.Client, append([]any{"EVAL", compileSource, "0"}, args...))
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("compile the script: %w", err)
	}
	if found := replies[0].Items; len(found) == 2 {
		return &CompileError{Init: int(found[0].Int) > each, Text: found[1].Text}
	}
	if r.unread != nil {
		return r.unread
	}
	r.checked = true
	return nil
}

// texts returns the forms of a script that must compile. The embedded server's Lua reads some comments and strings
// differently from Redis. So it compiles only the form that the wrapper contains.
func (r *Runner) texts(source string) []any {
	sent := script.Analyse(source).Body
	if r.server.Embedded && r.unread == nil {
		return []any{sent}
	}
	if strings.HasPrefix(source, "#!") { // EVAL does not accept this line
		_, rest, _ := strings.Cut(source, "\n")
		source = "\n" + rest
	}
	return []any{source, sent}
}
