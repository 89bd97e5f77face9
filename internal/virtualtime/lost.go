package virtualtime

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// LostError is what a run ends with when keys of its own that must be alive are not on the server: somebody deleted
// them, the server evicted them or was restarted, or so much time passed at once that they expired. What was decided
// without them is void.
type LostError struct {
	Key   string        // one of them; "" where only the sentinel is known to be gone
	Keys  int           // how many were seen to be gone
	Stood time.Duration // for how long nobody moved the keys' deadlines on, where that is longer than they last; else 0
}

func (e *LostError) Error() string {
	const gone = "vanished from the server in the middle of it"
	switch e.Keys {
	case 0:
		return "keys of the run " + gone
	case 1:
		return fmt.Sprintf("the run's key %q %s", e.Key, gone)
	}
	return fmt.Sprintf("%d keys of the run, such as %q, %s", e.Keys, e.Key, gone)
}

// isLost reports whether err says that the server forgot something.
func isLost(err error) bool {
	var keys *LostError
	return errors.As(err, &keys) || errors.Is(err, ErrLost)
}

// lost is the error for keys that are gone; none stands for the sentinel.
func (r *Runner) lost(keys []string) error {
	e := &LostError{Keys: len(keys)}
	if len(keys) > 0 {
		e.Key = keys[0]
	}
	if r.server.Shared && r.stood > Margin {
		e.Stood = r.stood
	} else if since := r.elapsed() - r.movedAt; r.server.Shared && since > Margin {
		e.Stood = since
	}
	return e
}

// The sentinel is a key that lives as long as the run, and that nobody but its Runner deletes. Every batch looks for
// it: after a FLUSHALL no other key need be there to be missed.

// plant makes the sentinel, where there is to be one, before the first batch.
func (r *Runner) plant(ctx context.Context) error {
	if r.options.Sentinel == "" || r.planted {
		return nil
	}
	args := []any{"SET", r.options.Sentinel, "1"}
	if r.server.Shared {
		args = append(args, "PXAT", r.keepMS)
	}
	if err := r.server.Client.Do(ctx, args...).Err(); err != nil {
		return err
	}
	r.planted = true
	return nil
}

// seeSentinel fails where the sentinel is gone.
func (r *Runner) seeSentinel(ctx context.Context) error {
	if !r.planted {
		return nil
	}
	n, err := r.server.Client.Exists(ctx, r.options.Sentinel).Result()
	if err == nil && n == 0 {
		err = r.lost(nil)
	}
	return err
}
