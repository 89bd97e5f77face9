//go:build !unix

package redistest

import (
	"errors"
	"os"
	"time"
)

// Halt is not supported on this system.
func Halt(*os.Process, time.Duration) error { return errors.ErrUnsupported }
