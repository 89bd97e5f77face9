package virtualtime

import (
	"context"
	"strconv"
)

// Command is a plain command, no script, at a time of its own.
type Command struct {
	AtUS int64 // since 1970
	Args []any // its words
}

// Several sends commands, between which the clock never steps back, in one EVAL: it takes a tenth of what they take one
// by one. client must have the hook; its Clock plays no part. There is a reply for each command, down to the first that
// is an error: nil, an integer, a text, a list of replies, or, as the last one, an error.
func (h *Hook) Several(ctx context.Context, client Client, commands []Command) ([]any, error) {
	source, err := h.severalSource()
	if err != nil {
		return nil, err
	}
	args := []any{"EVAL", source, "0"}
	for _, c := range commands {
		args = append(args, strconv.FormatInt(c.AtUS, 10), strconv.Itoa(len(c.Args)))
		args = append(args, c.Args...)
	}
	return client.Do(ctx, args...).Slice()
}

// severalSource is the wrapper, which rewrite lets pass.
func (h *Hook) severalSource() (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.several != "" {
		return h.several, nil
	}
	f, err := facts(oneCommand, false)
	if err != nil {
		return "", err
	}
	s := settings{facts: f, strange: true}
	h.several = s.bodies() + singleHead + s.prelude() + s.maker() + aloneSource + severalSource
	return h.several, nil
}

// isSeveral reports whether a script is that of Several.
func (h *Hook) isSeveral(source string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return source != "" && source == h.several
}
