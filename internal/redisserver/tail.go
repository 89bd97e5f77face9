package redisserver

import (
	"strings"
	"sync"

	"ratelab/internal/message"
)

// tailBytes is how much of a server's output is kept.
const tailBytes = 4096

// tail is a writer that remembers the end of what was written.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write keeps the last tailBytes; it never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if extra := len(t.text) - tailBytes; extra > 0 {
		t.text = append(t.text[:0], t.text[extra:]...)
	}
	return len(p), nil
}

// lastLines is the last n lines that say something, on one line, parted by " | ".
func (t *tail) lastLines(n int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var lines []string
	for line := range strings.Lines(string(t.text)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return message.OneLine(strings.Join(lines[max(0, len(lines)-n):], " | "), mostScreened)
}
