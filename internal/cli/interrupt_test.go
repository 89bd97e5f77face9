package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/cobra"

	"ratelab/internal/message"
)

// locked is a buffer that several goroutines may use.
type locked struct {
	sync.Mutex
	bytes.Buffer
}

func (l *locked) Write(text []byte) (int, error) {
	l.Lock()
	defer l.Unlock()
	return l.Buffer.Write(text)
}

// What a program says last is why it ended, and not that it is about to.
func TestAnInterruptIsAnsweredBeforeTheEnd(t *testing.T) {
	for range 1000 {
		var said locked
		ctx, interrupt := context.WithCancelCause(t.Context())
		code := Run(ctx, nil, Streams{Stdout: io.Discard, Stderr: &said}, func(Streams) *cobra.Command {
			return &cobra.Command{Use: "program", RunE: func(*cobra.Command, []string) error {
				interrupt(message.ErrInterrupted)
				return errors.Join(message.ErrInterrupted, errors.New("the end"))
			}}
		})
		said.Lock()
		text := said.String()
		said.Unlock()
		if code != ExitInterrupted || !strings.HasSuffix(text, "program: the end\n") ||
			strings.Count(text, "\n") > 3 {
			t.Fatalf("exit code %d\n%s", code, text)
		}
	}
}
