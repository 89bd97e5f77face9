//go:build !unix

package load

import "time"

// cpuTime is not told.
func cpuTime() time.Duration { return -1 }
