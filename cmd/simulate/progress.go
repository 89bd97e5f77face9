package main

import (
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows a bar for each scenario on a terminal, and nothing anywhere else.
type progress struct {
	w     io.Writer
	shown bool
	bar   *progressbar.ProgressBar
}

func newProgress(w io.Writer, quiet bool) *progress {
	return &progress{w: w, shown: !quiet && isTerminal(w)}
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// Scenario begins a bar; a total of 0 is one that is not known.
func (p *progress) Scenario(name string, number, of int, total int64) {
	p.finish()
	if !p.shown {
		return
	}
	if total == 0 {
		total = -1
	}
	p.bar = progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(p.w),
		progressbar.OptionSetDescription(description(name, number, of)),
		progressbar.OptionShowCount(),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionThrottle(100e6),
	)
}

// Requests moves the bar.
func (p *progress) Requests(done int64) {
	if p.bar != nil {
		_ = p.bar.Set64(done)
	}
}

func (p *progress) finish() {
	if p.bar != nil {
		_ = p.bar.Clear()
		p.bar = nil
	}
}
