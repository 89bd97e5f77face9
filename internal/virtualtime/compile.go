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

// compile asks the server, once, whether the scripts compile each on its own: as their author wrote them, for words
// about them, and as they are sent. Inside the wrapper a missing end would be reported on a line of the wrapper, and
// one too many might not be reported at all.
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

// texts are what has to compile of a script. The embedded server's Lua has another idea of some comments and strings
// than Redis has: there it is enough that it takes what it is sent.
func (r *Runner) texts(source string) []any {
	sent := script.Analyse(source).Body
	if r.server.Embedded && r.unread == nil {
		return []any{sent}
	}
	if strings.HasPrefix(source, "#!") { // a line that EVAL does not take
		_, rest, _ := strings.Cut(source, "\n")
		source = "\n" + rest
	}
	return []any{source, sent}
}
