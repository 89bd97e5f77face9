//go:build !unix

package redistest

import (
	"errors"
	"os"
	"time"
)

// Halt is not possible here.
func Halt(*os.Process, time.Duration) error { return errors.ErrUnsupported }
