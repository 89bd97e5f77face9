package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"ratelab/internal/message"
	"ratelab/internal/report"
)

// fileOf returns the file behind a writer, or nil.
func fileOf(w io.Writer) *os.File {
	if p, ok := w.(*printing); ok {
		w = p.to
	}
	file, _ := w.(*os.File)
	return file
}

func isTerminal(file *os.File) bool { return file != nil && term.IsTerminal(int(file.Fd())) }

// Terminal returns how to format text for standard output. A pipe gets no colours and no width limit. NO_COLOR turns
// colours off. With quiet, tables have no notes.
func (s Streams) Terminal(quiet bool) report.Terminal {
	t := report.Terminal{Quiet: quiet}
	if file := fileOf(s.Stdout); isTerminal(file) {
		_, plain := os.LookupEnv("NO_COLOR")
		t.Color = !plain
		if columns, _, err := term.GetSize(int(file.Fd())); err == nil {
			t.Width = columns
		}
	}
	return t
}

// Bar shows progress on a terminal. It shows nothing if there is no terminal.
type Bar struct {
	w   io.Writer // nil: show nothing
	bar *progressbar.ProgressBar
}

// NewBar returns a bar on Stderr, which shows nothing if quiet. If Stdout is a pipe, the reader of the pipe may use the
// terminal, as less does, so there is no bar. A dumb terminal cannot overwrite a line.
func (s Streams) NewBar(quiet bool) *Bar {
	if quiet || !isTerminal(fileOf(s.Stderr)) || os.Getenv("TERM") == "dumb" {
		return &Bar{}
	}
	if file := fileOf(s.Stdout); file != nil {
		if info, err := file.Stat(); err == nil && info.Mode()&os.ModeNamedPipe != 0 {
			return &Bar{}
		}
	}
	return &Bar{w: s.Stderr}
}

// Show shows the current step, and the remaining time: done of total has passed. A total of 0 means that it is unknown.
func (b *Bar) Show(name string, done, total time.Duration) {
	if total > 0 {
		name += fmt.Sprintf(", about %s left", max(total-done, 0).Round(time.Second))
	}
	b.Count(name, int(done.Milliseconds()), int(total.Milliseconds()))
}

// Count shows the current step, and how many of all steps are finished.
func (b *Bar) Count(name string, done, total int) {
	if b.w == nil {
		return
	}
	if b.bar == nil {
		b.bar = progressbar.NewOptions64(1,
			progressbar.OptionSetWriter(b.w),
			progressbar.OptionSetPredictTime(false),
			progressbar.OptionSetElapsedTime(false),
			progressbar.OptionClearOnFinish(),
			progressbar.OptionThrottle(100*time.Millisecond),
		)
	}
	b.bar.Describe(message.Visible(name))
	b.bar.ChangeMax(max(total, 1))
	_ = b.bar.Set(done)
}

// Finish removes the bar.
func (b *Bar) Finish() {
	if b.bar != nil {
		_ = b.bar.Clear()
		b.bar = nil
	}
}
