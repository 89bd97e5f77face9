package commandline

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"ratelab/internal/message"
	"ratelab/internal/sheet"
)

// IsTerminal reports whether somebody watches what is written to w.
func IsTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// Terminal says how to fit text to w: a pipe gets no colour, as NO_COLOR asks for too, and no width.
func Terminal(w io.Writer) sheet.Terminal {
	if !IsTerminal(w) {
		return sheet.Terminal{}
	}
	columns, _, err := term.GetSize(int(w.(*os.File).Fd()))
	if err != nil {
		columns = 0
	}
	_, plain := os.LookupEnv("NO_COLOR")
	return sheet.Terminal{Color: !plain, Width: columns}
}

// Bar shows how far something is on a terminal, and nothing anywhere else.
type Bar struct {
	w     io.Writer
	shown bool
	bar   *progressbar.ProgressBar
}

// NewBar is a bar on Stderr, which shows nothing if quiet. Where Stdout is a pipe, what reads it may have the terminal,
// as less does, and there is no bar.
func (s Streams) NewBar(quiet bool) *Bar {
	return &Bar{w: s.Stderr, shown: s.Watched(quiet)}
}

// Watched reports whether somebody sees on Stderr how far the work is. A dumb terminal cannot draw over what it has
// drawn, and what captures a session's output says that it is one.
func (s Streams) Watched(quiet bool) bool {
	return !quiet && IsTerminal(s.Stderr) && !isPipe(s.Stdout) && os.Getenv("TERM") != "dumb"
}

func isPipe(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeNamedPipe != 0
}

// Start begins at 0; a total of 0 is one that is not known.
func (b *Bar) Start(description string, total int64) {
	b.Finish()
	if !b.shown {
		return
	}
	if total == 0 {
		total = -1
	}
	b.bar = progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(b.w),
		progressbar.OptionSetDescription(message.Visible(description)),
		progressbar.OptionShowCount(),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionThrottle(100e6),
	)
}

// Set moves the bar.
func (b *Bar) Set(done int64) {
	if b.bar != nil {
		_ = b.bar.Set64(done)
	}
}

// Finish takes the bar away.
func (b *Bar) Finish() {
	if b.bar != nil {
		_ = b.bar.Clear()
		b.bar = nil
	}
}

// NumberOf is name, and which of how many it is where there are several.
func NumberOf(name string, number, of int) string {
	if of == 1 {
		return name
	}
	return fmt.Sprintf("%d/%d %s", number, of, name)
}

// Remaining shows that name is going on, and for how long all of it will: done of total is behind. A total of 0 is one
// that is not known yet.
func (b *Bar) Remaining(name string, done, total time.Duration) {
	if !b.shown {
		return
	}
	if b.bar == nil {
		b.bar = progressbar.NewOptions64(max(total.Milliseconds(), 1),
			progressbar.OptionSetWriter(b.w),
			progressbar.OptionSetPredictTime(false),
			progressbar.OptionSetElapsedTime(false),
			progressbar.OptionClearOnFinish(),
			progressbar.OptionThrottle(100e6),
		)
	}
	text := message.Visible(name)
	if total > 0 {
		text += fmt.Sprintf(", about %s left", max(total-done, 0).Round(time.Second))
	}
	b.bar.Describe(text)
	b.bar.ChangeMax64(max(total.Milliseconds(), 1))
	b.Set(done.Milliseconds())
}
