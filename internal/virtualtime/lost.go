package virtualtime

import (
	"errors"
	"fmt"
)

// LostError is what a run ends with when keys of its own that must be alive are not on the server: somebody deleted
// them, or the server evicted them or was restarted. What was decided without them is void.
type LostError struct {
	Key  string // one of them
	Keys int    // how many were seen to be gone
}

func (e *LostError) Error() string {
	const gone = "vanished from the server in the middle of it: somebody removed them (FLUSHALL, FLUSHDB or DEL?), " +
		"or the server evicted them or was restarted; no figure of the run holds"
	if e.Keys == 1 {
		return fmt.Sprintf("the run's key %q %s", e.Key, gone)
	}
	return fmt.Sprintf("%d keys of the run, such as %q, %s", e.Keys, e.Key, gone)
}

// isLost reports whether err says that the server forgot something.
func isLost(err error) bool {
	var keys *LostError
	return errors.As(err, &keys) || errors.Is(err, ErrLost)
}

// lost is the error for keys that are gone; nil: there are none.
func lost(keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	return &LostError{Key: keys[0], Keys: len(keys)}
}
